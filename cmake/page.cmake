# The page of `sinew studio`, from web/ into page/ of the build folder. Without npm there is none, and the command says so.
set(page ${PROJECT_BINARY_DIR}/page)
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/* ${PROJECT_SOURCE_DIR}/web/public/*)
add_custom_command(
  OUTPUT ${page}/index.html
  COMMAND ${PROJECT_SOURCE_DIR}/tools/build_page ${page}
  DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/web/index.html ${PROJECT_SOURCE_DIR}/web/package-lock.json
          ${PROJECT_SOURCE_DIR}/web/vite.config.ts ${PROJECT_SOURCE_DIR}/web/tsconfig.json ${PROJECT_SOURCE_DIR}/tools/build_page
  COMMENT "Building the page of the studio"
  VERBATIM)
add_custom_target(page DEPENDS ${page}/index.html)

# The installable package: find_package(sinew) gives sinew::core, sinew::motion, ... one a room.
include(CMakePackageConfigHelpers)

set(rooms core motion character world sim qp control record rollout search)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)

# Libraries, program, headers (as "room/name.h" below include/sinew), characters and motions.
list(TRANSFORM rooms PREPEND sinew_ OUTPUT_VARIABLE libraries)
install(TARGETS ${libraries} EXPORT sinewTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sinew RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(room ${rooms})
  install(DIRECTORY src/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sinew FILES_MATCHING PATTERN *.h)
endforeach()
install(DIRECTORY assets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew)
install(DIRECTORY ${PROJECT_BINARY_DIR}/page DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew OPTIONAL)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What find_package reads.
install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${package_dir})
configure_package_config_file(cmake/sinewConfig.cmake.in ${PROJECT_BINARY_DIR}/sinewConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sinewConfig.cmake ${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake
              cmake/Findmujoco.cmake DESTINATION ${package_dir})

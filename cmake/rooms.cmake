# sinew_room(NAME PUBLIC ... PRIVATE ...): the library sinew_NAME from src/NAME/**.cc, seen by others as sinew::NAME.
# The names of other rooms stand for their libraries.
function(sinew_room name)
  cmake_parse_arguments(ROOM "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  add_library(sinew_${name} STATIC ${sources})
  add_library(sinew::${name} ALIAS sinew_${name})
  set_target_properties(sinew_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(sinew_${name} PUBLIC cxx_std_20)
  target_include_directories(sinew_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                                  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/sinew>)
  foreach(kind PUBLIC PRIVATE)
    foreach(library ${ROOM_${kind}})
      if(TARGET sinew_${library})
        set(library sinew_${library})
      endif()
      target_link_libraries(sinew_${name} ${kind} ${library})
    endforeach()
  endforeach()
  sinew_warnings(sinew_${name})
endfunction()

function(sinew_warnings target)
  # GCC 12 warns wrongly about std::string + char* and about comparing vectors when it optimises (its bug 105651).
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wpedantic -Wno-restrict -Wno-stringop-overread $<$<BOOL:${SINEW_WERROR}>:-Werror>)
endfunction()

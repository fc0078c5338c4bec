# Installs the build in BUILD into a staging folder, then configures, builds and runs the consumer against it.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${status}:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

set(prefix ${BUILD}/consumer/prefix)
file(REMOVE_RECURSE ${BUILD}/consumer)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD}/consumer/build -G Ninja -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_BUILD_TYPE=${TYPE} -DCMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${BUILD}/consumer/build)
run(${BUILD}/consumer/build/consumer)
if(NOT out MATCHES "[1-9][0-9]* frames for 50 degrees of freedom")
  message(FATAL_ERROR "the consumer said: ${out}")
endif()
if(NOT out MATCHES "after a step of the spring simulator it is 0.001 s")
  message(FATAL_ERROR "the consumer's plug-in said: ${out}")
endif()

# The installed program finds the installed characters, not those of the source tree.
run(${prefix}/bin/sinew characters --json)
if(NOT out MATCHES "share/sinew/characters/human50.xml")
  message(FATAL_ERROR "the installed program does not see its own assets: ${out}")
endif()

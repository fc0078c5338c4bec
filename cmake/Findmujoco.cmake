# MuJoCo as the target mujoco::mujoco. Debian's own package file names folders of packages that it does not need.
find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(MUJOCO_LIBRARY mujoco)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(mujoco REQUIRED_VARS MUJOCO_LIBRARY MUJOCO_INCLUDE_DIR)
if(mujoco_FOUND AND NOT TARGET mujoco::mujoco)
  add_library(mujoco::mujoco UNKNOWN IMPORTED)
  set_target_properties(mujoco::mujoco PROPERTIES IMPORTED_LOCATION ${MUJOCO_LIBRARY}
                                                  INTERFACE_INCLUDE_DIRECTORIES ${MUJOCO_INCLUDE_DIR})
endif()

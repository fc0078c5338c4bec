#pragma once

#include <string>

// How the tests start runs of several processes, whoever they are and however few cores there are.
namespace sinew::testing {

// The words of the environment by which a process knows that it is part of a run, taken away.
inline std::string without_mpi() { return "env -u OMPI_COMM_WORLD_SIZE -u PMIX_RANK -u PMI_RANK "; }

inline std::string mpirun(int processes) {
  return without_mpi() +
         "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 mpirun --oversubscribe "
         "--bind-to none -n " +
         std::to_string(processes);
}

}  // namespace sinew::testing

#pragma once

#include <cstddef>

// Counts what this program takes from the heap, by `new` or through Eigen: include it in one file of a test
// program. Sanitizers have a malloc of their own; then COUNTS_ALLOCATIONS is not defined.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1
namespace {
thread_local long allocations = 0;
}  // namespace

extern "C" void* __libc_malloc(size_t size);
extern "C" void* malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
#endif

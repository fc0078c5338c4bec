#pragma once

#include <cstdint>

namespace sinew {

// Random numbers that depend on nothing but a key and a counter: the same on every machine, at any number of
// threads, in any order. A stream is keyed by what it is for, as in Random(seed, iteration, sample).
class Random {
 public:
  explicit Random(uint64_t seed, uint64_t a = 0, uint64_t b = 0);

  uint64_t bits();   // 64 of them
  double uniform();  // in [0, 1)
  double between(double low, double high) { return low + (high - low) * uniform(); }
  double normal();  // mean 0, deviation 1

 private:
  uint64_t key_;
  uint64_t count_ = 0;
};

}  // namespace sinew

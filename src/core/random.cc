#include "core/random.h"

#include <cmath>
#include <numbers>

namespace sinew {

namespace {

// The finaliser of SplitMix64 (Steele et al. 2014): every bit of the input moves half of the output's.
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

Random::Random(uint64_t seed, uint64_t a, uint64_t b) : key_(mix(mix(mix(seed) ^ a) ^ b)) {}

uint64_t Random::bits() { return mix(key_ ^ mix(count_++)); }

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double Random::normal() {
  // Box and Muller, one of the two: no state but the counter.
  const double u = 1 - uniform(), v = uniform();
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

}  // namespace sinew

#include "rollout/metamorphosis.h"

#include <algorithm>

#include "character/numbers.h"
#include "core/error.h"

namespace sinew {

namespace {

constexpr int kKnots = 10;

}  // namespace

Metamorphosis::Metamorphosis(const RunParameters& parameters, const Character& from, const Character& to)
    : from_(from), to_(to) {
  if (const std::string why = topology_difference(from, to); !why.empty())
    throw Error(why + ", so that one cannot become the other");
  for (int i = 0; i <= kKnots; ++i)
    knots_.push_back(
        scaled(parameters, from, blend(from, to, static_cast<double>(i) / kKnots), Scaling::kByMass));
}

void Metamorphosis::body(double part, Character& into) const { blend_into(from_, to_, part, into); }

RunParameters Metamorphosis::parameters(double part) const {
  const int i = std::clamp(static_cast<int>(part * kKnots), 0, kKnots - 1);
  return blend(knots_[static_cast<size_t>(i)], knots_[static_cast<size_t>(i) + 1], part * kKnots - i);
}

}  // namespace sinew

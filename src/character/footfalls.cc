#include "character/footfalls.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "character/plants.h"

namespace sinew {

Footfalls::Footfalls(const Character& character, const Reference& reference)
    : frame_time_s_(reference.frame_time_s),
      cyclic_(reference.cyclic),
      shortest_s_(reference.q.size(), std::numeric_limits<double>::infinity()) {
  const std::vector<char> stands = standing_points(character);
  const size_t frames = reference.q.size();
  for (const ContactGroup& group : contact_groups(character)) {
    const auto bears = [&](size_t frame) {
      const std::vector<char>& contact = reference.point_contact[frame % frames];
      return std::any_of(group.points.begin(), group.points.end(),
                         [&](size_t k) { return stands[k] && contact[k]; });
    };
    // A stance begins where the foot did not stand before; in a cycle it may go on beyond the last frame.
    for (size_t begin = cyclic_ ? 0 : 1; begin < frames; ++begin) {
      if (!bears(begin) || bears(begin + frames - 1)) continue;
      size_t end = begin + 1;
      while (bears(end) && (cyclic_ || end < frames)) ++end;
      if (!cyclic_ && end >= frames) break;
      for (size_t f = begin; f < end; ++f) {
        double& shortest = shortest_s_[f % frames];
        shortest = std::min(shortest, static_cast<double>(end - begin) * frame_time_s_);
      }
    }
  }
}

double Footfalls::shortest_s(double from_s, double to_s) const {
  const long frames = static_cast<long>(shortest_s_.size());
  const long first = std::lround(from_s / frame_time_s_), last = std::lround(to_s / frame_time_s_);
  double shortest = std::numeric_limits<double>::infinity();
  for (long f = cyclic_ ? first : std::max(0L, first); f <= (cyclic_ ? last : std::min(last, frames - 1));
       ++f)
    shortest = std::min(shortest, shortest_s_[static_cast<size_t>(((f % frames) + frames) % frames)]);
  return shortest;
}

}  // namespace sinew

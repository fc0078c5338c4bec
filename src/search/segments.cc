#include "search/segments.h"

#include <algorithm>
#include <cmath>

#include "character/plants.h"

namespace sinew {

namespace {

// Critical times nearer to each other than this are one.
constexpr double kApart_s = 0.05;
// A peak counts once the distance has fallen by this share of it.
constexpr double kFall = 0.1;
// A limb that moves less than this share of its length does not turn back.
constexpr double kReach = 0.15;
// What stands no higher than this in the rest stance is a foot.
constexpr double kFoot_m = 0.05;
// A roll is about to begin, or has just ended, within this time.
constexpr double kAbout_s = 0.5;
// How many steps before a critical time are adjusted, and how much longer than asked for one may be.
constexpr int kAdjusted = 3;
constexpr double kLongest = 1.2;

// A limb and what hangs on it.
struct Limb {
  int base = 0;
  std::vector<int> bodies;
  double length_m = 0;
};

std::vector<Limb> limbs(const Character& character) {
  std::vector<Limb> found;
  const std::vector<Pose> X_WB = body_poses(character, character.q_rest);
  for (const Part part : {Part::kLeftThigh, Part::kRightThigh, Part::kLeftUpperArm, Part::kRightUpperArm}) {
    Limb limb;
    limb.base = character.find(part);
    if (limb.base < 0) continue;
    for (int b = limb.base; b < static_cast<int>(character.bodies.size()); ++b) {
      int up = b;
      while (up > limb.base) up = character.bodies[static_cast<size_t>(up)].parent;
      if (up != limb.base) continue;
      limb.bodies.push_back(b);
      const Vec3 reach = X_WB[static_cast<size_t>(b)].p - X_WB[static_cast<size_t>(limb.base)].p;
      limb.length_m = std::max(limb.length_m, reach.norm());
    }
    found.push_back(std::move(limb));
  }
  return found;
}

// The middle of a limb's bodies, seen from its base along the root's axes.
Vec3 centroid(const Character& character, const Limb& limb, const std::vector<Pose>& X_WB) {
  Vec3 sum = Vec3::Zero();
  for (const int b : limb.bodies)
    sum += X_WB[static_cast<size_t>(b)] * character.bodies[static_cast<size_t>(b)].p_BC;
  const Vec3 middle = sum / static_cast<double>(limb.bodies.size());
  return X_WB[0].q.conjugate() * (middle - X_WB[static_cast<size_t>(limb.base)].p);
}

// The motion as segmentation sees it, frame by frame.
struct Watched {
  std::vector<std::vector<Vec3>> centroid;  // [limb][frame]
  std::vector<std::vector<char>> down;      // [limb][frame]: a foot of it bears load
  std::vector<char> feet_only;              // [frame]: nothing else touches the floor
};

Watched watch(const Character& character, const Reference& reference, double start_s, size_t frames) {
  const std::vector<Limb> all = limbs(character);
  const std::vector<char> feet = standing_bodies(character, kFoot_m);
  Watched seen;
  seen.centroid.resize(all.size());
  seen.down.resize(all.size());
  for (size_t f = 0; f < frames; ++f) {
    const ReferenceSample now =
        sample(character, reference, start_s + reference.frame_time_s * static_cast<double>(f));
    const std::vector<Pose> X_WB = body_poses(character, now.q);
    for (size_t l = 0; l < all.size(); ++l) {
      seen.centroid[l].push_back(centroid(character, all[l], X_WB));
      char down = 0;
      for (size_t k = 0; k < character.contact_points.size(); ++k) {
        const int body = character.contact_points[k].body;
        const bool mine = std::binary_search(all[l].bodies.begin(), all[l].bodies.end(), body);
        if (mine && feet[static_cast<size_t>(body)] && (*now.point_contact)[k]) down = 1;
      }
      seen.down[l].push_back(down);
    }
    char only = 1;
    for (size_t b = 0; b < feet.size(); ++b)
      if (!feet[b] && (*now.body_contact)[b]) only = 0;
    seen.feet_only.push_back(only);
  }
  return seen;
}

// Whether nothing but feet touches the floor around a time.
bool on_feet(const std::vector<char>& feet_only, double time_s, double frame_s) {
  const auto last = static_cast<long>(feet_only.size()) - 1;
  const long from = std::clamp(std::lround((time_s - kAbout_s) / frame_s), 0L, last);
  const long to = std::clamp(std::lround((time_s + kAbout_s) / frame_s), 0L, last);
  return std::all_of(feet_only.begin() + from, feet_only.begin() + to + 1, [](char only) { return only; });
}

}  // namespace

std::vector<size_t> centroid_segments(const std::vector<Vec3>& centroid, double least_m) {
  std::vector<size_t> ends;
  size_t begin = 0, peak = 0;
  double highest = 0;
  for (size_t f = 1; f < centroid.size(); ++f) {
    const double distance = (centroid[f] - centroid[begin]).norm();
    if (distance > highest) highest = distance, peak = f;
    if (highest <= 0 || highest < least_m || distance > (1 - kFall) * highest) continue;
    // It has turned back: the next segment begins where it did, and what followed is seen from there.
    ends.push_back(peak);
    begin = f = peak;
    highest = 0;
  }
  return ends;
}

std::vector<double> critical_times(const Character& character, const Reference& reference, double start_s,
                                   double seconds) {
  const double h = reference.frame_time_s;
  const auto frames = static_cast<size_t>(std::floor(seconds / h + 1e-9)) + 1;
  const Watched seen = watch(character, reference, start_s, frames);

  // Contact switches come first: an extremal point beside one is the same moment.
  std::vector<double> wanted;
  for (const std::vector<char>& down : seen.down)
    for (size_t f = 1; f < frames; ++f)
      if (down[f] != down[f - 1]) wanted.push_back((static_cast<double>(f) - 0.5) * h);
  std::sort(wanted.begin(), wanted.end());
  const auto switches = static_cast<std::ptrdiff_t>(wanted.size());
  const std::vector<Limb> all = limbs(character);
  for (size_t l = 0; l < all.size(); ++l)
    for (const size_t f : centroid_segments(seen.centroid[l], kReach * all[l].length_m))
      wanted.push_back(static_cast<double>(f) * h);
  std::sort(wanted.begin() + switches, wanted.end());

  std::vector<double> critical;
  for (const double t : wanted) {
    const bool near_another = std::any_of(critical.begin(), critical.end(),
                                          [t](double other) { return std::abs(t - other) < kApart_s; });
    if (near_another || t < kApart_s || t > seconds - kApart_s || !on_feet(seen.feet_only, t, h)) continue;
    critical.push_back(t);
  }
  std::sort(critical.begin(), critical.end());
  return critical;
}

std::vector<long> sampling_steps(const std::vector<double>& critical_s, double seconds, double step_s,
                                 double sampling_s) {
  std::vector<double> anchors = critical_s;
  anchors.push_back(seconds);
  std::vector<long> ends;
  long last = 0;
  double from = 0;
  for (const double to : anchors) {
    // Whole steps, then the few before the anchor share the rest.
    const auto count = std::max(1, static_cast<int>(std::ceil((to - from) / sampling_s - (kLongest - 1))));
    const int shared = std::min(count, kAdjusted);
    const double shared_from = from + (count - shared) * sampling_s;
    for (int i = 1; i <= count; ++i) {
      const double end = i <= count - shared
                             ? from + i * sampling_s
                             : shared_from + (to - shared_from) * (i - count + shared) / shared;
      const long steps = std::lround(end / step_s);
      if (steps > last) ends.push_back(last = steps);
    }
    from = to;
  }
  return ends;
}

}  // namespace sinew

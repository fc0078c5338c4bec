#include "character/cycle.h"

#include <algorithm>
#include <cmath>

#include "character/reference.h"

namespace sinew {

namespace {

Quat root_quat(const VecX& q) { return Quat(q[3], q[4], q[5], q[6]); }

// Heading of the root by its sideways axis, which does not swing when the trunk bows.
double root_heading(const VecX& q) {
  const Vec3 left = root_quat(q) * Vec3::UnitY();
  return std::atan2(-left.x(), left.y());
}

// The vertical axis through the root, facing its heading: what a cycle may move.
Pose planar_frame(const VecX& q) { return {Vec3(q[0], q[1], 0), exp_map(Vec3(0, 0, root_heading(q)))}; }

// Joint positions in the planar frame, and a quarter second of their velocities: what must agree at the seam.
std::vector<VecX> features(const Character& character, const std::vector<VecX>& q, double h) {
  const auto bodies = static_cast<long>(character.bodies.size());
  std::vector<VecX> out(q.size(), VecX::Zero(6 * bodies));
  std::vector<std::vector<Pose>> X(q.size());
  for (size_t f = 0; f < q.size(); ++f) X[f] = body_poses(character, q[f]);
  for (size_t f = 0; f < q.size(); ++f) {
    const Pose X_PW = planar_frame(q[f]).inverse();
    const size_t a = f > 0 ? f - 1 : 0, b = std::min(f + 1, q.size() - 1);
    for (long k = 0; k < bodies; ++k) {
      const auto i = static_cast<size_t>(k);
      out[f].segment<3>(6 * k) = X_PW * X[f][i].p;
      if (b > a)
        out[f].segment<3>(6 * k + 3) =
            X_PW.q * (X[b][i].p - X[a][i].p) * (0.1 / (static_cast<double>(b - a) * h));
    }
  }
  return out;
}

}  // namespace

std::optional<Cycle> find_cycle(const Character& character, const std::vector<VecX>& q, double frame_time_s,
                                double min_s) {
  const std::vector<VecX> x = features(character, q, frame_time_s);
  const double per_body = std::sqrt(static_cast<double>(character.bodies.size()));
  const auto distance = [&](size_t i, size_t j) { return (x[i] - x[j]).norm() / per_body; };
  const auto shortest = static_cast<size_t>(std::ceil(min_s / frame_time_s));
  const size_t n = q.size();
  if (n <= shortest + 2) return std::nullopt;

  // Coarsely over all pairs, then frame by frame around the best. A cycle must leave the pose before it comes
  // back.
  const size_t stride = std::max<size_t>(1, n / 300);
  std::optional<Cycle> best;
  const auto consider = [&](size_t i, size_t j) {
    const double d = distance(i, j);
    if (best && d >= best->mismatch_m) return;
    double farthest = 0;
    for (size_t k = i; k < j; k += std::max<size_t>(1, (j - i) / 12))
      farthest = std::max(farthest, distance(i, k));
    if (farthest > std::max(0.06, 2.5 * d)) best = Cycle{i, j, d};
  };
  for (size_t i = 1; i + shortest < n - 1; i += stride)
    for (size_t j = i + shortest; j < n - 1; j += stride) consider(i, j);
  if (!best) return std::nullopt;
  const Cycle coarse = *best;
  for (size_t i = coarse.begin > stride ? coarse.begin - stride : 1; i <= coarse.begin + stride; ++i)
    for (size_t j = coarse.end - stride; j <= std::min(coarse.end + stride, n - 2); ++j)
      if (j >= i + shortest) consider(i, j);
  return best;
}

CycleFrames close_cycle(const Character& character, const std::vector<VecX>& q, const Cycle& cycle,
                        double straighten_rad) {
  CycleFrames out;
  const size_t n = cycle.end - cycle.begin;
  // One frame before and after is needed for the velocities at the seam.
  const size_t before = cycle.begin > 0 ? cycle.begin - 1 : 0, after = std::min(cycle.end + 1, q.size() - 1);
  std::vector<VecX> frames(q.begin() + static_cast<long>(before), q.begin() + static_cast<long>(after) + 1);
  const size_t first = cycle.begin - before, last = first + n;

  // Take out a small drift of heading: turn each frame's step, and the frame, back by its share.
  const double drift = std::remainder(root_heading(frames[last]) - root_heading(frames[first]), 2 * kPi);
  if (std::abs(drift) < straighten_rad) {
    std::vector<VecX> straight = frames;
    for (size_t f = 0; f < frames.size(); ++f) {
      const double share = (static_cast<double>(f) - static_cast<double>(first)) / static_cast<double>(n);
      const Quat back = exp_map(Vec3(0, 0, -drift * share));
      straight[f] = moved(frames[f], {Vec3::Zero(), back});
      straight[f].head<3>() =
          f == 0 ? Vec3(frames[0].head<3>())
                 : Vec3(straight[f - 1].head<3>() + back * (frames[f].head<3>() - frames[f - 1].head<3>()));
    }
    frames = straight;
  }

  // The step from cycle to cycle, and what is left of pose and velocity at the seam once it is taken.
  out.X_cycle = planar_frame(frames[last]) * planar_frame(frames[first]).inverse();
  if (std::abs(drift) < straighten_rad)
    out.X_cycle.q = Quat::Identity(),
    out.X_cycle.p = planar_frame(frames[last]).p - planar_frame(frames[first]).p;
  const Pose back = out.X_cycle.inverse();
  const auto velocity = [&](size_t f, const Pose& X) {
    const size_t a = f > 0 ? f - 1 : 0, b = std::min(f + 1, frames.size() - 1);
    return VecX(difference(character, moved(frames[a], X), moved(frames[b], X)) / static_cast<double>(b - a));
  };
  const VecX pose_gap = difference(character, moved(frames[last], back), frames[first]);
  const VecX velocity_gap = velocity(first, Pose{}) - velocity(last, back);

  // Half of the gap is closed on each side, fading within a third of the cycle (cubic Hermite, zero at the
  // inner end).
  const double width = static_cast<double>(n) / 3.0;
  for (size_t f = 0; f < n; ++f) {
    VecX bend = VecX::Zero(character.nv());
    const auto fade = [&](double u, double sign) {
      if (u <= 0 || u > 1) return;
      bend += sign * 0.5 *
              ((3 * u * u - 2 * u * u * u) * pose_gap + sign * width * (u * u * u - u * u) * velocity_gap);
    };
    fade(1 - static_cast<double>(f) / width, -1);
    fade(1 - static_cast<double>(n - f) / width, 1);
    // The end of the cycle is turned against its start by X: the root's shift is said in the start's frame.
    if (2 * f > n) bend.head<3>() = out.X_cycle.q * Vec3(bend.head<3>());
    out.q.push_back(integrate(character, frames[first + f], bend));
  }
  return out;
}

}  // namespace sinew

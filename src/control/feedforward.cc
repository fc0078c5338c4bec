#include "control/feedforward.h"

#include <algorithm>
#include <cmath>

#include "character/state.h"
#include "control/tracking_qp.h"
#include "core/smooth.h"

namespace sinew {

namespace {

// Whether all that touches the ground in a frame has points that may bear load.
bool is_known(const Character& character, const std::vector<char>& body_contact) {
  for (size_t b = 0; b < body_contact.size(); ++b) {
    const auto on_body = [&](const ContactPoint& point) { return point.body == static_cast<int>(b); };
    if (body_contact[b] &&
        std::none_of(character.contact_points.begin(), character.contact_points.end(), on_body))
      return false;
  }
  return true;
}

std::vector<PlanContact> contacts_of(const Character& character, const RigidModel& model,
                                     const std::vector<char>& point_contact) {
  std::vector<PlanContact> contacts;
  for (size_t i = 0; i < point_contact.size(); ++i) {
    if (!point_contact[i]) continue;
    const ContactPoint& point = character.contact_points[i];
    const Vec3 p_W = model.X_WB(point.body) * point.p_BP - point.radius_m * Vec3::UnitZ();
    contacts.push_back({static_cast<int>(i), point.body, p_W, Vec3::UnitZ()});
  }
  return contacts;
}

// Smooths every coordinate in time; a cycle between two neighbours like itself.
void smooth_torques(std::vector<VecX>& torque, bool cyclic, double frame_time_s, double cutoff_hz) {
  const size_t n = torque.size(), turns = cyclic ? 3 : 1, first = cyclic ? n : 0;
  std::vector<double> track(turns * n);
  for (long i = 0; n > 0 && i < torque[0].size(); ++i) {
    for (size_t f = 0; f < track.size(); ++f) track[f] = torque[f % n][i];
    const std::vector<double> smoothed = smooth(track, frame_time_s, cutoff_hz);
    for (size_t f = 0; f < n; ++f) torque[f][i] = smoothed[first + f];
  }
}

}  // namespace

Feedforward::Feedforward(const Character& character, const Reference& reference,
                         const FeedforwardOptions& options)
    : frame_time_s_(reference.frame_time_s), cyclic_(reference.cyclic) {
  RigidModel model(character, options.gravity);
  // Where the ground cannot give what the motion asks for, errors count as the forces that they would take.
  TrackingQp qp(model, rest_command(character).limit,
                {.metric = QpMetric::kInertiaMatrix, .friction = options.friction});
  for (size_t f = 0; f < reference.q.size(); ++f) {
    torque_.push_back(VecX::Zero(character.nv()));
    if (!is_known(character, reference.body_contact[f])) continue;
    model.set(reference.q[f], reference.v[f]);
    qp.set_up(contacts_of(character, model, reference.point_contact[f]), reference.a[f]);
    if (qp.solve().ok()) torque_.back() = qp.torques();
  }
  smooth_torques(torque_, cyclic_, frame_time_s_, options.smooth_hz);
}

void Feedforward::at(double time_s, VecX& torque) const {
  const auto n = static_cast<double>(torque_.size());
  double f = time_s / frame_time_s_;
  f = cyclic_ ? f - n * std::floor(f / n) : std::clamp(f, 0.0, n - 1);
  const size_t before = std::min(static_cast<size_t>(f), torque_.size() - 1);
  const size_t after = cyclic_ ? (before + 1) % torque_.size() : std::min(before + 1, torque_.size() - 1);
  torque = torque_[before] + (f - static_cast<double>(before)) * (torque_[after] - torque_[before]);
}

}  // namespace sinew

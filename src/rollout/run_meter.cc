#include "rollout/run_meter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "record/metrics.h"

namespace sinew {

namespace {

constexpr double kGravity = 9.81;
constexpr int kRoot = 6;
constexpr double kForceWindow_s = 0.01;

}  // namespace

RunMeter::RunMeter(const Character& character, double settle_s)
    : character_(character), settle_s_(settle_s), bodies_(character) {
  const auto coordinate = [&](const std::string& name) {
    const int joint = find_joint(character, name);
    if (joint < 0) throw Error("the character '" + character.name + "' has no joint " + name);
    return character.joints[static_cast<size_t>(joint)].q;
  };
  knee_ = {coordinate("left_knee"), coordinate("right_knee")};
  hip_ = {coordinate("left_hip"), coordinate("right_hip")};
  shoulder_ = {coordinate("left_shoulder"), coordinate("right_shoulder")};
}

void RunMeter::look(const Simulator& simulator, const Runner& runner) {
  const State& state = simulator.state();
  const Character& c = simulator.character();
  if (fallen_) return;
  time_s_ = state.time_s;

  // A fall, as docs/interface.md has it.
  const Quat q(state.q[3], state.q[4], state.q[5], state.q[6]);
  const Vec3 up = q * Vec3::UnitZ();
  fallen_ = state.q[2] < kMinStandingShare * c.q_rest[2] || up.z() < std::cos(kMaxTiltError_rad);
  double force = 0;
  for (const Contact& contact : simulator.contacts())
    if (contact.world_shape >= 0) force += contact.force_W.z();
  force /= c.mass_kg() * kGravity;

  // Force plates are read through a filter; here it is the mean over the last 10 ms.
  const double h = simulator.step_s();
  const auto window = static_cast<size_t>(std::max(1L, std::lround(kForceWindow_s / h)));
  forces_.push_back(force);
  if (forces_.size() > window) forces_.erase(forces_.begin());
  force = std::accumulate(forces_.begin(), forces_.end(), 0.0) / static_cast<double>(window);
  if (state.time_s < settle_s_) {
    was_flight_ = runner.phase() == RunPhase::kFlight;
    return;
  }
  bodies_.update(c, state);
  ++looks_;

  // Means over time.
  const bool flight = runner.phase() == RunPhase::kFlight;
  measured_s_ += h;
  if (!flight) stance_s_ += h;
  step_peak_ = std::max(step_peak_, force);
  peak_ = std::max(peak_, force);
  const Quat facing = exp_map(Vec3(0, 0, -runner.heading()));
  const Vec3 up_H = facing * up, forward_H = facing * (q * Vec3::UnitX());
  const double pitch = std::atan2(up_H.x(), up_H.z());
  pitch_sum_ += pitch;
  pitch2_sum_ += pitch * pitch;
  const Vec3 chest_H = facing * (bodies_.X_WB(c.body_of(Part::kThorax)).q * Vec3::UnitZ());
  sum_.pitch += std::atan2(chest_H.x(), chest_H.z());
  const double thighs = state.q[hip_[0]] - state.q[hip_[1]];
  sum_.arms -= (state.q[shoulder_[0]] - state.q[shoulder_[1]]) * thighs;
  thighs2_sum_ += thighs * thighs;
  sum_.height += state.q[2] / c.q_rest[2];
  sum_.tilt2 += up_H.y() * up_H.y() + forward_H.y() * forward_H.y();
  const VecX& torque = simulator.torques();
  for (const Joint& joint : c.joints)
    if (joint.type == JointType::kHinge && joint.torque_limit[0] > 0) {
      const double share = torque[joint.v] / joint.torque_limit[0];
      sum_.effort += share * share;
      if (std::abs(share) > 0.98) sum_.saturation += 1;
    }
  const int head = c.body_of(Part::kHead);
  const Vec3 head_v = bodies_.velocity(head, bodies_.X_WB(head) * c.bodies[static_cast<size_t>(head)].p_BC);
  if (last_head_s_ >= 0) sum_.head_acceleration2 += ((head_v - last_head_v_) / h).squaredNorm();
  last_head_v_ = head_v;
  last_head_s_ = state.time_s;
  const auto other = static_cast<size_t>(1 - runner.leg());
  if (!flight) step_most_knee_ = std::max(step_most_knee_, state.q[knee_[other]]);

  // Events.
  if (was_flight_ && !flight) begin_step(simulator, facing, runner.speed_m_s());
  if (!was_flight_ && flight) {
    ++lift_offs_;
    sum_.lift_off_knee += state.q[knee_[other]];
    sum_.lift_off_thigh += pitch + state.q[hip_[other]];
  }
  was_flight_ = flight;
  look_at_feet(simulator, runner, facing);
}

// Feet that bear should stand, those in the air clear the ground, and the one that lands go back with it.
void RunMeter::look_at_feet(const Simulator& simulator, const Runner& runner, const Quat& facing) {
  const Character& c = simulator.character();
  const auto foot = [&](int leg) { return c.find(leg == 0 ? Part::kLeftFoot : Part::kRightFoot); };
  const int free_foot = foot(1 - runner.leg());
  const int free_toes = c.find(runner.leg() == 0 ? Part::kRightToes : Part::kLeftToes);
  double load = 0, slide = 0;
  bool scuffs = false;
  for (const Contact& contact : simulator.contacts()) {
    if (contact.world_shape < 0 || contact.force_W.z() <= 0) continue;
    const Vec3 v = bodies_.velocity(contact.body, contact.p_W);
    slide += contact.force_W.z() * std::hypot(v.x(), v.y());
    load += contact.force_W.z();
    scuffs = scuffs || contact.body == free_foot || contact.body == free_toes;
  }
  sum_.slide += slide;
  load_ += load;
  if (load > 0) sum_.skid += slide / load * simulator.step_s();
  if (scuffs) sum_.scuff += simulator.step_s();

  // The sole under the ankle, for the touchdown that the next look may find.
  const Vec3 ankle = bodies_.X_WB(foot(runner.leg())).p;
  foot_speed_ = (facing * bodies_.velocity(foot(runner.leg()), Vec3(ankle.x(), ankle.y(), 0))).x();
}

// A touchdown ends a step and begins the next.
void RunMeter::begin_step(const Simulator& simulator, const Quat& facing, double asked_m_s) {
  const double now_s = simulator.state().time_s;
  const Vec3 p = bodies_.p_WC();
  if (last_touch_s_ >= 0) {
    const double over_s = now_s - last_touch_s_;
    const Vec3 went = p - touch_p_;
    const double speed = std::hypot(went.x(), went.y()) / over_s;
    ++steps_;
    travelled_m_ += speed * over_s;
    sum_.speed_error2 += (speed - asked_m_s) * (speed - asked_m_s);
    const double side = (facing * went).y() / over_s;
    sum_.side_speed2 += side * side;
    sum_.peak_force += step_peak_;
    sum_.most_knee += step_most_knee_;
    const Character& c = simulator.character();
    const Vec3 between = bodies_.X_WB(c.find(Part::kLeftFoot)).p - bodies_.X_WB(c.find(Part::kRightFoot)).p;
    sum_.landing_speed += std::abs(foot_speed_);
    sum_.foot_gap += (facing * between).y();
  }
  if (last_touch_s_ < 0) first_touch_s_ = now_s;
  last_touch_s_ = now_s;
  touch_p_ = p;
  step_peak_ = step_most_knee_ = 0;
}

Gait RunMeter::gait() const {
  Gait out;
  if (steps_ < 2) return out;
  out.step_length_m = travelled_m_ / static_cast<double>(steps_);
  out.stance_fraction = stance_s_ / measured_s_;
  out.steps_per_s = static_cast<double>(steps_) / (last_touch_s_ - first_touch_s_);
  out.speed_m_s = out.step_length_m * out.steps_per_s;
  out.peak_ground_force_bw = peak_;
  return out;
}

RunMeter::Style RunMeter::style() const {
  Style out = sum_;
  const double looks = std::max(1.0, static_cast<double>(looks_));
  const double steps = std::max(1.0, static_cast<double>(steps_));
  const double lifts = std::max(1.0, static_cast<double>(lift_offs_));
  const double pitch = pitch_sum_ / looks;
  out.tilt2 = out.tilt2 / looks + std::max(0.0, pitch2_sum_ / looks - pitch * pitch);
  const auto joints = static_cast<double>(character_.nv() - kRoot);
  out.effort /= looks * joints;
  out.saturation /= looks * joints;
  out.height /= looks;
  out.pitch /= looks;
  out.arms /= std::max(1e-9, thighs2_sum_);
  out.head_acceleration2 /= looks;
  for (double* of_step : {&out.speed_error2, &out.side_speed2, &out.peak_force, &out.most_knee, &out.foot_gap,
                          &out.landing_speed, &out.skid, &out.scuff})
    *of_step /= steps;
  out.slide /= std::max(1.0, load_);
  out.lift_off_knee /= lifts;
  out.lift_off_thigh /= lifts;
  return out;
}

}  // namespace sinew

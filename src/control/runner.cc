#include "control/runner.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.h"

namespace sinew {

namespace {

constexpr double kGravity = 9.81;
// Touching for less than this is no stance, and floating for less no flight; s for the man's legs of 0.75 m.
constexpr double kBounce_s = 0.04;
constexpr double kLift_s = 0.01;         // without any touch for so long a stance is over
constexpr double kLoadSmooth_s = 0.005;  // within which the load on the leg is averaged
constexpr double kFullLoad_bw = 0.4;     // that a leg bears before its hip may turn the pelvis with all force
constexpr double kMostTooFast_m_s = 1.2;  // that a single step makes up for
constexpr double kMostSpeedError_m_s = 0.8;
constexpr double kRecall_s = 0.1;       // how much less far the foot lands for a remembered m/s too slow
constexpr double kSpeedUp_m_s2 = 0.6;   // how fast the speed follows what is asked for
constexpr double kTurnIn_m_s3 = 0.5;    // and the pull of a turn, speed times rate
constexpr double kStepYaw_rad = 0.12;   // that steps give the pelvis by themselves
constexpr double kStride = 0.3;         // how far before the hip a foot lands, in lengths of the leg
constexpr double kSoonest_s = 0.03;     // within which a swing gets where it should have been
constexpr double kMostPull_m_s2 = 1.4;  // of a turn; a tighter one is run more slowly

int require_joint(const Character& c, const std::string& name) {
  const int joint = find_joint(c, name);
  if (joint < 0 || c.joints[static_cast<size_t>(joint)].type != JointType::kHinge)
    throw Error("the character '" + c.name + "' has no hinge " + name +
                "; a run needs the joints of the character 'man'");
  return joint;
}

// From 0 to 1 without a jerk at the ends.
double smooth(double x) {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

// How long something that rises at `v` takes until it is `fall_m` lower.
double until_lower(double fall_m, double v) {
  return (v + std::sqrt(std::max(v * v + 2 * kGravity * fall_m, 0.0))) / kGravity;
}

double side_of(int leg) { return leg == 0 ? 1.0 : -1.0; }

}  // namespace

struct Runner::Now {
  explicit Now(const State& s) : state(s) {}
  const State& state;
  double in_state_s = 0;
  Mat3 R_HW = Mat3::Identity();         // world to heading
  Vec3 v_H = Vec3::Zero();              // velocity of the centre of mass, in the heading frame
  double pitch = 0, roll = 0, yaw = 0;  // of the pelvis against the heading
  double pitch_rate = 0;
  double speed_off = 0;  // m/s above the speed that the parameters are for
  double time_unit = 1;  // of this body against the man's
  double dt = 0;         // s since the last step of the simulation
};

Runner::Runner(const Character& character, const RunParameters& parameters, const RunCommand& command)
    : character_(character), p_(parameters), order_(command), bodies_(character) {
  for (int side = 0; side < 2; ++side) {
    const std::string s = side == 0 ? "left_" : "right_";
    const auto joint = [&](const char* name) { return require_joint(character, s + name); };
    Leg& leg = legs_[static_cast<size_t>(side)];
    leg = {joint("hip"),
           joint("hip_tilt"),
           joint("hip_twist"),
           joint("knee"),
           joint("ankle"),
           joint("ankle_tilt"),
           joint("toes"),
           0,
           0};
    leg.thigh = character.joints[static_cast<size_t>(leg.hip)].body;
    leg.foot = character.joints[static_cast<size_t>(leg.ankle)].body;
    arms_[static_cast<size_t>(side)] = {joint("shoulder"), joint("shoulder_tilt"), joint("shoulder_twist"),
                                        joint("elbow"), joint("wrist")};
  }
  const std::array<const char*, 3> kinds{"", "_tilt", "_twist"};
  for (size_t k = 0; k < 3; ++k) {
    waist_[k] = require_joint(character, std::string("waist") + kinds[k]);
    neck_[k] = require_joint(character, std::string("neck") + kinds[k]);
  }

  // Shapes of a foot behind its ankle are the heel; those before it, and the toes, the metatarsus.
  heel_shape_.assign(character.shapes.size(), 0);
  metatarsus_shape_ = heel_shape_;
  for (size_t i = 0; i < character.shapes.size(); ++i) {
    const Shape& shape = character.shapes[i];
    const Part part = character.bodies[static_cast<size_t>(shape.body)].part;
    const bool foot = part == Part::kLeftFoot || part == Part::kRightFoot;
    const bool toes = part == Part::kLeftToes || part == Part::kRightToes;
    heel_shape_[i] = foot && shape.X_BS.p.x() < 0;
    metatarsus_shape_[i] = toes || (foot && shape.X_BS.p.x() >= 0);
  }
  reshape(character, parameters);
}

void Runner::reshape(const Character& character, const RunParameters& parameters) {
  character_ = character;
  p_ = parameters;
  const auto body = [&](int joint) -> const Body& {
    return character_.bodies[static_cast<size_t>(character_.joints[static_cast<size_t>(joint)].body)];
  };
  thigh_m_ = body(legs_[0].knee).X_PB.p.norm();
  shin_m_ = body(legs_[0].ankle).X_PB.p.norm();
  weight_N_ = character_.mass_kg() * kGravity;

  // The shin hangs straight, with the foot at its end.
  const double foot_kg = body(legs_[0].ankle).mass_kg + body(legs_[0].toes).mass_kg;
  const auto link = [&](const Body& b, double hangs_kg, double length, double& moment, double& inertia) {
    const double c = b.p_BC.norm();
    moment = b.mass_kg * c + hangs_kg * length;
    inertia = b.I_C(1, 1) + b.mass_kg * c * c + hangs_kg * length * length;
  };
  link(body(legs_[0].knee), foot_kg, shin_m_, shin_moment_, shin_inertia_);
  link(body(legs_[0].hip), body(legs_[0].knee).mass_kg + foot_kg, thigh_m_, thigh_moment_, thigh_inertia_);
}

double Runner::at(const Now& now, int joint) const {
  return now.state.q[character_.joints[static_cast<size_t>(joint)].q];
}

void Runner::servo(int joint, double target, double rate, double kp, double kd, Command& command) const {
  const Joint& j = character_.joints[static_cast<size_t>(joint)];
  command.q_target[j.q] = target;
  command.v_target[j.v] = rate;
  command.kp[j.v] = kp;
  command.kd[j.v] = kd;
  if (j.torque_limit[0] > 0) command.limit[j.v] = j.torque_limit[0];  // the body may have changed
  command.torque[j.v] = 0;
}

Runner::Touch Runner::touch(const Observation& now, int leg) const {
  Touch out;
  const Leg& l = legs_[static_cast<size_t>(leg)];
  const int toes = character_.joints[static_cast<size_t>(l.toes)].body;
  for (const Contact& contact : now.contacts) {
    if (contact.body != l.foot && contact.body != toes) continue;
    if (contact.world_shape < 0 || contact.force_W.z() <= 0) continue;
    out.heel = out.heel || heel_shape_[static_cast<size_t>(contact.shape)];
    out.metatarsus = out.metatarsus || metatarsus_shape_[static_cast<size_t>(contact.shape)];
  }
  return out;
}

// What a leg bears, in body weights.
double Runner::load_bw(const Observation& now, int leg) const {
  const Leg& l = legs_[static_cast<size_t>(leg)];
  const int toes = character_.joints[static_cast<size_t>(l.toes)].body;
  double force_N = 0;
  for (const Contact& contact : now.contacts)
    if ((contact.body == l.foot || contact.body == toes) && contact.world_shape >= 0)
      force_N += contact.force_W.z();
  return force_N / weight_N_;
}

// How far the hip of a leg is before its ankle, m.
double Runner::passed(const Now& now, int index) const {
  const auto& leg = legs_[static_cast<size_t>(index)];
  return (now.R_HW * (bodies_.X_WB(leg.thigh).p - bodies_.X_WB(leg.foot).p)).x();
}

// What the step brought is known now.
void Runner::touch_down(const Now& now) {
  if (s_.steps > 0) s_.flight_s = 0.5 * (s_.flight_s + now.in_state_s);
  const double step_s = now.state.time_s - s_.landed_s;
  if (s_.steps > 1 && step_s > 0) {
    const double off = s_.speed - s_.travelled_m / step_s;
    s_.too_slow_m_s =
        std::clamp(s_.too_slow_m_s + p_.speed_integral * off, -kMostSpeedError_m_s, kMostSpeedError_m_s);
  }
  s_.travelled_m = 0;
  s_.landed_s = now.state.time_s;
  ++s_.steps;
  s_.since_s = now.state.time_s;
  s_.knee_from_s = s_.ankle_from_s = -1;
}

// The machine: contacts of the leg that is or comes to the ground decide.
void Runner::switch_state(const Now& now, const Observation& observation) {
  const Touch here = touch(observation, s_.leg);
  const bool any = here.heel || here.metatarsus;
  if (any) s_.touched_s = now.state.time_s;
  if (s_.phase == RunPhase::kFlight) {
    if (!any || now.in_state_s < kBounce_s * now.time_unit) return;
    s_.before = {s_.since_s, s_.flight_s};
    touch_down(now);
  } else if (!any) {
    if (now.in_state_s <= kBounce_s * now.time_unit ||
        now.state.time_s - s_.touched_s <= kLift_s * now.time_unit)
      return;
    begin_swing(now, s_.leg);
    s_.phase = RunPhase::kFlight;
    if (passed(now, s_.leg) < 0 && now.in_state_s < s_.stance_s) {
      // The foot only bounced, before the hip: it is still to land.
      s_.since_s = s_.before[0];
      s_.flight_s = s_.before[1];
      return;
    }
    // Lift-off: the other leg is next. Left and right steps are one gait: the mean of both counts.
    s_.stance_s = 0.5 * (s_.stance_s + s_.touched_s - s_.since_s);
    s_.leg = 1 - s_.leg;
    s_.since_s = now.state.time_s;
    return;
  }
  s_.phase = here.heel && here.metatarsus ? RunPhase::kHeelMetatarsus
             : here.heel                  ? RunPhase::kHeel
                                          : RunPhase::kMetatarsus;
}

// Speed and turn go towards what is asked for, no faster than a runner can; too tight a bend keeps its
// radius.
void Runner::follow_order(double dt) {
  const double pull = std::abs(order_.speed_m_s * order_.turn_rate);
  const double slower = pull > kMostPull_m_s2 ? std::sqrt(kMostPull_m_s2 / pull) : 1.0;
  const double speed_step = kSpeedUp_m_s2 * dt;
  const double turn_step = kTurnIn_m_s3 / std::max(s_.speed, 0.1) * dt;
  s_.speed += std::clamp(slower * order_.speed_m_s - s_.speed, -speed_step, speed_step);
  s_.turn_rate += std::clamp(slower * order_.turn_rate - s_.turn_rate, -turn_step, turn_step);
}

void Runner::act(const Observation& observation, Command& command) {
  const State& state = observation.state;
  bodies_.update(character_, state);
  Now now{state};
  now.time_unit = std::sqrt((thigh_m_ + shin_m_) / kManLeg_m);
  bool begins = false;
  if (!s_.started) {
    // A run begins amid a flight.
    s_.started = begins = true;
    s_.since_s = state.time_s - 0.5 * p_.flight;
    s_.last_s = state.time_s;
    s_.speed = std::hypot(bodies_.v_WC().x(), bodies_.v_WC().y());
    s_.heading = s_.speed > 0 ? std::atan2(bodies_.v_WC().y(), bodies_.v_WC().x()) : 0;
    s_.touched_s = s_.landed_s = state.time_s;
    s_.stance_s = 0.165 * now.time_unit;
    s_.flight_s = 0.15 * now.time_unit;
  }
  const double dt = now.dt = state.time_s - s_.last_s;
  s_.last_s = state.time_s;
  follow_order(dt);
  s_.heading += s_.turn_rate * dt;

  // How it stands and moves, seen along the heading.
  now.R_HW = Eigen::AngleAxisd(-s_.heading, Vec3::UnitZ()).toRotationMatrix();
  now.v_H = now.R_HW * bodies_.v_WC();
  s_.travelled_m += now.v_H.x() * dt;
  const Mat3 R = now.R_HW * bodies_.X_WB(0).q.toRotationMatrix();
  now.yaw = std::atan2(R(1, 0), R(0, 0));
  now.pitch = std::asin(std::clamp(-R(2, 0), -1.0, 1.0));
  now.roll = std::atan2(R(2, 1), R(2, 2));
  now.pitch_rate = (now.R_HW * bodies_.w_WB(0)).y();
  now.speed_off = s_.speed - p_.speed;
  now.in_state_s = state.time_s - s_.since_s;
  const double smoothing = std::min(1.0, dt / (kLoadSmooth_s * now.time_unit));
  s_.load_bw += smoothing * (load_bw(observation, s_.leg) - s_.load_bw);
  if (begins)
    for (int leg = 0; leg < 2; ++leg) begin_swing(now, leg);
  switch_state(now, observation);
  now.in_state_s = state.time_s - s_.since_s;

  trunk_and_arms(now, command);
  if (s_.phase == RunPhase::kFlight) {
    const Landing first = landing(now, s_.leg), then = landing(now, 1 - s_.leg);
    const double hip_m = bodies_.X_WB(legs_[static_cast<size_t>(s_.leg)].thigh).p.z();
    const double left_s = until_lower(hip_m - first.height_m, bodies_.v_WC().z());
    swing_leg(now, s_.leg, first, left_s, command);
    swing_leg(now, 1 - s_.leg, then, left_s + s_.stance_s + s_.flight_s, command);
    hold_pelvis(now, command);
  } else {
    stance_leg(now, command);
    const double left_s = std::max(s_.stance_s - now.in_state_s, 0.0) + s_.flight_s;
    swing_leg(now, 1 - s_.leg, landing(now, 1 - s_.leg), left_s, command);
    attitude(now, command);
  }
}

// The foot lands where the step brings speed and balance, and goes back with the ground as it touches.
Runner::Landing Runner::landing(const Now& now, int index) const {
  const auto& leg = legs_[static_cast<size_t>(index)];
  const Vec3 hip_H = now.R_HW * (bodies_.X_WB(leg.thigh).p - bodies_.p_WC());

  // The neutral point is half a stance ahead.
  const double v = now.v_H.x();
  const double most = kMostTooFast_m_s * now.time_unit;
  const double ahead = 0.5 * v * s_.stance_s + p_.reach + p_.reach_speed * now.speed_off +
                       p_.placement * std::clamp(v - s_.speed, -most, most) -
                       kRecall_s * now.time_unit * s_.too_slow_m_s;

  // Where the foot shall be under the hip, as angles of the straight line from hip to ankle.
  Landing out;
  out.knee = p_.landing_knee;
  const double sine = shin_m_ * std::sin(out.knee), cosine = thigh_m_ + shin_m_ * std::cos(out.knee);
  out.line_m = std::hypot(sine, cosine);
  const double forward = std::asin(std::clamp((ahead - hip_H.x()) / out.line_m, -0.8, 0.8));
  const double below = out.line_m * std::cos(forward);
  out.thigh = -(forward + std::atan2(sine, cosine));
  out.back_rate = p_.retraction * v / below;
  out.height_m = below + character_.q_rest[2] - (thigh_m_ + shin_m_);
  return out;
}

// A leg that leaves the ground swings on from where it is; its knee has thrust and shall fold.
void Runner::begin_swing(const Now& now, int index) {
  const auto& leg = legs_[static_cast<size_t>(index)];
  const auto rate = [&](int joint) { return now.state.v[character_.joints[static_cast<size_t>(joint)].v]; };
  s_.swing[static_cast<size_t>(index)] = {{now.pitch + at(now, leg.hip), now.pitch_rate + rate(leg.hip)},
                                          {at(now, leg.knee), std::max(rate(leg.knee), 0.0)}};
}

// The leg in the air, `left_s` before it touches down. The knee folds and is extended in time; the thigh
// comes to rest before the body, and has the speed of the ground when it is where it shall land.
void Runner::swing_leg(const Now& now, int index, const Landing& landing, double left_s, Command& command) {
  const auto& leg = legs_[static_cast<size_t>(index)];
  const auto lead = [&](Course& course, double to, double rate, double within_s) {
    // What should have come already goes on as it was to come.
    const double soonest = kSoonest_s * now.time_unit;
    if (within_s < soonest) {
      to += rate * (soonest - std::max(within_s, -soonest));
      within_s = soonest;
    }
    const double a = 6 * (to - course.q) / (within_s * within_s) - (4 * course.v + 2 * rate) / within_s;
    course.v += a * now.dt;
    course.q += course.v * now.dt;
    return a;
  };
  Swing& swing = s_.swing[static_cast<size_t>(index)];
  const double rest = landing.thigh - p_.lead_hip - 0.5 * landing.back_rate * p_.retract_time;
  const bool forwards = left_s > p_.retract_time, folds = left_s > p_.fold_time;
  const double thigh_a = forwards ? lead(swing.thigh, rest, 0, left_s - p_.retract_time)
                                  : lead(swing.thigh, landing.thigh, landing.back_rate, left_s);
  const double fold = p_.fold_knee + p_.fold_knee_speed * now.speed_off;
  const double knee_a = folds ? lead(swing.knee, fold, 0, left_s - p_.fold_time)
                              : lead(swing.knee, landing.knee, 0, left_s - p_.extend_time);

  servo(leg.hip, swing.thigh.q - now.pitch, swing.thigh.v - now.pitch_rate, p_.swing_hip_kp, p_.swing_hip_kd,
        command);
  servo(leg.knee, swing.knee.q, swing.knee.v, p_.swing_knee_kp, p_.swing_knee_kd, command);
  servo(leg.hip_twist, -side_of(index) * now.yaw, 0, p_.swing_twist_kp, p_.swing_twist_kd, command);
  bear_swing(index, thigh_a, knee_a, command);
  if (folds)
    hang(now, index, command);
  else {
    aim_sideways(now, index, landing.line_m, command);
    free_foot(now, index, p_.landing_foot, command);
  }
}

// What the swing itself asks of hip and knee: the leg as two links that hang on a hip, which falls in the
// flight and is held up by the other leg's load else. Servos bear the rest.
void Runner::bear_swing(int index, double thigh_a, double knee_a, Command& command) const {
  const Swing& swing = s_.swing[static_cast<size_t>(index)];
  const double shin_q = swing.thigh.q + swing.knee.q, shin_v = swing.thigh.v + swing.knee.v;
  const double coupling = thigh_m_ * shin_moment_, sine = std::sin(swing.knee.q),
               cosine = std::cos(swing.knee.q);
  const double g = s_.phase == RunPhase::kFlight ? 0.0 : kGravity * std::max(s_.load_bw, 0.0);
  const double shin = shin_inertia_ * (thigh_a + knee_a) +
                      coupling * (cosine * thigh_a + sine * swing.thigh.v * swing.thigh.v) +
                      g * shin_moment_ * std::sin(shin_q);
  const double thigh = thigh_inertia_ * thigh_a +
                       coupling * (cosine * (thigh_a + knee_a) - sine * shin_v * shin_v) +
                       g * thigh_moment_ * std::sin(swing.thigh.q);
  const auto& leg = legs_[static_cast<size_t>(index)];
  const auto v_of = [&](int joint) { return character_.joints[static_cast<size_t>(joint)].v; };
  command.torque[v_of(leg.knee)] = shin;
  command.torque[v_of(leg.hip)] = thigh + shin;
}

// Where a foot shall land sideways: on its own side of the centre of mass, farther out for speed sideways and
// outside of a bend, whose pull it has to bear. `line` is from hip to ankle, m.
void Runner::aim_sideways(const Now& now, int index, double line, Command& command) const {
  const auto& leg = legs_[static_cast<size_t>(index)];
  const double side = side_of(index);
  const double pull = p_.side_lean * s_.turn_rate * s_.speed / kGravity * (thigh_m_ + shin_m_);
  const double aside = side * p_.side + p_.side_placement * now.v_H.y() - pull;
  const double hip = (now.R_HW * (bodies_.X_WB(leg.thigh).p - bodies_.p_WC())).y();
  // A pelvis that a push has turned carries what is before it to the side.
  const bool lands = s_.phase == RunPhase::kFlight;
  const double yaw = now.yaw - std::clamp(now.yaw, -kStepYaw_rad, kStepYaw_rad);
  const double carried = lands ? kStride * (thigh_m_ + shin_m_) * std::sin(yaw) : 0.0;
  const double outward = std::asin(std::clamp((aside - hip - carried) / line, -0.5, 0.5));
  servo(leg.hip_tilt, side * (outward - now.roll), 0, p_.swing_tilt_kp, p_.swing_tilt_kd, command);
}

// A foot in the air keeps its pitch against the ground; it does not roll.
void Runner::free_foot(const Now& now, int index, double pitch, Command& command) const {
  const auto& leg = legs_[static_cast<size_t>(index)];
  const double level = pitch - (now.pitch + at(now, leg.hip) + at(now, leg.knee));
  const Joint& ankle = character_.joints[static_cast<size_t>(leg.ankle)];
  servo(leg.ankle, std::clamp(level, ankle.lower[0], ankle.upper[0]), 0, p_.swing_ankle_kp, p_.swing_ankle_kd,
        command);
  const double roll = side_of(index) * now.roll + at(now, leg.hip_tilt);
  servo(leg.ankle_tilt, -roll, 0, p_.swing_ankle_kp, p_.swing_ankle_kd, command);
  servo(leg.toes, 0, 0, p_.toes_kp, p_.toes_kd, command);
}

// A leg that folds hangs down; in a bend aslant as the other one stands, or it would hit that.
void Runner::hang(const Now& now, int index, Command& command) const {
  const auto& leg = legs_[static_cast<size_t>(index)];
  const double outward = -std::atan(s_.turn_rate * s_.speed / kGravity);
  servo(leg.hip_tilt, side_of(index) * (outward - now.roll), 0, p_.swing_tilt_kp, p_.swing_tilt_kd, command);
  servo(leg.ankle, p_.swing_foot, 0, p_.swing_ankle_kp, p_.swing_ankle_kd, command);
  servo(leg.ankle_tilt, 0, 0, p_.swing_ankle_kp, p_.swing_ankle_kd, command);
  servo(leg.toes, 0, 0, p_.toes_kp, p_.toes_kd, command);
}

// Knee and ankle are springs that give, and then extend: thrust. It begins once the metatarsus bears and the
// hip is far enough before the foot; short flights ask for more of it.
void Runner::stance_leg(const Now& now, Command& command) {
  const auto& leg = legs_[static_cast<size_t>(s_.leg)];
  const double by_m = passed(now, s_.leg);
  const double later = p_.trigger_speed * now.speed_off;
  const bool metatarsus = s_.phase != RunPhase::kHeel;
  if (metatarsus && s_.knee_from_s < 0 && by_m > p_.knee_trigger + later) s_.knee_from_s = now.state.time_s;
  if (metatarsus && s_.ankle_from_s < 0 && by_m > p_.ankle_trigger + later)
    s_.ankle_from_s = now.state.time_s;
  const auto thrust = [&](double from_s) {
    return from_s < 0 ? 0.0 : smooth((now.state.time_s - from_s) / p_.thrust_time);
  };

  const double more = std::clamp(p_.flight_gain * (p_.flight - s_.flight_s), -0.3, 0.3);
  const double knee = p_.knee_thrust + p_.knee_thrust_speed * now.speed_off - more;
  const double ankle = p_.ankle_thrust + p_.ankle_thrust_speed * now.speed_off + more;
  const double rest = s_.phase == RunPhase::kHeel ? p_.heel_ankle : p_.stance_ankle;
  servo(leg.knee, p_.stance_knee + thrust(s_.knee_from_s) * (knee - p_.stance_knee), 0, p_.knee_kp,
        p_.knee_kd, command);
  const bool heel = s_.phase == RunPhase::kHeel;
  servo(leg.ankle, rest + thrust(s_.ankle_from_s) * (ankle - rest), 0, heel ? 0.2 * p_.ankle_kp : p_.ankle_kp,
        p_.ankle_kd, command);
  servo(leg.ankle_tilt, 0, 0, p_.tilt_kp, p_.tilt_kd, command);
  servo(leg.toes, 0, 0, p_.toes_kp, p_.toes_kd, command);
}

// What the servos of hinges do to the body that they turn.
Vec3 Runner::torque_of(const Now& now, std::span<const int> hinges, const Command& command) const {
  Vec3 torque = Vec3::Zero();
  for (const int j : hinges) {
    const Joint& joint = character_.joints[static_cast<size_t>(j)];
    const double u = command.kp[joint.v] * (command.q_target[joint.q] - now.state.q[joint.q]) +
                     command.kd[joint.v] * (command.v_target[joint.v] - now.state.v[joint.v]) +
                     command.torque[joint.v];
    const double limit = command.limit[joint.v];
    torque += std::clamp(u, -limit, limit) * bodies_.axis_W(j);
  }
  return torque;
}

// In the flight nothing holds the pelvis against the legs' swing but the trunk, which is heavier.
void Runner::hold_pelvis(const Now& now, Command& command) const {
  const Vec3 torque = torque_of(now, hip(0), command) + torque_of(now, hip(1), command);
  for (const int j : waist_)
    command.torque[character_.joints[static_cast<size_t>(j)].v] =
        -p_.trunk_share * torque.dot(bodies_.axis_W(j));
}

// One torque on the pelvis from the hip of the leg on the ground: roll, pitch and yaw to where they should
// be.
void Runner::attitude(const Now& now, Command& command) const {
  const double side = side_of(s_.leg);
  const Vec3 w_H = now.R_HW * bodies_.w_WB(0);
  const double between = at(now, legs_[1].hip) - at(now, legs_[0].hip);  // left thigh ahead: positive
  const double lean = -p_.lean * std::atan(s_.turn_rate * s_.speed / kGravity);
  const double pitch = p_.pitch + p_.pitch_speed * now.speed_off;
  Vec3 torque_H;
  torque_H.x() =
      p_.roll_kp * (lean + side * p_.roll_out - now.roll) - p_.roll_kd * w_H.x() - side * p_.roll_torque;
  torque_H.y() = p_.pitch_kp * (pitch - now.pitch) - p_.pitch_kd * w_H.y();
  torque_H.z() = p_.yaw_kp * (-p_.pelvis_twist * between - now.yaw) + p_.yaw_kd * (s_.turn_rate - w_H.z());
  Vec3 torque = now.R_HW.transpose() * torque_H;

  // What the other leg's swing and the trunk do to the pelvis is borne as well.
  torque += p_.swing_share * torque_of(now, hip(1 - s_.leg), command) +
            p_.waist_share * torque_of(now, waist_, command);

  // A hinge's torque acts on the thigh, and its opposite on the pelvis. A leg that bears little turns little.
  const double bears = std::clamp(s_.load_bw / kFullLoad_bw, 0.0, 1.0);
  for (const int j : hip(s_.leg)) {
    servo(j, at(now, j), 0, 0, 0, command);
    command.torque[character_.joints[static_cast<size_t>(j)].v] = -bears * torque.dot(bodies_.axis_W(j));
  }
}

// The chest turns against the hips, arms oppose the legs of their side, the head looks ahead.
void Runner::trunk_and_arms(const Now& now, Command& command) const {
  const double between = at(now, legs_[1].hip) - at(now, legs_[0].hip);
  servo(waist_[0], p_.waist_pitch, 0, p_.waist_kp, p_.waist_kd, command);
  servo(waist_[1], 0, 0, p_.waist_kp, p_.waist_kd, command);
  servo(waist_[2], p_.waist_twist * between, 0, p_.waist_kp, p_.waist_kd, command);
  servo(neck_[0], -now.pitch - p_.waist_pitch, 0, p_.neck_kp, p_.neck_kd, command);
  servo(neck_[1], 0, 0, p_.neck_kp, p_.neck_kd, command);
  servo(neck_[2], -at(now, waist_[2]) - now.yaw, 0, p_.neck_kp, p_.neck_kd, command);
  for (size_t i = 0; i < 2; ++i) {
    const Arm& arm = arms_[i];
    const double thigh = 0.5 * (at(now, legs_[i].hip) - at(now, legs_[1 - i].hip));
    servo(arm.shoulder, p_.arm_middle - p_.arm_swing * thigh, 0, p_.shoulder_kp, p_.shoulder_kd, command);
    servo(arm.shoulder_tilt, p_.arm_out, 0, p_.shoulder_kp, p_.shoulder_kd, command);
    servo(arm.shoulder_twist, 0, 0, p_.shoulder_kp, p_.shoulder_kd, command);
    servo(arm.elbow, p_.elbow, 0, p_.elbow_kp, p_.elbow_kd, command);
    servo(arm.wrist, 0, 0, p_.wrist_kp, p_.wrist_kd, command);
  }
}

void Runner::target(double, VecX& q) const { q.resize(0); }

void Runner::save(std::vector<double>& into) const {
  static_assert(std::is_trivially_copyable_v<Memory>);
  into.assign((sizeof(Memory) + sizeof(double) - 1) / sizeof(double), 0.0);
  std::memcpy(into.data(), &s_, sizeof(Memory));
}

void Runner::restore(const std::vector<double>& from) {
  if (from.size() * sizeof(double) < sizeof(Memory)) throw Error("this is no saved runner");
  std::memcpy(static_cast<void*>(&s_), from.data(), sizeof(Memory));
}

State run_start(const Character& character, const RunParameters& p, const RunCommand& command) {
  State state;
  state.q = character.q_rest;
  state.v = VecX::Zero(character.nv());
  const auto set = [&](const std::string& name, double angle) {
    state.q[character.joints[static_cast<size_t>(require_joint(character, name))].q] = angle;
  };
  // The left leg is about to reach forwards, the right one has left the ground.
  set("left_hip", -0.75);
  set("left_knee", 0.5);
  set("right_hip", 0.3 - p.pitch);
  set("right_knee", 0.5);
  set("right_ankle", 0.3);
  for (const std::string side : {"left_", "right_"}) {
    set(side + "elbow", p.elbow);
    set(side + "shoulder_tilt", p.arm_out);
  }
  set("left_shoulder", 0.5 * p.arm_swing);
  set("right_shoulder", -0.5 * p.arm_swing);
  state.q.segment<4>(3) << std::cos(0.5 * p.pitch), 0, std::sin(0.5 * p.pitch), 0;

  // At the top of the flight the straight foot is as far above the ground as half a flight falls.
  state.q[2] += kGravity * p.flight * p.flight / 8 - 0.02 * character.q_rest[2];
  state.v[0] = command.speed_m_s;
  return state;
}

}  // namespace sinew

// A simulator from outside, as small as one can be: the equations of motion in joint coordinates, with
// everything that pushes (servos, joint limits, ground) as a spring and a damper taken implicitly, so that
// one linear solve makes the next velocities. It knows planes and boxes that stand still and no props, and
// its limbs pass through each other. docs/plugins.md tells how it becomes a plug-in.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "character/dynamics.h"
#include "sim/plugin.h"
#include "sim/touching.h"

namespace {

using namespace sinew;

// Points that stand for a shape: balls of a radius, in the body's frame.
struct SamplePoint {
  int shape = 0;
  Vec3 p_B = Vec3::Zero();
  double radius = 0;
};

std::vector<SamplePoint> sample_points(const Character& character) {
  std::vector<SamplePoint> out;
  for (size_t i = 0; i < character.shapes.size(); ++i) {
    const Shape& shape = character.shapes[i];
    if (!shape.collides) continue;
    const Vec3& s = shape.size;
    const auto add = [&](const Vec3& p_S, double radius) {
      out.push_back({static_cast<int>(i), shape.X_BS * p_S, radius});
    };
    switch (shape.type) {
      case ShapeType::kSphere:
        add(Vec3::Zero(), s[0]);
        break;
      case ShapeType::kCapsule:
        for (const double end : {-s[1], s[1]}) add(Vec3(0, 0, end), s[0]);
        break;
      case ShapeType::kMesh:
        for (const Vec3& p : shape.vertices) add(p, 0);
        break;
      case ShapeType::kEllipsoid:
        for (int k = 0; k < 3; ++k)
          for (const double side : {-s[k], s[k]}) add(Vec3::Unit(k) * side, 0);
        break;
      default: {
        // The corners of a box, or of the box around a cylinder.
        const Vec3 half = shape.type == ShapeType::kCylinder ? Vec3(s[0], s[0], s[1]) : s;
        for (int k = 0; k < 8; ++k)
          add(half.cwiseProduct(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)), 0);
      }
    }
  }
  return out;
}

// How deep a ball is in a surface, and the way out.
struct Overlap {
  double depth = 0;
  Vec3 normal_W = Vec3::UnitZ();
};

Overlap overlap(const Shape& surface, const Vec3& p_W, double radius) {
  const Vec3 p = surface.X_BS.inverse() * p_W;
  if (surface.type == ShapeType::kPlane) return {radius - p.z(), surface.X_BS.q * Vec3::UnitZ()};
  const Vec3 out = p - p.cwiseMax(-surface.size).cwiseMin(surface.size);
  if (out.norm() > 0) return {radius - out.norm(), surface.X_BS.q * out.normalized()};
  // Inside a box: through the nearest face.
  int k = 0;
  const double inside = (surface.size - p.cwiseAbs()).minCoeff(&k);
  return {radius + inside, surface.X_BS.q * (Vec3::Unit(k) * (p[k] < 0 ? -1 : 1))};
}

// A ball in the ground: what the step needs of it.
struct Touch {
  Contact contact;
  double friction = 0;
  Eigen::Matrix3Xd J;  // velocity of the point
  bool pulls = false;  // would have to pull: left out
};

// A spring and damper along one coordinate: force = stiffness * stretch - damping * v, the stretch and v as
// they are after the step, cut to [-limit, limit].
struct Spring {
  int v = 0;
  double stiffness = 0, damping = 0, stretch = 0, constant = 0;
  double limit = std::numeric_limits<double>::infinity();
  bool servo = false;
  int cut = 0;  // -1, +1: at its limit

  double force(double h, double v_next) const {
    if (cut != 0) return cut * limit;
    return stiffness * (stretch - h * v_next) - damping * v_next + constant;
  }
};

class SpringSimulator final : public Simulator {
 public:
  SpringSimulator(const Character& character, const World& world, const SimulatorOptions& options)
      : world_(world), step_s_(options.step_s > 0 ? options.step_s : 0.001) {
    if (!world.props.empty()) throw std::runtime_error("the spring simulator has no props");
    for (const WorldShape& surface : world.shapes)
      if (surface.shape.type != ShapeType::kPlane && surface.shape.type != ShapeType::kBox)
        throw std::runtime_error("the spring simulator knows only planes and boxes");
    adopt(character);
    state_ = standing_state(character, world);
    torques_ = VecX::Zero(character.nv());
  }

  std::string engine() const override { return "spring"; }
  const Character& character() const override { return character_; }
  const World& world() const override { return world_; }
  double step_s() const override { return step_s_; }
  const State& state() const override { return state_; }
  std::span<const Contact> contacts() const override { return contacts_; }
  const VecX& torques() const override { return torques_; }
  Momentum momentum_rate() const override { return momentum_rate_; }
  void add_force(const ExternalForce& force) override { forces_.push_back(force); }
  PropState prop(int) const override { return {}; }
  void set_prop(int, const PropState&) override {}
  std::unique_ptr<Simulator> clone() const override { return std::make_unique<SpringSimulator>(*this); }
  void reshape(const Character& character) override { adopt(character); }

  void set_state(const State& state) override {
    forget_last_step();
    state_ = state;
    diverged_ = false;
  }

  void save(Snapshot& into) const override {
    into.clear();
    into.insert(into.end(), {state_.time_s, diverged_ ? 1.0 : 0.0});
    into.insert(into.end(), state_.q.begin(), state_.q.end());
    into.insert(into.end(), state_.v.begin(), state_.v.end());
  }
  void restore(const Snapshot& from) override {
    forget_last_step();
    state_.time_s = from[0];
    diverged_ = from[1] != 0;
    state_.q = VecX::Map(from.data() + 2, state_.q.size());
    state_.v = VecX::Map(from.data() + 2 + state_.q.size(), state_.v.size());
  }

  StepStatus step(const Command& command) override {
    if (diverged_) return StepStatus::kDiverged;
    const Kinematics at = forward_kinematics(character_, state_.q);
    std::vector<Touch> touches = find_touches(at);
    std::vector<Spring> springs = servos(command);
    add_passive_springs(springs);

    // M v' = M v + h (all forces), the springs among them at v'.
    const MatX M = mass_matrix(character_, state_.q);
    add_limits(M, springs);
    VecX free = M * state_.v;
    free -=
        step_s_ * inverse_dynamics(character_, state_.q, state_.v, VecX::Zero(free.size()), world_.gravity);
    for (const ExternalForce& force : forces_)
      free += step_s_ * (point_jacobian(character_, at, force.body, force.p_W).transpose() * force.force_W +
                         turn_jacobian(at, force.body).transpose() * force.torque_W);
    forces_.clear();

    // Solved again while a servo proves too weak or a contact would pull, and for friction's slip speed.
    VecX v = state_.v;
    for (int pass = 0; pass < 40; ++pass) {
      v = solve(M, free, touches, springs, v);
      if (!v.allFinite()) break;
      const bool changed = revise(touches, springs, v);
      if (!changed && pass >= 4) break;
    }
    return advance(v, touches, springs);
  }

 private:
  void forget_last_step() {
    contacts_.clear();
    forces_.clear();
    torques_.setZero();
    momentum_rate_ = {};
  }

  void adopt(const Character& character) {
    character_ = character;
    points_ = sample_points(character);
    // The whole weight on one point presses it in by a millimetre.
    contact_stiffness_ = character.mass_kg() * 9.81 / 0.001;
    contact_damping_ = contact_stiffness_ * 0.005;
  }

  std::vector<Touch> find_touches(const Kinematics& at) const {
    std::vector<Touch> touches;
    for (const SamplePoint& point : points_) {
      const Shape& shape = character_.shapes[static_cast<size_t>(point.shape)];
      const Vec3 p_W = at.X_WB[static_cast<size_t>(shape.body)] * point.p_B;
      for (size_t i = 0; i < world_.shapes.size(); ++i) {
        const WorldShape& surface = world_.shapes[i];
        if (!surface.shape.collides) continue;
        const Overlap found = overlap(surface.shape, p_W, point.radius);
        if (found.depth <= 0) continue;
        Touch touch;
        touch.contact.body = shape.body;
        touch.contact.shape = point.shape;
        touch.contact.world_shape = static_cast<int>(i);
        touch.contact.normal_W = found.normal_W;
        touch.contact.depth_m = found.depth;
        touch.contact.p_W = p_W + found.normal_W * (found.depth / 2 - point.radius);
        touch.friction = sinew::friction(shape, surface);
        touch.J = point_jacobian(character_, at, shape.body, touch.contact.p_W);
        touches.push_back(std::move(touch));
      }
    }
    return touches;
  }

  std::vector<Spring> servos(const Command& command) const {
    std::vector<Spring> springs;
    const VecX stretch = difference(character_, state_.q, command.q_target);
    for (int i = 6; i < character_.nv(); ++i)
      springs.push_back({i, command.kp[i], command.kd[i], stretch[i],
                         command.torque[i] + command.kd[i] * command.v_target[i], command.limit[i], true});
    return springs;
  }

  // Angle of each coordinate from the joint's zero: a rotation vector for ball joints.
  VecX angles() const {
    VecX zero = VecX::Zero(character_.nq());
    for (const Joint& joint : character_.joints)
      if (joint.q_size() > 1) zero[joint.type == JointType::kFree ? joint.q + 3 : joint.q] = 1;
    return difference(character_, zero, state_.q);
  }

  void add_passive_springs(std::vector<Spring>& springs) const {
    const VecX angle = angles();
    for (const Joint& joint : character_.joints)
      if (joint.type != JointType::kFree && (joint.stiffness > 0 || joint.damping > 0))
        for (int i = joint.v; i < joint.v + joint.v_size(); ++i)
          springs.push_back({i, joint.stiffness, joint.damping, -angle[i]});
  }

  void add_limits(const MatX& M, std::vector<Spring>& springs) const {
    constexpr double kTime_s = 0.01;
    const VecX angle = angles();
    for (const Joint& joint : character_.joints) {
      if (!joint.limited) continue;
      for (int k = 0; k < joint.v_size(); ++k) {
        const int i = joint.v + k;
        const double beyond =
            std::max(angle[i] - joint.upper[k], 0.0) + std::min(angle[i] - joint.lower[k], 0.0);
        if (beyond != 0)
          springs.push_back({i, M(i, i) / (kTime_s * kTime_s), 2 * M(i, i) / kTime_s, -beyond});
      }
    }
  }

  Eigen::Matrix3Xd turn_jacobian(const Kinematics& at, int body) const {
    // What turns a body moves a point one metre off more than its origin.
    const Vec3& p = at.X_WB[static_cast<size_t>(body)].p;
    Eigen::Matrix3Xd J(3, character_.nv());
    const Eigen::Matrix3Xd origin = point_jacobian(character_, at, body, p);
    for (int k = 0; k < 3; ++k) {
      const Vec3 arm = Vec3::Unit((k + 1) % 3);
      J.row(k) = (point_jacobian(character_, at, body, p + arm) - origin).row((k + 2) % 3);
    }
    return J;
  }

  // Slower than this friction lets everything creep in proportion.
  static constexpr double kCreep_m_s = 0.002;

  // How much force a touching point gets per velocity (into the matrix) and without any.
  void linearise(const Touch& touch, const VecX& v, Mat3& per_velocity, Vec3& constant) const {
    const Vec3& n = touch.contact.normal_W;
    const Vec3 slip = touch.J * v - n * n.dot(touch.J * v);
    const double normal = std::max(0.0, touch.contact.force_W.dot(n));
    const Mat3 nn = n * n.transpose();
    per_velocity = (contact_damping_ + step_s_ * contact_stiffness_) * nn +
                   touch.friction * normal / std::max(slip.norm(), kCreep_m_s) * (Mat3::Identity() - nn);
    constant = contact_stiffness_ * touch.contact.depth_m * n;
  }

  VecX solve(const MatX& M, const VecX& free, std::vector<Touch>& touches, const std::vector<Spring>& springs,
             const VecX& v_last) const {
    MatX A = M;
    VecX b = free;
    const double h = step_s_;
    for (const Spring& spring : springs) {
      b[spring.v] += h * spring.force(h, 0);
      if (spring.cut == 0) A(spring.v, spring.v) += h * spring.damping + h * h * spring.stiffness;
    }
    std::vector<Mat3> per_velocity(touches.size());
    std::vector<Vec3> constant(touches.size());
    for (size_t i = 0; i < touches.size(); ++i) {
      if (touches[i].pulls) continue;
      linearise(touches[i], v_last, per_velocity[i], constant[i]);
      A.noalias() += h * touches[i].J.transpose() * (per_velocity[i] * touches[i].J);
      b += h * touches[i].J.transpose() * constant[i];
    }
    VecX v = A.llt().solve(b);
    for (size_t i = 0; i < touches.size(); ++i)
      touches[i].contact.force_W =
          touches[i].pulls ? Vec3(Vec3::Zero()) : Vec3(constant[i] - per_velocity[i] * (touches[i].J * v));
    return v;
  }

  // Leaves out what would pull, cuts what is too strong.
  bool revise(std::vector<Touch>& touches, std::vector<Spring>& springs, const VecX& v) const {
    bool changed = false;
    for (Touch& touch : touches)
      if (!touch.pulls && touch.contact.force_W.dot(touch.contact.normal_W) < 0) touch.pulls = changed = true;
    for (Spring& spring : springs) {
      const double force = spring.force(step_s_, v[spring.v]);
      if (spring.cut == 0 && std::abs(force) > spring.limit) {
        spring.cut = force > 0 ? 1 : -1;
        changed = true;
      }
    }
    return changed;
  }

  StepStatus advance(const VecX& v, const std::vector<Touch>& touches, const std::vector<Spring>& springs) {
    const VecX q = integrate(character_, state_.q, v * step_s_);
    constexpr double kTooFast = 1e4, kTooFar = 1e6;
    if (!v.allFinite() || !q.allFinite() || v.cwiseAbs().maxCoeff() > kTooFast ||
        q.cwiseAbs().maxCoeff() > kTooFar) {
      forget_last_step();
      diverged_ = true;
      return StepStatus::kDiverged;
    }

    // What was done in this step, for those who ask.
    const Momentum before = momentum(character_, state_.q, state_.v), after = momentum(character_, q, v);
    momentum_rate_ = {(after.linear - before.linear) / step_s_, (after.angular - before.angular) / step_s_};
    contacts_.clear();
    for (const Touch& touch : touches) contacts_.push_back(touch.contact);
    torques_.setZero();
    for (const Spring& spring : springs)
      if (spring.servo)
        torques_[spring.v] = std::clamp(spring.force(step_s_, v[spring.v]), -spring.limit, spring.limit);
    state_.q = q;
    state_.v = v;
    state_.time_s += step_s_;
    return StepStatus::kOk;
  }

  Character character_;
  World world_;
  double step_s_;
  std::vector<SamplePoint> points_;
  double contact_stiffness_ = 0, contact_damping_ = 0;

  State state_;
  bool diverged_ = false;
  std::vector<ExternalForce> forces_;
  std::vector<Contact> contacts_;
  VecX torques_;
  Momentum momentum_rate_;
};

}  // namespace

extern "C" int sinew_plugin_version() { return sinew::kPluginVersion; }

extern "C" sinew::Simulator* sinew_make_simulator(const sinew::Character& character,
                                                  const sinew::World& world,
                                                  const sinew::SimulatorOptions& options, char* error,
                                                  std::size_t error_size) {
  try {
    return new SpringSimulator(character, world, options);
  } catch (const std::exception& problem) {
    std::snprintf(error, error_size, "%s", problem.what());
    return nullptr;
  }
}

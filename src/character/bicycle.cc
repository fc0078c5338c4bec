#include "character/bicycle.h"

#include <cmath>

#include "core/error.h"

namespace sinew {

namespace {

const Vec4 kPaint(0.16, 0.36, 0.52, 1), kMetal(0.62, 0.65, 0.69, 1), kRubber(0.12, 0.12, 0.13, 1),
    kUnseen(0, 0, 0, 0);
constexpr double kTyreFriction = 0.8;
constexpr int kRimPieces = 24, kSpokes = 8;
// A chain gives by a few degrees under a strong foot: what the cranks alone would do on it, rad/s and share
// of critical damping.
constexpr double kChainRate = 400, kChainDamping = 0.3;

Mat3 diagonal(double x, double y, double z) { return Vec3(x, y, z).asDiagonal(); }

// Builds the tree body by body; positions are those of the bicycle.
class Builder {
 public:
  explicit Builder(const Bicycle& bicycle) : b_(bicycle) {}

  Character build(const std::string& name) {
    c_.name = name;
    add_body(kFrame, -1, b_.saddle, b_.frame, JointType::kFree, Vec3::UnitZ());
    const Vec3 steering(-std::sin(b_.head_tilt_rad), 0, std::cos(b_.head_tilt_rad));
    const Vec3 front_hub(b_.wheel_base_m, 0, b_.front.radius_m), rear_hub(0, 0, b_.rear.radius_m);
    const int fork =
        add_body(kSteering, 0, on_steering_axis(b_.front.radius_m), b_.fork, JointType::kHinge, steering);
    const int front = add_wheel(kFrontWheel, fork, front_hub, b_.front);
    const int rear = add_wheel(kRearWheel, 0, rear_hub, b_.rear);
    draw_frame(rear_hub);
    draw_fork(fork, front_hub);
    draw_wheel(front, b_.front);
    draw_wheel(rear, b_.rear);
    if (b_.crank_m > 0) add_cranks();
    c_.q_rest = VecX::Zero(c_.joints.back().q + c_.joints.back().q_size());
    c_.q_rest.head<3>() = Vec3(0, 0, b_.saddle.z());
    c_.q_rest[3] = 1;
    return std::move(c_);
  }

 private:
  // Where the steering axis is at a height.
  Vec3 on_steering_axis(double z) const {
    return {b_.wheel_base_m + b_.trail_m - z * std::tan(b_.head_tilt_rad), 0, z};
  }

  int add_body(const char* name, int parent, const Vec3& origin, const BicyclePart& part, JointType type,
               const Vec3& axis) {
    const auto index = static_cast<int>(c_.bodies.size());
    Body body;
    body.name = name;
    body.parent = parent;
    body.X_PB.p = parent < 0 ? Vec3(0, 0, origin.z()) : Vec3(origin - origins_[static_cast<size_t>(parent)]);
    body.mass_kg = part.mass_kg;
    body.p_BC = part.p_C - origin;
    body.I_C = part.I_C;
    body.first_joint = static_cast<int>(c_.joints.size());
    body.joint_count = 1;
    Joint joint;
    joint.name = type == JointType::kFree ? "root" : name;
    joint.type = type;
    joint.body = index;
    joint.axis_B = axis;
    if (index > 0) {
      joint.q = c_.joints.back().q + c_.joints.back().q_size();
      joint.v = c_.joints.back().v + c_.joints.back().v_size();
    }
    c_.bodies.push_back(body);
    c_.joints.push_back(joint);
    origins_.push_back(origin);
    return index;
  }

  int add_wheel(const char* name, int parent, const Vec3& hub, const BicycleWheel& wheel) {
    const BicyclePart part{wheel.mass_kg, hub,
                           diagonal(wheel.across_kg_m2, wheel.axle_kg_m2, wheel.across_kg_m2)};
    const int index = add_body(name, parent, hub, part, JointType::kHinge, Vec3::UnitY());
    Shape& tyre =
        add_shape(index, ShapeType::kEllipsoid, Vec3(wheel.radius_m, b_.tyre_m, wheel.radius_m), {}, kUnseen);
    tyre.collides = true;
    tyre.friction = kTyreFriction;
    return index;
  }

  // Both cranks with their axle turn as one; the chain makes the rear wheel follow.
  void add_cranks() {
    const double m = b_.crank_mass_kg, l = b_.crank_m, y = 0.7 * b_.pedal_m;
    const double along = m * l * l / 3, aside = m * y * y;
    const BicyclePart part{m, b_.bracket, diagonal(along + aside, along, aside + 1e-3 * along)};
    const int cranks = add_body(kCranks, 0, b_.bracket, part, JointType::kHinge, Vec3::UnitY());
    for (const double side : {1.0, -1.0}) {
      const Vec3 inner(0, side * y, 0), end(0, side * y, -side * l),
          pedal(0, side * (b_.pedal_m + 0.04), -side * l);
      rod(cranks, inner, end, 0.013, kMetal);
      rod(cranks, end, pedal, 0.016, kRubber);
    }
    rod(cranks, Vec3(0, -y, 0), Vec3(0, y, 0), 0.016, kMetal);
    Shape& ring = add_shape(cranks, ShapeType::kCylinder, Vec3(0.09, 0.003, 0),
                            {Vec3(0, -0.6 * y, 0), shortest_arc(Vec3::UnitZ(), Vec3::UnitY())}, kMetal);
    ring.name = "chain_ring";
    const auto joint_of = [&](const char* name) {
      size_t j = 0;
      while (c_.joints[j].name != name) ++j;
      return static_cast<int>(j);
    };

    // Its stiffness at the wheel, from that at the cranks.
    const double at_wheel = c_.bodies[static_cast<size_t>(cranks)].I_C(1, 1) / (b_.gear * b_.gear);
    c_.chains.push_back({"chain", joint_of(kCranks), joint_of(kRearWheel), b_.gear,
                         at_wheel * kChainRate * kChainRate, at_wheel * 2 * kChainDamping * kChainRate});
  }

  // ---- what is seen

  Shape& add_shape(int body, ShapeType type, const Vec3& size, const Pose& X_BS, const Vec4& rgba) {
    Shape shape;
    shape.name = c_.bodies[static_cast<size_t>(body)].name + "." + std::to_string(c_.shapes.size());
    shape.body = body;
    shape.type = type;
    shape.size = size;
    shape.X_BS = X_BS;
    shape.collides = false;
    shape.rgba = rgba;
    c_.shapes.push_back(shape);
    return c_.shapes.back();
  }

  // From one point to another, in the body's frame.
  void rod(int body, const Vec3& from, const Vec3& to, double radius_m, const Vec4& rgba) {
    const Vec3 along = to - from;
    add_shape(body, ShapeType::kCapsule, Vec3(radius_m, 0.5 * along.norm(), 0),
              {0.5 * (from + to), shortest_arc(Vec3::UnitZ(), along)}, rgba);
  }

  void draw_frame(const Vec3& rear_hub) {
    const Vec3 head_low = on_steering_axis(2.05 * b_.front.radius_m) - b_.saddle;
    const Vec3 head_high =
        on_steering_axis(std::max(b_.grip.z() - 0.08, 2.1 * b_.front.radius_m)) - b_.saddle;
    const Vec3 bracket = b_.bracket - b_.saddle, hub = rear_hub - b_.saddle;
    const Vec3 clamp = 0.3 * bracket;
    rod(0, bracket, Vec3(0.04 * bracket), 0.014, kMetal);
    rod(0, bracket, clamp, 0.018, kPaint);
    rod(0, bracket, head_low, 0.019, kPaint);
    rod(0, clamp, 0.35 * head_low + 0.65 * head_high, 0.016, kPaint);
    rod(0, head_low, head_high, 0.02, kPaint);
    for (const double side : {1.0, -1.0}) {
      const Vec3 drop = hub + Vec3(0, side * 0.05, 0);
      rod(0, bracket + Vec3(0, side * 0.025, 0), drop, 0.009, kPaint);
      rod(0, clamp + Vec3(0, side * 0.015, 0), drop, 0.008, kPaint);
    }
    add_shape(0, ShapeType::kEllipsoid, Vec3(0.07, 0.07, 0.022), {Vec3(-0.07, 0, -0.022), Quat::Identity()},
              kRubber);
    add_shape(0, ShapeType::kEllipsoid, Vec3(0.12, 0.026, 0.02), {Vec3(0.04, 0, -0.02), Quat::Identity()},
              kRubber);
  }

  void draw_fork(int fork, const Vec3& front_hub) {
    const Vec3 origin = origins_[static_cast<size_t>(fork)];
    const Vec3 crown = on_steering_axis(2.05 * b_.front.radius_m) - origin, hub = front_hub - origin;
    const Vec3 top = on_steering_axis(b_.grip.z()) - origin;
    const Vec3 stem = Vec3(b_.grip.x(), 0, b_.grip.z()) - origin, grip = b_.grip - origin;
    for (const double side : {1.0, -1.0}) {
      const Vec3 aside(0, side * 0.05, 0), bar(stem.x(), side * 0.5 * grip.y(), stem.z());
      rod(fork, crown + aside, hub + aside, 0.011, kPaint);
      rod(fork, stem, bar, 0.012, kMetal);
      rod(fork, bar, Vec3(grip.x(), side * grip.y(), grip.z()), 0.012, kMetal);
      rod(fork, Vec3(grip.x(), side * (grip.y() - 0.05), grip.z()),
          Vec3(grip.x(), side * (grip.y() + 0.05), grip.z()), 0.016, kRubber);
    }
    rod(fork, crown + Vec3(0, -0.05, 0), crown + Vec3(0, 0.05, 0), 0.012, kPaint);
    rod(fork, crown, top, 0.012, kMetal);
    rod(fork, top, stem, 0.014, kMetal);
  }

  void draw_wheel(int wheel, const BicycleWheel& w) {
    const double tyre = 0.017, r = w.radius_m - tyre;
    const auto at = [&](double turn) {
      return Vec3(r * std::cos(2 * kPi * turn), 0, r * std::sin(2 * kPi * turn));
    };
    for (int i = 0; i < kRimPieces; ++i)
      rod(wheel, at(static_cast<double>(i) / kRimPieces), at((i + 1.0) / kRimPieces), tyre, kRubber);
    for (int i = 0; i < kSpokes; ++i)
      rod(wheel, Vec3::Zero(), at(static_cast<double>(i) / kSpokes), 0.0025, kMetal);
    rod(wheel, Vec3(0, -0.05, 0), Vec3(0, 0.05, 0), 0.018, kMetal);
  }

  const Bicycle& b_;
  Character c_;
  std::vector<Vec3> origins_;  // of the bodies' frames
};

}  // namespace

Bicycle benchmark_bicycle() {
  // The paper's axes have Z down and Y to the right: products of inertia in X and Z change their sign.
  const auto inertia = [](double xx, double yy, double zz, double xz) {
    Mat3 I = diagonal(xx, yy, zz);
    I(0, 2) = I(2, 0) = -xz;
    return I;
  };
  Bicycle b;
  b.wheel_base_m = 1.02;
  b.trail_m = 0.08;
  b.head_tilt_rad = kPi / 10;
  b.rear = {0.3, 2, 0.0603, 0.12};
  b.front = {0.35, 3, 0.1405, 0.28};
  b.frame = {85, Vec3(0.3, 0, 0.9), inertia(9.2, 11, 2.8, 2.4)};
  b.fork = {4, Vec3(0.9, 0, 0.7), inertia(0.05892, 0.06, 0.00708, -0.00756)};
  b.saddle = Vec3(0.2, 0, 0.9);
  b.grip = Vec3(0.8, 0.25, 1.0);
  b.bracket = Vec3(0.4, 0, 0.27);
  return b;
}

Vec3 rear_contact(const Character& bicycle, const std::vector<Pose>& X_WB) {
  for (const Shape& shape : bicycle.shapes) {
    const auto body = static_cast<size_t>(shape.body);
    if (shape.collides && bicycle.bodies[body].name == kRearWheel)
      return support(shape, X_WB[body], -Vec3::UnitZ());
  }
  throw Error(bicycle.name + " is no bicycle: it has no rear wheel");
}

Character make_character(const Bicycle& bicycle, const std::string& name) {
  return Builder(bicycle).build(name);
}

}  // namespace sinew

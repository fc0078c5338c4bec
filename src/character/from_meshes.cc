#include "character/from_meshes.h"

#include <algorithm>
#include <cmath>

#include "character/character_parts.h"
#include "character/scaling.h"
#include "character/transfer.h"
#include "core/error.h"

namespace sinew {

namespace {

constexpr double kLeast_m = 0.2, kMost_m = 4;  // heights that are believed
constexpr double kTurned_rad = 0.25;           // an arm that points elsewhere by more is turned

// A surface that was found good.
struct Solid {
  Part part = Part::kNone;
  Polyhedron surface;
};

struct Box {
  Vec3 low = Vec3::Constant(INFINITY), high = Vec3::Constant(-INFINITY);
  void add(const Vec3& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
};

// Carries places in one box to the same places in another.
struct BoxMap {
  Box from, to;
  Vec3 scale() const { return (to.high - to.low).cwiseQuotient(from.high - from.low); }
  Vec3 operator*(const Vec3& p) const { return to.low + scale().cwiseProduct(p - from.low); }
};

std::vector<Solid> solids_of(const std::vector<NamedMesh>& meshes, double unit_m) {
  std::vector<Solid> out;
  for (const NamedMesh& mesh : meshes) {
    const Part part = part_by_name(mesh.name);
    if (part == Part::kNone)
      throw Error(
          mesh.file, 0,
          "'" + mesh.name + "' is no part of a body; names are those of `left_thigh`, `head` and so on");
    Polyhedron surface = welded(mesh.surface);
    if (const std::string fault = fault_of_surface(surface); !fault.empty())
      throw Error(mesh.file, 0, "'" + mesh.name + "' " + fault);
    for (Vec3& v : surface.vertices) v *= unit_m;
    out.push_back({part, std::move(surface)});
  }
  return out;
}

// The axis, signed, that a vector is nearest to.
Vec3 nearest_axis(const Vec3& v) {
  Eigen::Index i = 0;
  v.cwiseAbs().maxCoeff(&i);
  return std::copysign(1.0, v[i]) * Vec3::Unit(i);
}

bool is_left(Part part) { return part_name(part).starts_with("left_"); }
bool is_right(Part part) { return part_name(part).starts_with("right_"); }
bool is_arm(Part part, bool left) {
  using enum Part;
  return left ? part == kLeftUpperArm || part == kLeftLowerArm || part == kLeftHand
              : part == kRightUpperArm || part == kRightLowerArm || part == kRightHand;
}

// Mean of the centres of all solids that `which` says.
template <class Which>
Vec3 centre_of(const std::vector<Solid>& solids, Which which) {
  Vec3 sum = Vec3::Zero();
  double count = 0;
  for (const Solid& solid : solids)
    if (which(solid.part)) {
      sum += solid_properties(solid.surface).centre;
      ++count;
    }
  return sum / std::max(count, 1.0);
}

// Turns all solids so that the head is above the feet and the left side at +y.
void stand_up(std::vector<Solid>& solids, const std::string& where, std::vector<std::string>& notes) {
  const auto foot = [](Part part) { return part == Part::kLeftFoot || part == Part::kRightFoot; };
  const Vec3 up = nearest_axis(centre_of(solids, [](Part part) { return part == Part::kHead; }) -
                               centre_of(solids, foot));
  const Vec3 left = nearest_axis(centre_of(solids, is_left) - centre_of(solids, is_right));
  if (std::abs(up.dot(left)) > 0.5)
    throw Error(where, 0,
                "which way is up and which left cannot be told from head, feet and the parts of both sides");
  Mat3 R;
  R << left.cross(up).transpose(), left.transpose(), up.transpose();
  for (Solid& solid : solids)
    for (Vec3& v : solid.surface.vertices) v = R * v;
  if (!R.isIdentity(1e-9)) notes.emplace_back("turned so that the head is up and the left side at +y");
}

// Poses of all bodies of a character when all joints are at zero.
std::vector<Pose> poses_at_zero(const Character& c) {
  std::vector<Pose> X_WB;
  for (const Body& body : c.bodies)
    X_WB.push_back(body.parent < 0 ? body.X_PB : X_WB[static_cast<size_t>(body.parent)] * body.X_PB);
  return X_WB;
}

Box box_of_shapes(const Character& c, int body, const Pose& X_WB) {
  Box box;
  for (const Shape& shape : c.shapes)
    if (shape.body == body)
      for (int i = 0; i < 3; ++i)
        for (const double sign : {-1.0, 1.0}) box.add(support(shape, X_WB, sign * Vec3::Unit(i)));
  return box;
}

// Builds the new character body by body.
class Maker {
 public:
  Maker(std::vector<Solid> solids, const Character& like, std::string name, const std::string& where)
      : solids_(std::move(solids)), like_(like), where_(where), X_WB_(poses_at_zero(like)) {
    out_.character = like;
    out_.character.name = std::move(name);
    out_.character.notes.clear();
  }

  MeshCharacter make() {
    check_all_there();
    stand_up(solids_, where_, out_.character.notes);
    for (const bool left : {true, false}) hang_arm(left);
    for (int b = 0; b < count(); ++b) maps_.push_back(map_of(b));
    for (int b = 0; b < count(); ++b) place(b);
    for (int b = 0; b < count(); ++b) weigh(b);
    for (Shape& shape : out_.character.shapes) fit(shape);
    stand_on_floor();
    scale_servos();
    return std::move(out_);
  }

 private:
  int count() const { return static_cast<int>(like_.bodies.size()); }
  const Body& old_body(int b) const { return like_.bodies[static_cast<size_t>(b)]; }
  Body& new_body(int b) { return out_.character.bodies[static_cast<size_t>(b)]; }
  const Pose& old_pose(int b) const { return X_WB_[static_cast<size_t>(b)]; }

  void check_all_there() const {
    std::string missing;
    for (int b = 0; b < count(); ++b)
      if (std::none_of(solids_.begin(), solids_.end(),
                       [&](const Solid& solid) { return like_.body_of(solid.part) == b; }))
        missing += (missing.empty() ? "" : ", ") + old_body(b).name;
    if (!missing.empty()) throw Error(where_, 0, "there is no mesh for " + missing);
  }

  Box box_of(int b) const {
    Box box;
    for (const Solid& solid : solids_)
      if (like_.body_of(solid.part) == b)
        for (const Vec3& v : solid.surface.vertices) box.add(v);
    return box;
  }

  BoxMap map_of(int b) const { return {box_of_shapes(like_, b, old_pose(b)), box_of(b)}; }

  // Turns an arm about its shoulder until it points where that of `like` does.
  void hang_arm(bool left) {
    const int upper = like_.find(left ? Part::kLeftUpperArm : Part::kRightUpperArm);
    const int hand = like_.find(left ? Part::kLeftHand : Part::kRightHand);
    if (upper < 0 || hand < 0) return;
    const auto old_centre = [&](int b) -> Vec3 {
      const Box box = box_of_shapes(like_, b, old_pose(b));
      return 0.5 * (box.low + box.high);
    };
    const auto new_centre = [&](int b) {
      return centre_of(solids_, [&](Part part) { return like_.body_of(part) == b; });
    };
    const Quat turn =
        shortest_arc(new_centre(hand) - new_centre(upper), old_centre(hand) - old_centre(upper));
    if (turn.angularDistance(Quat::Identity()) < kTurned_rad) return;

    // Where the shoulder is shows once the arm hangs; turning about it leaves it where it is.
    const auto each = [&](auto&& f) {
      for (Solid& solid : solids_)
        if (is_arm(solid.part, left))
          for (Vec3& v : solid.surface.vertices) v = f(v);
    };
    each([&](const Vec3& v) -> Vec3 { return turn * v; });
    const Vec3 turned = map_of(upper) * old_pose(upper).p, shoulder = turn.conjugate() * turned;
    each([&](const Vec3& v) -> Vec3 { return v - turned + shoulder; });
    out_.character.notes.push_back(
        std::string("the ") + (left ? "left" : "right") + " arm was turned by " +
        std::to_string(std::lround(degrees(turn.angularDistance(Quat::Identity())))) +
        " degrees to hang as that of '" + like_.name + "'");
  }

  // The origin of a body is its joint; its axes are those of `like`.
  void place(int b) {
    const Pose X_WB{maps_[static_cast<size_t>(b)] * old_pose(b).p, old_pose(b).q};
    new_poses_.push_back(X_WB);
    const int parent = old_body(b).parent;
    new_body(b).X_PB = parent < 0 ? X_WB : new_poses_[static_cast<size_t>(parent)].inverse() * X_WB;
    const Mat3 R = old_pose(b).q.toRotationMatrix();
    const Mat3 stretch = R.transpose() * maps_[static_cast<size_t>(b)].scale().asDiagonal() * R;
    for (Joint& joint : out_.character.joints)
      if (joint.body == b) joint.p_BJ = stretch * joint.p_BJ;
  }

  // Mass, centre and inertia of all solids of a body together.
  void weigh(int b) {
    Body& body = new_body(b);
    MeshBody made{body.name, 0, 0};
    std::vector<std::pair<double, SolidProperties>> pieces;
    Vec3 centre = Vec3::Zero();
    for (const Solid& solid : solids_) {
      if (like_.body_of(solid.part) != b) continue;
      const double density = part_density(solid.part);
      pieces.emplace_back(density, solid_properties(solid.surface));
      const SolidProperties& p = pieces.back().second;
      made.volume_m3 += p.volume_m3;
      made.mass_kg += density * p.volume_m3;
      centre += density * p.volume_m3 * p.centre;
    }
    centre /= made.mass_kg;
    Mat3 inertia = Mat3::Zero();
    for (const auto& [density, p] : pieces) {
      const Vec3 d = p.centre - centre;
      inertia +=
          density * (p.inertia + p.volume_m3 * (d.squaredNorm() * Mat3::Identity() - d * d.transpose()));
    }
    const Pose& X_WB = new_poses_[static_cast<size_t>(b)];
    const Mat3 R = X_WB.q.toRotationMatrix();
    body.mass_kg = made.mass_kg;
    body.p_BC = X_WB.inverse() * centre;
    body.I_C = R.transpose() * inertia * R;
    out_.bodies.push_back(made);
  }

  // A shape fills the new box as it fills the old; spheres, on which feet stand, keep their lowest points.
  void fit(Shape& shape) const {
    const auto b = static_cast<size_t>(shape.body);
    const BoxMap& map = maps_[b];
    const Pose X_WS = X_WB_[b] * shape.X_BS;
    const Mat3 R = X_WS.q.toRotationMatrix();
    const Mat3 stretch = R.transpose() * map.scale().asDiagonal() * R;
    const Vec3 along = stretch.colwise().norm();
    Vec3 p = map * X_WS.p;
    switch (shape.type) {
      case ShapeType::kSphere: {
        const Vec3 low = map * (X_WS.p - shape.size[0] * Vec3::UnitZ());
        shape.size *= std::cbrt(along.prod());
        p.z() = low.z() + shape.size[0];
        break;
      }
      case ShapeType::kCapsule:
      case ShapeType::kCylinder:
        shape.size[0] *= std::sqrt(along[0] * along[1]);
        shape.size[1] *= along[2];
        break;
      default:
        shape.size = shape.size.cwiseProduct(along);
        for (Vec3& v : shape.vertices) v = stretch * v;
    }
    shape.X_BS = new_poses_[b].inverse() * Pose{p, X_WS.q};
  }

  void stand_on_floor() {
    Character& c = out_.character;
    c.contact_points = find_contact_points(c);
    c.bodies[0].X_PB.p.head<2>().setZero();
    c.q_rest.head<3>() = c.bodies[0].X_PB.p;
    const double low = lowest_point(c, body_poses(c, c.q_rest));
    c.bodies[0].X_PB.p.z() -= low;
    c.q_rest[2] -= low;
    const double height = standing_height(c);
    if (height < kLeast_m || height > kMost_m)
      throw Error(where_, 0,
                  "this character would be " + std::to_string(height) +
                      " m tall; --unit says how many metres a unit of the file is");
  }

  // Figure 6 of Hodgins and Pollard 1997; limits as weight times length.
  void scale_servos() {
    Character& c = out_.character;
    Ratios ratios;
    ratios.length = leg_length(c) / leg_length(like_);
    ratios.mass = c.mass_kg() / like_.mass_kg();
    for (size_t j = 0; j < c.joints.size(); ++j) {
      Joint& joint = c.joints[j];
      if (joint.type == JointType::kFree) continue;
      const int index = static_cast<int>(j);
      ratios.inertia = hanging_inertia(c, index) / hanging_inertia(like_, index);
      joint.kp *= mass_factor(kTorsionalStiffness, ratios);
      joint.kd *= mass_factor(kTorsionalDamping, ratios);
      joint.torque_limit *= ratios.mass * ratios.length;
      joint.damping *= mass_factor(kTorsionalDamping, ratios);
      joint.stiffness *= mass_factor(kTorsionalStiffness, ratios);
      joint.armature *= geometric_factor(kInertia, ratios.length);
    }
  }

  std::vector<Solid> solids_;
  const Character& like_;
  std::string where_;
  std::vector<Pose> X_WB_, new_poses_;
  std::vector<BoxMap> maps_;
  MeshCharacter out_;
};

}  // namespace

double part_density(Part part) {
  using enum Part;
  switch (part) {
    case kHead:
    case kNeck:
      return 1110;
    case kThorax:
      return 920;
    case kAbdomen:
    case kPelvis:
      return 1010;
    case kLeftClavicle:
    case kRightClavicle:
      return 1040;
    case kLeftUpperArm:
    case kRightUpperArm:
      return 1070;
    case kLeftLowerArm:
    case kRightLowerArm:
      return 1130;
    case kLeftHand:
    case kRightHand:
      return 1160;
    case kLeftThigh:
    case kRightThigh:
      return 1050;
    case kLeftShin:
    case kRightShin:
      return 1090;
    case kLeftFoot:
    case kRightFoot:
    case kLeftToes:
    case kRightToes:
      return 1100;
    case kNone:
      break;
  }
  return 1030;  // of the trunk as a whole
}

MeshCharacter character_from_meshes(const std::vector<NamedMesh>& meshes, const Character& like,
                                    const std::string& name, const std::string& where, double unit_m) {
  for (size_t b = 0; b < like.bodies.size(); ++b)
    if (std::none_of(like.shapes.begin(), like.shapes.end(),
                     [&](const Shape& shape) { return shape.body == static_cast<int>(b); }))
      throw Error("'" + like.name + "' cannot be a template: its body " + like.bodies[b].name +
                  " has no shape");
  return Maker(solids_of(meshes, unit_m), like, name, where).make();
}

}  // namespace sinew

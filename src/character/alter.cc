#include "character/alter.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/error.h"

namespace sinew {

namespace {

// A foot is not made shorter than this share of what it was.
constexpr double kShortest = 0.25;

// The limb that a body belongs to: itself or the nearest ancestor that is a part of one.
enum class Limb { kTrunk, kHead, kLeftArm, kRightArm, kLeftLeg, kRightLeg };

Limb limb_of(const Character& character, int body) {
  for (; body >= 0; body = character.bodies[static_cast<size_t>(body)].parent) {
    const Part part = character.bodies[static_cast<size_t>(body)].part;
    if (part == Part::kNone) continue;
    const std::string name(part_name(part));
    const bool left = name.starts_with("left");
    for (const char* leg : {"thigh", "shin", "foot", "toes"})
      if (name.ends_with(leg)) return left ? Limb::kLeftLeg : Limb::kRightLeg;
    for (const char* arm : {"arm", "hand", "clavicle"})
      if (name.ends_with(arm)) return left ? Limb::kLeftArm : Limb::kRightArm;
    return name == "head" || name == "neck" ? Limb::kHead : Limb::kTrunk;
  }
  return Limb::kTrunk;
}

struct Group {
  const char* name;
  std::vector<Limb> limbs;
};

const std::vector<Group>& groups() {
  using enum Limb;
  static const std::vector<Group> all = {{"body", {kTrunk, kHead, kLeftArm, kRightArm, kLeftLeg, kRightLeg}},
                                         {"upper_body", {kTrunk, kHead, kLeftArm, kRightArm}},
                                         {"lower_body", {kLeftLeg, kRightLeg}},
                                         {"legs", {kLeftLeg, kRightLeg}},
                                         {"arms", {kLeftArm, kRightArm}},
                                         {"trunk", {kTrunk}},
                                         {"left_leg", {kLeftLeg}},
                                         {"right_leg", {kRightLeg}},
                                         {"left_arm", {kLeftArm}},
                                         {"right_arm", {kRightArm}},
                                         {"head", {kHead}}};
  return all;
}

bool belongs(const Character& character, int body, const std::string& group) {
  for (const Group& one : groups())
    if (group == one.name)
      return std::find(one.limbs.begin(), one.limbs.end(), limb_of(character, body)) != one.limbs.end();
  const Part part = character.bodies[static_cast<size_t>(body)].part;
  return part != Part::kNone && part_name(part) == group;
}

void scale_masses(Character& character, const Alteration::Mass& mass) {
  if (!(mass.factor > 0)) throw Error("the mass of " + mass.group + " must be multiplied by more than 0");
  bool any = false;
  for (size_t i = 0; i < character.bodies.size(); ++i) {
    if (!belongs(character, static_cast<int>(i), mass.group)) continue;
    character.bodies[i].mass_kg *= mass.factor;
    character.bodies[i].I_C *= mass.factor;
    any = true;
  }
  if (!any) throw Error(character.name + " has no '" + mass.group + "'");
}

// Puts what is at a point of a body farther ahead or back: `ahead` is a unit vector.
Vec3 stretched(const Vec3& p, const Vec3& ahead, double factor) {
  return p + (factor - 1) * p.dot(ahead) * ahead;
}

// A shape goes where the foot's points go and is as much longer along the axis that lies ahead.
void stretch(Shape& shape, const Vec3& ahead_B, double factor) {
  shape.X_BS.p = stretched(shape.X_BS.p, ahead_B, factor);
  const Vec3 ahead_S = shape.X_BS.q.conjugate() * ahead_B;
  int along = 0;
  ahead_S.cwiseAbs().maxCoeff(&along);
  if (shape.type == ShapeType::kBox || shape.type == ShapeType::kEllipsoid) shape.size[along] *= factor;
  if ((shape.type == ShapeType::kCapsule || shape.type == ShapeType::kCylinder) && along == 2)
    shape.size[1] *= factor;
  for (Vec3& vertex : shape.vertices) vertex = stretched(vertex, ahead_S, factor);
}

// One foot with its toes, about its ankle.
void lengthen(Character& character, Part foot_part, Part toes_part, double by_m) {
  const int foot = character.find(foot_part), toes = character.find(toes_part);
  const auto is_part = [&](int body) { return body >= 0 && (body == foot || body == toes); };
  const std::vector<Pose> X_WB = body_poses(character, character.q_rest);
  double first = std::numeric_limits<double>::infinity(), last = -first;
  for (const ContactPoint& point : character.contact_points) {
    if (!is_part(point.body)) continue;
    const double x = (X_WB[static_cast<size_t>(point.body)] * point.p_BP).x();
    first = std::min(first, x);
    last = std::max(last, x);
  }
  if (!(last > first)) throw Error(character.name + " has no foot that could be longer or shorter");
  const double factor = 1 + by_m / (last - first);
  if (factor < kShortest)
    throw Error("the feet of " + character.name + " are " + std::to_string(last - first) +
                " m long; what is left of them must be at least a quarter of that");

  const auto ahead = [&](int body) {
    return Vec3(X_WB[static_cast<size_t>(body)].q.conjugate() * Vec3::UnitX());
  };
  for (Shape& shape : character.shapes)
    if (is_part(shape.body)) stretch(shape, ahead(shape.body), factor);
  for (ContactPoint& point : character.contact_points)
    if (is_part(point.body)) point.p_BP = stretched(point.p_BP, ahead(point.body), factor);
  if (toes >= 0) {
    Body& body = character.bodies[static_cast<size_t>(toes)];
    if (body.parent == foot) body.X_PB.p = stretched(body.X_PB.p, ahead(foot), factor);
  }
}

}  // namespace

std::vector<std::string> body_groups() {
  std::vector<std::string> names;
  for (const Group& group : groups()) names.emplace_back(group.name);
  for (int i = 1; i < kPartCount; ++i) {
    const std::string name(part_name(static_cast<Part>(i)));
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

Character altered(Character character, const Alteration& alteration) {
  for (const Alteration::Mass& mass : alteration.masses) scale_masses(character, mass);
  if (alteration.foot_length_m != 0) {
    lengthen(character, Part::kLeftFoot, Part::kLeftToes, alteration.foot_length_m);
    lengthen(character, Part::kRightFoot, Part::kRightToes, alteration.foot_length_m);
  }
  return character;
}

}  // namespace sinew

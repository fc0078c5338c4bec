#include "motion/keyframe_human.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr double kThigh = 0.4165, kShin = 0.4182, kAnkle = 0.070;
constexpr double kUpperArm = 0.316, kLowerArm = 0.248, kHand = 0.184;

// The rockers of the foot, in its frame: balls of 2 cm under heel and toe joint.
constexpr double kSole = 0.02;
const Vec3 kHeel(-0.045, 0, kSole - kAnkle);
const Vec3 kBall(0.13, 0, kSole - kAnkle);
const Vec3 kToeTip(0.06, 0, -0.005);  // in the toes' frame
constexpr double kToeTipRadius = 0.015;

Quat about_x(double angle) { return Quat(Eigen::AngleAxisd(angle, Vec3::UnitX())); }
Quat about_y(double angle) { return Quat(Eigen::AngleAxisd(angle, Vec3::UnitY())); }
Quat about_z(double angle) { return Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ())); }

bool is_left(Part part) { return part_name(part).starts_with("left_"); }
bool is_right(Part part) { return part_name(part).starts_with("right_"); }

Part sided(bool left, Part left_part) { return left ? left_part : part_mirror(left_part); }

// The joint of a part in its parent's frame; the left side stands for both.
Vec3 offset_of(Part left_part) {
  switch (left_part) {
    case Part::kPelvis:
      return {0, 0, kAnkle + kShin + kThigh + 0.06};
    case Part::kAbdomen:
      return {-0.01, 0, 0.06};
    case Part::kThorax:
      return {0, 0, 0.16};
    case Part::kNeck:
      return {-0.01, 0, 0.245};
    case Part::kHead:
      return {0.02, 0, 0.09};
    case Part::kLeftClavicle:
      return {0, 0.03, 0.205};
    case Part::kLeftUpperArm:
      return {-0.01, 0.15, 0};
    case Part::kLeftLowerArm:
      return {0, kUpperArm, 0};
    case Part::kLeftHand:
      return {0, kLowerArm, 0};
    case Part::kLeftThigh:
      return {0, 0.085, -0.06};
    case Part::kLeftShin:
      return {0, 0, -kThigh};
    case Part::kLeftFoot:
      return {0, 0, -kShin};
    default:
      return kBall;
  }
}

void add_end(Clip& clip, const char* name, Part parent, const Vec3& p_PB) {
  clip.bones.push_back({name, static_cast<int>(keyframe_bone(parent)), {p_PB, Quat::Identity()}, true, {}});
}

}  // namespace

Clip keyframe_human() {
  Clip clip;
  for (int i = 1; i < kPartCount; ++i) {
    const Part part = static_cast<Part>(i);
    const bool right = is_right(part);
    Bone bone;
    bone.name = part_name(part);
    bone.parent = static_cast<int>(part_parent(part)) - 1;
    bone.X_PB.p = offset_of(right ? part_mirror(part) : part);
    if (right) bone.X_PB.p.y() *= -1;
    clip.bones.push_back(std::move(bone));
  }
  add_end(clip, "head_end", Part::kHead, {0, 0, 0.17});
  add_end(clip, "left_hand_end", Part::kLeftHand, {0, kHand, 0});
  add_end(clip, "right_hand_end", Part::kRightHand, {0, -kHand, 0});
  add_end(clip, "left_toes_end", Part::kLeftToes, {0.075, 0, -0.01});
  add_end(clip, "right_toes_end", Part::kRightToes, {0.075, 0, -0.01});
  for (const Bone& bone : clip.bones) clip.rest.push_back(bone.X_PB);
  clip.rest_is_t_pose = true;
  clip.source.format = "keyframes";
  return clip;
}

const std::vector<FleshBall>& keyframe_flesh() {
  // The left side and the middle are written down; the right side is their mirror image.
  static const std::vector<FleshBall> flesh = [] {
    std::vector<FleshBall> all = {{Part::kPelvis, {-0.01, 0.06, -0.04}, 0.105},
                                  {Part::kPelvis, {0, 0.07, 0.03}, 0.10},
                                  {Part::kAbdomen, {0, 0.05, 0.05}, 0.10},
                                  {Part::kAbdomen, {0, 0.05, 0.12}, 0.10},
                                  {Part::kThorax, {0, 0.06, 0.05}, 0.11},
                                  {Part::kThorax, {-0.005, 0.07, 0.12}, 0.11},
                                  {Part::kThorax, {-0.01, 0.07, 0.18}, 0.095},
                                  {Part::kNeck, {0, 0, 0.05}, 0.055},
                                  {Part::kHead, {0.01, 0, 0.08}, 0.095},
                                  {Part::kLeftUpperArm, {0, 0, 0}, 0.055},
                                  {Part::kLeftUpperArm, {0, 0.16, 0}, 0.045},
                                  {Part::kLeftLowerArm, {0, 0, 0}, 0.04},
                                  {Part::kLeftLowerArm, {0, 0.13, 0}, 0.035},
                                  {Part::kLeftHand, {0, 0, 0}, 0.028},
                                  {Part::kLeftHand, {0, 0.09, 0}, 0.025},
                                  {Part::kLeftHand, {0, 0.165, 0}, 0.015},
                                  {Part::kLeftThigh, {0, 0, -0.05}, 0.085},
                                  {Part::kLeftThigh, {0, 0, -0.2}, 0.075},
                                  {Part::kLeftThigh, {0, 0, -0.32}, 0.06},
                                  {Part::kLeftShin, {0, 0, 0}, 0.05},
                                  {Part::kLeftShin, {-0.01, 0, -0.15}, 0.05},
                                  {Part::kLeftShin, {0, 0, -0.3}, 0.04},
                                  {Part::kLeftFoot, kHeel, kSole},
                                  {Part::kLeftFoot, kBall, kSole},
                                  {Part::kLeftToes, kToeTip, kToeTipRadius}};
    const size_t written = all.size();
    for (size_t i = 0; i < written; ++i) {
      FleshBall ball = all[i];
      if (part_mirror(ball.part) == ball.part && ball.p_B.y() == 0) continue;
      ball.part = part_mirror(ball.part);
      ball.p_B.y() *= -1;
      all.push_back(ball);
    }
    return all;
  }();
  return flesh;
}

Vec3 keyframe_centre_of_mass(const std::vector<Pose>& X_WB) {
  struct Segment {
    Part part;
    Vec3 p_B;
    double fraction;
  };
  static const std::array<Segment, 13> segments = {{{Part::kPelvis, {0, 0, 0.01}, 0.142},
                                                    {Part::kAbdomen, {0, 0, 0.08}, 0.139},
                                                    {Part::kThorax, {0, 0, 0.12}, 0.216},
                                                    {Part::kHead, {0.01, 0, 0.05}, 0.081},
                                                    {Part::kLeftUpperArm, {0, 0.436 * kUpperArm, 0}, 0.028},
                                                    {Part::kLeftLowerArm, {0, 0.43 * kLowerArm, 0}, 0.016},
                                                    {Part::kLeftHand, {0, 0.5 * kHand, 0}, 0.006},
                                                    {Part::kLeftThigh, {0, 0, -0.433 * kThigh}, 0.100},
                                                    {Part::kLeftShin, {0, 0, -0.433 * kShin}, 0.0465},
                                                    {Part::kLeftFoot, {0.05, 0, -0.035}, 0.0125},
                                                    {Part::kLeftToes, {0.03, 0, 0}, 0.002},
                                                    {Part::kNone, {0, 0, 0}, 0},
                                                    {Part::kNone, {0, 0, 0}, 0}}};
  Vec3 sum = Vec3::Zero();
  double mass = 0;
  for (const Segment& s : segments) {
    if (s.part == Part::kNone) continue;
    sum += s.fraction * (X_WB[keyframe_bone(s.part)] * s.p_B);
    mass += s.fraction;
    if (!is_left(s.part)) continue;
    const Vec3 mirrored(s.p_B.x(), -s.p_B.y(), s.p_B.z());
    sum += s.fraction * (X_WB[keyframe_bone(part_mirror(s.part))] * mirrored);
    mass += s.fraction;
  }
  return sum / mass;
}

const std::array<KeyframeJoint, kKeyframeJointCount>& keyframe_joints() {
  static const std::array<KeyframeJoint, kKeyframeJointCount> joints = {{
      {"abdomen", Part::kAbdomen, 3, {}},
      {"thorax", Part::kThorax, 3, {}},
      {"neck", Part::kNeck, 3, {}},
      {"head", Part::kHead, 3, {}},
      {"left_hip", Part::kLeftThigh, 3, {}},
      {"left_knee", Part::kLeftShin, 1, {}},
      {"left_ankle", Part::kLeftFoot, 3, {}},
      {"left_toes", Part::kLeftToes, 1, {}},
      {"left_clavicle", Part::kLeftClavicle, 2, {}},
      {"left_shoulder", Part::kLeftUpperArm, 3, {0, 6, 0}},
      {"left_elbow", Part::kLeftLowerArm, 2, {12, 0}},
      {"left_wrist", Part::kLeftHand, 2, {}},
      {"right_hip", Part::kRightThigh, 3, {}},
      {"right_knee", Part::kRightShin, 1, {}},
      {"right_ankle", Part::kRightFoot, 3, {}},
      {"right_toes", Part::kRightToes, 1, {}},
      {"right_clavicle", Part::kRightClavicle, 2, {}},
      {"right_shoulder", Part::kRightUpperArm, 3, {0, 6, 0}},
      {"right_elbow", Part::kRightLowerArm, 2, {12, 0}},
      {"right_wrist", Part::kRightHand, 2, {}},
  }};
  return joints;
}

Quat joint_rotation(const KeyframeJoint& joint, const std::array<double, 3>& angles_deg) {
  const double a = radians(angles_deg[0]), b = radians(angles_deg[1]), c = radians(angles_deg[2]);
  // Turns about X and Z change their sign on the right side, so that the words stay the same.
  const double s = is_right(joint.part) ? -1 : 1;
  switch (s < 0 ? part_mirror(joint.part) : joint.part) {
    case Part::kLeftThigh:  // flexion, abduction, outward rotation
      return about_y(-a) * about_x(s * b) * about_z(s * c);
    case Part::kLeftShin:  // flexion
      return about_y(a);
    case Part::kLeftFoot:  // dorsiflexion, eversion, outward rotation
      return about_z(s * c) * about_x(s * b) * about_y(-a);
    case Part::kLeftToes:  // extension
      return about_y(-a);
    case Part::kLeftClavicle:  // elevation, protraction
      return about_x(s * a) * about_z(-s * b);
    case Part::kLeftUpperArm:  // flexion, abduction, outward rotation, from the hanging arm
      return about_y(-a) * about_x(s * b) * about_z(s * c) * about_x(-s * kPi / 2);
    case Part::kLeftLowerArm:  // flexion, pronation
      return about_z(-s * a) * about_y(-b);
    case Part::kLeftHand:  // flexion (to the palm), deviation to the thumb
      return about_x(-s * a) * about_z(-s * b);
    default:  // spine, neck, head: flexion, bend to the right, turn to the left
      return about_y(a) * about_x(b) * about_z(c);
  }
}

namespace {

// Two bones of lengths l1, l2 from a joint to a goal at distance d: the angle at the root between the
// first bone and the line to the goal, and the bend of the second bone against the first.
struct TwoBones {
  double root, bend;
};
TwoBones two_bones(double l1, double l2, double d) {
  d = std::clamp(d, std::abs(l1 - l2) + 1e-3, (l1 + l2) * 0.9998);
  const auto angle = [](double x) { return std::acos(std::clamp(x, -1.0, 1.0)); };
  return {angle((l1 * l1 + d * d - l2 * l2) / (2 * l1 * d)),
          kPi - angle((l1 * l1 + l2 * l2 - d * d) / (2 * l1 * l2))};
}

// The direction from one joint to the goal; down, where they are in the same place.
Vec3 direction(const Vec3& from, const Vec3& to) {
  const Vec3 d = to - from;
  return d.norm() > 1e-9 ? Vec3(d.normalized()) : Vec3(-Vec3::UnitZ());
}

// `v` without its part along the unit vector `u`, to unit length; `otherwise` where nothing is left.
Vec3 across(const Vec3& v, const Vec3& u, const Vec3& otherwise) {
  const Vec3 w = v - u * u.dot(v);
  if (w.norm() > 1e-6) return w.normalized();
  const Vec3 o = otherwise - u * u.dot(otherwise);
  return o.norm() > 1e-6 ? o.normalized() : u.unitOrthogonal();
}

Quat from_axes(const Vec3& x, const Vec3& y, const Vec3& z) {
  Mat3 r;
  r << x, y, z;
  return Quat(r).normalized();
}

// The world pose of one bone of a frame.
Pose world_pose(const Clip& human, const Frame& frame, Part part) {
  Pose X = Pose{};
  for (int i = static_cast<int>(keyframe_bone(part)); i >= 0; i = human.bones[static_cast<size_t>(i)].parent)
    X = frame[static_cast<size_t>(i)] * X;
  return X;
}

void blend(Frame& frame, Part part, const Quat& goal, double weight) {
  Quat& q = frame[keyframe_bone(part)].q;
  q = weight >= 1 ? goal.normalized() : q.slerp(weight, goal).normalized();
}

// The lowest of three heights; `soft` metres round the corner where another becomes the lowest.
double lowest_of(const std::array<double, 3>& heights, double soft) {
  const double least = *std::min_element(heights.begin(), heights.end());
  if (soft < 1e-6) return least;
  double sum = 0;
  for (const double h : heights) sum += std::exp((least - h) / soft);
  return least - soft * std::log(sum / 3);
}

// The ankle of a foot that rocks on its heel and ball as the target says. `air` is 0 on the floor, where
// the foot pivots sharply about one of them, and 1 well above it, where it turns smoothly.
Pose foot_pose(const FootTarget& target, double toes, double air) {
  const Quat q = about_z(target.yaw) * about_x(target.roll) * about_y(target.pitch);
  // The pivot keeps the place that it has in the flat foot.
  const double width = std::max(radians(25) * air, 1e-9);
  const double s = std::clamp(target.pitch / (2 * width) + 0.5, 0.0, 1.0);
  const Vec3 pivot = kHeel + (kBall - kHeel) * (s * s * (3 - 2 * s));
  Vec3 p = target.at + Vec3(0, 0, kAnkle) + about_z(target.yaw) * pivot - q * pivot;
  // The lowest of heel, ball and toe tip stands at the height of the target.
  const Vec3 tip = kBall + about_y(-toes) * kToeTip;
  p.z() = target.at.z() -
          lowest_of({(q * kHeel).z() - kSole, (q * kBall).z() - kSole, (q * tip).z() - kToeTipRadius},
                    0.03 * air);
  return {p, q};
}

}  // namespace

void reach_with_foot(const Clip& human, bool left, const FootTarget& target, double weight, Frame& frame) {
  if (weight <= 0) return;
  const Part thigh = sided(left, Part::kLeftThigh), shin = sided(left, Part::kLeftShin);
  const Part foot = sided(left, Part::kLeftFoot), toes = sided(left, Part::kLeftToes);
  // On the floor the toes stay flat while the heel rises; in the air they are as the target says.
  const double air = std::clamp(target.at.z() / 0.06, 0.0, 1.0);
  const double flat_toes = std::clamp(target.pitch, 0.0, radians(60));
  const double relaxed = std::clamp(target.at.z() / 0.15, 0.0, 1.0);
  const double toe_angle = (1 - relaxed) * std::max(flat_toes, target.toes) + relaxed * target.toes;
  const Pose X_WF = foot_pose(target, toe_angle, air);

  // The knee's axis lies between the sideways axes of pelvis and foot, across the line from hip to ankle.
  const Pose X_WP = world_pose(human, frame, Part::kPelvis);
  const Vec3 hip = X_WP * frame[keyframe_bone(thigh)].p;
  const double side = left ? 1 : -1;
  const Vec3 u = direction(hip, X_WF.p);
  const Vec3 sideways = X_WP.q * Vec3::UnitY() + X_WF.q * Vec3::UnitY();
  Vec3 y = across(sideways, u, X_WP.q * Vec3::UnitX());
  y = Eigen::AngleAxisd(-side * target.knee_out, u) * y;
  const TwoBones leg = two_bones(kThigh, kShin, (X_WF.p - hip).norm());
  const Vec3 along = Eigen::AngleAxisd(-leg.root, y) * u;
  const Quat q_WT = from_axes(y.cross(-along), y, -along);
  const Quat q_WS = q_WT * about_y(leg.bend);

  blend(frame, thigh, X_WP.q.conjugate() * q_WT, weight);
  blend(frame, shin, about_y(leg.bend), weight);
  blend(frame, foot, q_WS.conjugate() * X_WF.q, weight);
  blend(frame, toes, about_y(-toe_angle), weight);
}

void reach_with_hand(const Clip& human, bool left, const HandTarget& target, double weight, Frame& frame) {
  if (weight <= 0) return;
  const Part upper = sided(left, Part::kLeftUpperArm), lower = sided(left, Part::kLeftLowerArm);
  const Part hand = sided(left, Part::kLeftHand);
  const double side = left ? 1 : -1;
  const Pose X_WT = world_pose(human, frame, Part::kThorax);
  const Pose X_WC = world_pose(human, frame, sided(left, Part::kLeftClavicle));
  const Vec3 shoulder = X_WC * frame[keyframe_bone(upper)].p;

  // The elbow lies to the side where it shall point, across the line from shoulder to wrist.
  const Vec3 u = direction(shoulder, target.at);
  const Vec3 pole = X_WT.q * Vec3(target.elbow.x(), side * target.elbow.y(), target.elbow.z());
  const Vec3 out = across(pole, u, X_WT.q * -Vec3::UnitZ());
  const TwoBones arm = two_bones(kUpperArm, kLowerArm, (target.at - shoulder).norm());
  const Vec3 along = std::cos(arm.root) * u + std::sin(arm.root) * out;
  // The arm's bones lie along +Y (left) or -Y (right) and bend towards their own +X.
  const Vec3 x = across(u, along, -out), y = side * along;
  const Quat q_WU = from_axes(x, y, x.cross(y));
  const Quat bend = about_z(-side * arm.bend);
  blend(frame, upper, X_WC.q.conjugate() * q_WU, weight);
  if (!target.flat) return blend(frame, lower, bend, weight);

  // A palm on the floor: the turn about the forearm belongs to the forearm, the rest to the wrist.
  const Quat q_WH =
      about_z(target.yaw) * about_x(target.roll) * about_y(target.pitch) * about_z(-side * kPi / 2);
  const SwingTwist st = swing_twist((q_WU * bend).conjugate() * q_WH, Vec3::UnitY());
  blend(frame, lower, bend * st.twist, weight);
  blend(frame, hand, st.twist.conjugate() * st.swing * st.twist, weight);
}

}  // namespace sinew

#include "character/character_parts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/error.h"

namespace sinew {

namespace {

enum class Side { kMiddle, kLeft, kRight };

// A body's name taken apart: "LeftUpperArm" and "l_upper_arm" are both (left, "upperarm").
struct PlainName {
  Side side = Side::kMiddle;
  std::string text;  // lower case letters and digits alone, the side removed
};

std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool hump = std::isupper(c) && i > 0 && std::islower(static_cast<unsigned char>(name[i - 1]));
    if ((!std::isalnum(c) || hump) && !words.back().empty()) words.emplace_back();
    if (std::isalnum(c)) words.back() += static_cast<char>(std::tolower(c));
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

struct Word {
  std::string_view text;
  Part part;  // the left one of a pair
};

// Longer words before the ones that they contain.
constexpr std::array kLimbWords = {
    Word{"upperarm", Part::kLeftUpperArm}, Word{"humerus", Part::kLeftUpperArm},
    Word{"lowerarm", Part::kLeftLowerArm}, Word{"forearm", Part::kLeftLowerArm},
    Word{"radius", Part::kLeftLowerArm},   Word{"ulna", Part::kLeftLowerArm},
    Word{"elbow", Part::kLeftLowerArm},    Word{"larm", Part::kLeftLowerArm},
    Word{"uarm", Part::kLeftUpperArm},     Word{"clavicle", Part::kLeftClavicle},
    Word{"collar", Part::kLeftClavicle},   Word{"scapula", Part::kLeftClavicle},
    Word{"thorax", Part::kLeftClavicle},   Word{"shoulder", Part::kLeftUpperArm},
    Word{"hand", Part::kLeftHand},         Word{"wrist", Part::kLeftHand},
    Word{"palm", Part::kLeftHand},         Word{"thigh", Part::kLeftThigh},
    Word{"upperleg", Part::kLeftThigh},    Word{"upleg", Part::kLeftThigh},
    Word{"femur", Part::kLeftThigh},       Word{"hip", Part::kLeftThigh},
    Word{"lowerleg", Part::kLeftShin},     Word{"shin", Part::kLeftShin},
    Word{"shank", Part::kLeftShin},        Word{"calf", Part::kLeftShin},
    Word{"tibia", Part::kLeftShin},        Word{"knee", Part::kLeftShin},
    Word{"toe", Part::kLeftToes},          Word{"foot", Part::kLeftFoot},
    Word{"ankle", Part::kLeftFoot},        Word{"leg", Part::kLeftShin},
    Word{"arm", Part::kLeftUpperArm}};

constexpr std::array kMiddleWords = {
    Word{"head", Part::kHead},         Word{"skull", Part::kHead},       Word{"neck", Part::kNeck},
    Word{"upperwaist", Part::kThorax}, Word{"upperback", Part::kThorax}, Word{"thorax", Part::kThorax},
    Word{"chest", Part::kThorax},      Word{"torso", Part::kThorax},     Word{"trunk", Part::kThorax},
    Word{"abdomen", Part::kAbdomen},   Word{"waist", Part::kAbdomen},    Word{"lowerback", Part::kAbdomen},
    Word{"lumbar", Part::kAbdomen},    Word{"belly", Part::kAbdomen},    Word{"stomach", Part::kAbdomen},
    Word{"spine", Part::kThorax},      Word{"pelvis", Part::kPelvis},    Word{"hips", Part::kPelvis},
    Word{"butt", Part::kPelvis},       Word{"root", Part::kPelvis},      Word{"hip", Part::kPelvis}};

template <size_t N>
Part match(const std::array<Word, N>& words, const std::string& text) {
  for (const Word& word : words)
    if (text.find(word.text) != std::string::npos) return word.part;
  return Part::kNone;
}

PlainName plain_name(const std::string& name) {
  PlainName out;
  for (const std::string& word : words_of(name)) {
    if (out.side == Side::kMiddle && (word == "left" || word == "l"))
      out.side = Side::kLeft;
    else if (out.side == Side::kMiddle && (word == "right" || word == "r"))
      out.side = Side::kRight;
    else
      out.text += word;
  }
  if (out.side != Side::kMiddle || out.text.size() < 2) return out;
  // "leftthigh", "lfemur": a side without a separator counts only where a limb's name follows.
  for (const auto& [prefix, side] : {std::pair<std::string_view, Side>{"left", Side::kLeft},
                                     {"right", Side::kRight},
                                     {"l", Side::kLeft},
                                     {"r", Side::kRight}}) {
    if (!out.text.starts_with(prefix)) continue;
    const std::string rest = out.text.substr(prefix.size());
    const auto begins = [&](const Word& word) { return rest.starts_with(word.text); };
    if (std::none_of(kLimbWords.begin(), kLimbWords.end(), begins)) continue;
    return {side, rest};
  }
  return out;
}

// Of several bodies with one part's name the outermost is meant for links that robots split into one body a
// joint, the innermost for what only has appendages.
bool outermost_counts(Part part) {
  switch (part) {
    case Part::kPelvis:
    case Part::kAbdomen:
    case Part::kHead:
    case Part::kLeftHand:
    case Part::kRightHand:
    case Part::kLeftToes:
    case Part::kRightToes:
      return false;
    default:
      return true;
  }
}

class PartFinder {
 public:
  PartFinder(Character& character, const std::string& file)
      : c_(character), file_(file), X_WB_(body_poses(character, character.q_rest)) {}

  void run() {
    by_name();
    if (!has_legs()) legs_by_topology();
    check_legs();
    name_pelvis();
    name_arms_and_head();
  }

 private:
  int count() const { return static_cast<int>(c_.bodies.size()); }
  Body& body(int b) { return c_.bodies[static_cast<size_t>(b)]; }
  const Body& body(int b) const { return c_.bodies[static_cast<size_t>(b)]; }
  Vec3 origin(int b) const { return X_WB_[static_cast<size_t>(b)].p; }
  bool hangs_on(int b, int ancestor) const {
    while (b > ancestor) b = body(b).parent;
    return b == ancestor;
  }
  std::vector<int> children(int b) const {
    std::vector<int> out;
    for (int i = b + 1; i < count(); ++i)
      if (body(i).parent == b) out.push_back(i);
    return out;
  }

  // Each body asks for the part of its name; of several the outermost or innermost gets it.
  void by_name() {
    std::vector<Part> asked;
    for (const Body& b : c_.bodies) asked.push_back(part_by_name(b.name));
    for (int p = 1; p < kPartCount; ++p) {
      const Part part = static_cast<Part>(p);
      int winner = -1;
      for (int b = 0; b < count(); ++b)
        if (asked[static_cast<size_t>(b)] == part && (winner < 0 || outermost_counts(part))) winner = b;
      if (winner >= 0) body(winner).part = part;
    }
    // A spine of several links: the lowest left over is the abdomen. A shoulder above an arm: the clavicle.
    for (int b = 0; b < count(); ++b) {
      if (body(b).part != Part::kNone) continue;
      const Part part = asked[static_cast<size_t>(b)];
      const bool shoulder = plain_name(body(b).name).text.starts_with("shoulder");
      if (part == Part::kThorax && c_.find(Part::kAbdomen) < 0)
        body(b).part = Part::kAbdomen;
      else if (shoulder && part == Part::kLeftUpperArm)
        claim_clavicle(b, part, Part::kLeftClavicle);
      else if (shoulder && part == Part::kRightUpperArm)
        claim_clavicle(b, part, Part::kRightClavicle);
    }
  }

  void claim_clavicle(int b, Part arm, Part clavicle) {
    const int upper_arm = c_.find(arm);
    const bool also_shoulder = plain_name(body(upper_arm).name).text.starts_with("shoulder");
    if (!also_shoulder && c_.find(clavicle) < 0) body(b).part = clavicle;
  }

  bool has_legs() const {
    return c_.find(Part::kLeftThigh) >= 0 && c_.find(Part::kRightThigh) >= 0 &&
           c_.find(Part::kLeftShin) >= 0 && c_.find(Part::kRightShin) >= 0;
  }

  // The bodies from below `top` down to `leaf`, those that sit on the same spot as their child left out:
  // a hip of three bodies counts once.
  std::vector<int> chain(int top, int leaf) const {
    std::vector<int> out;
    for (int b = leaf; b != top && b >= 0; b = body(b).parent)
      if (out.empty() || (origin(b) - origin(out.back())).norm() > 0.05) out.push_back(b);
    std::reverse(out.begin(), out.end());
    return out;
  }

  int common_ancestor(int a, int b) const {
    while (a != b) (a > b ? a : b) = body(a > b ? a : b).parent;
    return a;
  }

  // Ends of limbs that are each other's mirror image: as high, as heavy, as deep in the tree.
  struct Pair {
    int a, b, top;
  };
  std::vector<Pair> mirrored_ends() const {
    std::vector<int> ends;
    for (int b = 1; b < count(); ++b)
      if (children(b).empty()) ends.push_back(b);
    std::vector<Pair> out;
    for (size_t i = 0; i < ends.size(); ++i)
      for (size_t j = i + 1; j < ends.size(); ++j) {
        const int a = ends[i], b = ends[j], top = common_ancestor(a, b);
        const bool alike = std::abs(origin(a).z() - origin(b).z()) < 0.02 &&
                           std::abs(body(a).mass_kg - body(b).mass_kg) < 0.02 * body(a).mass_kg &&
                           chain(top, a).size() == chain(top, b).size();
        if (alike && (origin(a) - origin(b)).norm() > 0.05) out.push_back({a, b, top});
      }
    return out;
  }

  // The lowest pair of mirrored chains is the legs; left is where the feet, which point forward, have it.
  void legs_by_topology() {
    std::optional<Pair> legs;
    for (const Pair& pair : mirrored_ends())
      if (!legs || origin(pair.a).z() < origin(legs->a).z() - 0.05) legs = pair;
    if (!legs)
      throw Error(file_, 0, "has no two legs: no two chains of bodies are each other's mirror image");
    auto left = chain(legs->top, legs->a), right = chain(legs->top, legs->b);
    if (left.size() < 3) throw Error(file_, 0, "is a character without feet: no body hangs below its shins");
    Vec3 forward = Vec3::Zero();
    for (const int foot : {left[2], right[2]}) forward += extent_centre(foot) - origin(foot);
    if (Vec3::UnitZ().cross(forward).dot(origin(left[2]) - origin(right[2])) < 0) std::swap(left, right);
    const std::array left_parts = {Part::kLeftThigh, Part::kLeftShin, Part::kLeftFoot, Part::kLeftToes};
    for (size_t i = 0; i < left.size() && i < left_parts.size(); ++i) {
      claim(left[i], left_parts[i]);
      claim(right[i], part_mirror(left_parts[i]));
    }
    c_.notes.push_back("legs found by where bodies hang: left " + body(left[0]).name + ", right " +
                       body(right[0]).name);
  }

  // A body gets a part that nothing else has.
  void claim(int b, Part part) {
    if (const int holder = c_.find(part); holder >= 0) body(holder).part = Part::kNone;
    body(b).part = part;
  }

  Vec3 extent_centre(int b) const {
    Vec3 sum = X_WB_[static_cast<size_t>(b)] * body(b).p_BC;
    int n = 1;
    for (const Shape& shape : c_.shapes)
      if (shape.body == b) sum += (X_WB_[static_cast<size_t>(b)] * shape.X_BS).p, ++n;
    return sum / n;
  }

  // Legs need feet: where a name is missing, what hangs on the shin is the foot.
  void check_legs() {
    for (const auto& [shin, foot] :
         {std::pair{Part::kLeftShin, Part::kLeftFoot}, std::pair{Part::kRightShin, Part::kRightFoot}}) {
      const int b = c_.find(foot);
      if (b >= 0 && hangs_on(b, c_.find(shin))) continue;
      const auto below = children(c_.find(shin));
      if (below.empty()) throw Error(file_, 0, "is a character without feet: no body hangs below its shins");
      claim(below.front(), foot);
    }
  }

  // The pelvis is where both legs hang together, whatever it is called.
  void name_pelvis() {
    const int top = common_ancestor(c_.find(Part::kLeftThigh), c_.find(Part::kRightThigh));
    if (c_.find(Part::kPelvis) == top) return;
    if (body(top).part != Part::kNone)
      c_.notes.push_back("body " + body(top).name + " carries both legs and is taken as the pelvis");
    claim(top, Part::kPelvis);
  }

  // Arms without names: the mirrored pair that ends highest of all that is not a leg. Then a head: the
  // single end that is highest.
  void name_arms_and_head() {
    if (c_.find(Part::kLeftUpperArm) < 0 || c_.find(Part::kRightUpperArm) < 0) arms_by_topology();
    if (c_.find(Part::kHead) < 0) {
      int head = -1;
      for (int b = 1; b < count(); ++b)
        if (children(b).empty() && body(b).part == Part::kNone &&
            (head < 0 || origin(b).z() > origin(head).z()))
          head = b;
      if (head >= 0 && origin(head).z() > origin(c_.find(Part::kPelvis)).z()) claim(head, Part::kHead);
    }
    if (c_.find(Part::kThorax) >= 0) return;
    // The thorax is where both arms hang together, unless that is the pelvis.
    const int l = c_.find(Part::kLeftUpperArm), r = c_.find(Part::kRightUpperArm);
    if (l < 0 || r < 0) return;
    const int top = common_ancestor(l, r);
    if (body(top).part == Part::kNone || body(top).part == Part::kAbdomen) claim(top, Part::kThorax);
  }

  void arms_by_topology() {
    const int left_thigh = c_.find(Part::kLeftThigh), right_thigh = c_.find(Part::kRightThigh);
    const Vec3 lateral = origin(left_thigh) - origin(right_thigh);
    std::optional<Pair> arms;
    for (const Pair& pair : mirrored_ends()) {
      if (hangs_on(pair.a, left_thigh) || hangs_on(pair.a, right_thigh)) continue;
      if (body(pair.a).part == Part::kHead || body(pair.b).part == Part::kHead) continue;
      if (!arms || chain(pair.top, pair.a).size() > chain(arms->top, arms->a).size()) arms = pair;
    }
    if (!arms) return;
    auto left = chain(arms->top, arms->a), right = chain(arms->top, arms->b);
    if ((origin(left.back()) - origin(right.back())).dot(lateral) < 0) std::swap(left, right);
    std::vector<Part> parts = {Part::kLeftUpperArm, Part::kLeftLowerArm, Part::kLeftHand};
    if (left.size() > 3) parts.insert(parts.begin(), Part::kLeftClavicle);
    for (size_t i = 0; i < left.size() && i < parts.size(); ++i) {
      claim(left[i], parts[i]);
      claim(right[i], part_mirror(parts[i]));
    }
    c_.notes.push_back("arms found by where bodies hang: left " + body(left[0]).name + ", right " +
                       body(right[0]).name);
  }

  Character& c_;
  const std::string& file_;
  std::vector<Pose> X_WB_;
};

bool bears_load(Part part) {
  for (const Part p : {Part::kLeftFoot, Part::kLeftToes, Part::kLeftHand})
    if (part == p || part == part_mirror(p)) return true;
  return false;
}

// The part that a body belongs to: a body without one is counted to the nearest above it.
Part part_or_above(const Character& c, int b) {
  while (b >= 0 && c.bodies[static_cast<size_t>(b)].part == Part::kNone)
    b = c.bodies[static_cast<size_t>(b)].parent;
  return b < 0 ? Part::kNone : c.bodies[static_cast<size_t>(b)].part;
}

// Points of one shape that can bear load, in the shape's body; X_WB is that body's pose at rest.
std::vector<Vec3> low_points(const Shape& shape, const Pose& X_WB) {
  const auto in_body = [&](const Vec3& p_S) { return shape.X_BS * p_S; };
  switch (shape.type) {
    case ShapeType::kSphere:
      return {shape.X_BS.p};
    case ShapeType::kCapsule:
      return {in_body(Vec3(0, 0, -shape.size[1])), in_body(Vec3(0, 0, shape.size[1]))};
    case ShapeType::kBox: {
      std::vector<Vec3> corners;
      for (int i = 0; i < 8; ++i)
        corners.push_back(
            in_body(shape.size.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1))));
      std::stable_sort(corners.begin(), corners.end(),
                       [&](const Vec3& a, const Vec3& b) { return (X_WB * a).z() < (X_WB * b).z(); });
      corners.resize(4);
      return corners;
    }
    default: {
      // Farthest obliquely downwards: forward, back, left and right, each a little.
      std::vector<Vec3> out;
      for (const double x : {-1.0, 1.0})
        for (const double y : {-1.0, 1.0})
          out.push_back(X_WB.inverse() * support(shape, X_WB, Vec3(x, y, -2.0)));
      return out;
    }
  }
}

}  // namespace

Part part_by_name(const std::string& name) {
  const PlainName plain = plain_name(name);
  if (plain.side == Side::kMiddle) return match(kMiddleWords, plain.text);
  // A side with a middle part's name ("l_hips") is nothing that we know, but SMPL's L_Thorax is a clavicle.
  const Part left = match(kLimbWords, plain.text);
  return plain.side == Side::kLeft ? left : part_mirror(left);
}

void assign_parts(Character& character, const std::string& file) { PartFinder(character, file).run(); }

std::vector<ContactPoint> find_contact_points(const Character& character) {
  const auto X_WB = body_poses(character, character.q_rest);
  std::vector<ContactPoint> out;
  std::array<int, kPartCount> counts{};
  for (const Shape& shape : character.shapes) {
    // A hand that is a shape of the lower arm counts by its name.
    Part part = part_or_above(character, shape.body);
    if (!bears_load(part)) part = part_by_name(shape.name);
    if (!shape.collides || !bears_load(part)) continue;
    const bool round = shape.type == ShapeType::kSphere || shape.type == ShapeType::kCapsule;
    for (const Vec3& p : low_points(shape, X_WB[static_cast<size_t>(shape.body)])) {
      const int i = counts[static_cast<size_t>(part)]++;
      out.push_back({std::string(part_name(part)) + "." + std::to_string(i), shape.body, p,
                     round ? shape.size[0] : 0.0});
    }
  }
  return out;
}

}  // namespace sinew

#include "motion/skeleton_parts.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "motion/bone_names.h"

namespace sinew {

namespace {

// The parts of one side, from the body outwards.
struct LimbParts {
  Part clavicle, upper_arm, lower_arm, hand, thigh, shin, foot, toes;
};
constexpr LimbParts kLeftParts = {Part::kLeftClavicle, Part::kLeftUpperArm, Part::kLeftLowerArm,
                                  Part::kLeftHand,     Part::kLeftThigh,    Part::kLeftShin,
                                  Part::kLeftFoot,     Part::kLeftToes};
constexpr LimbParts kRightParts = {Part::kRightClavicle, Part::kRightUpperArm, Part::kRightLowerArm,
                                   Part::kRightHand,     Part::kRightThigh,    Part::kRightShin,
                                   Part::kRightFoot,     Part::kRightToes};

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

// Everything that is asked about a skeleton more than once.
class PartFinder {
 public:
  explicit PartFinder(const Clip& clip) : clip_(clip), children_(clip.bones.size()) {
    out_.bone.fill(-1);
    for (size_t i = 0; i < clip.bones.size(); ++i) {
      names_.push_back(clip.bones[i].is_end ? NameMeaning{Side::kMiddle, BoneWord::kLeftOut}
                                            : read_bone_name(clip.bones[i].name));
      if (clip.bones[i].parent >= 0)
        children_[static_cast<size_t>(clip.bones[i].parent)].push_back(static_cast<int>(i));
    }
    for (const Pose& X_WB : world_poses(clip, clip.rest)) p_W_.push_back(X_WB.p);
    number_subtrees();
    measure();
  }

  SkeletonParts find() {
    name_limbs(Side::kLeft, kLeftParts);
    name_limbs(Side::kRight, kRightParts);
    const bool by_name = has_legs();
    if (!by_name) find_legs_by_shape();
    if (!has_legs())
      throw Error(clip_.name + ": no pelvis with two legs could be found among its " +
                  std::to_string(clip_.bones.size()) + " bones, neither by name nor by shape");
    complete_leg(kLeftParts);
    complete_leg(kRightParts);
    if (part(Part::kPelvis) < 0)
      part(Part::kPelvis) = common_ancestor(part(Part::kLeftThigh), part(Part::kRightThigh));
    if (part(Part::kLeftUpperArm) < 0 || part(Part::kRightUpperArm) < 0) find_arms_by_shape();
    complete_arm(kLeftParts);
    complete_arm(kRightParts);
    find_spine();
    find_head();
    tell(by_name);
    return out_;
  }

 private:
  int& part(Part p) { return out_.bone[static_cast<size_t>(p)]; }
  const std::vector<int>& children(int bone) const { return children_[static_cast<size_t>(bone)]; }
  int parent(int bone) const { return clip_.bones[static_cast<size_t>(bone)].parent; }
  const Vec3& p_W(int bone) const { return p_W_[static_cast<size_t>(bone)]; }
  double distance(int a, int b) const { return (p_W(a) - p_W(b)).norm(); }

  // Bones come after their parents, hence passes backwards instead of recursion.
  void measure() {
    const size_t n = p_W_.size();
    chain_length_.assign(n, 0);
    lowest_below_.resize(n);
    for (size_t i = 0; i < n; ++i) lowest_below_[i] = static_cast<int>(i);
    for (size_t i = n; i-- > 1;) {
      const int up = clip_.bones[i].parent;
      if (up < 0) continue;
      chain_length_[i] += distance(static_cast<int>(i), up);
      double& above = chain_length_[static_cast<size_t>(up)];
      above = std::max(above, chain_length_[i]);
      int& lowest = lowest_below_[static_cast<size_t>(up)];
      if (p_W(lowest_below_[i]).z() < p_W(lowest).z()) lowest = lowest_below_[i];
    }
    lowest_ = highest_ = p_W_.empty() ? 0 : p_W_[0].z();
    for (const Vec3& p : p_W_) {
      lowest_ = std::min(lowest_, p.z());
      highest_ = std::max(highest_, p.z());
      for (int k = 0; k < 3; ++k) extent_ = std::max(extent_, std::abs(p[k] - p_W_[0][k]));
    }
  }

  // Depth-first numbers: the bones below a bone are an interval. Subtree sizes come from one pass backwards,
  // places from one pass forwards.
  void number_subtrees() {
    const size_t n = p_W_.size();
    size_.assign(n, 1);
    place_.assign(n, 0);
    std::vector<int> next_free(n, 0);
    for (size_t i = n; i-- > 0;)
      if (clip_.bones[i].parent >= 0) size_[static_cast<size_t>(clip_.bones[i].parent)] += size_[i];
    int next_root = 0;
    for (size_t i = 0; i < n; ++i) {
      const int up = clip_.bones[i].parent;
      int& next = up < 0 ? next_root : next_free[static_cast<size_t>(up)];
      place_[i] = next;
      next += size_[i];
      next_free[i] = place_[i] + 1;
    }
  }

  // Whether a bone is the ancestor itself or hangs below it.
  bool is_below(int bone, int ancestor) const {
    if (bone < 0 || ancestor < 0) return false;
    const auto b = static_cast<size_t>(bone), a = static_cast<size_t>(ancestor);
    return place_[b] >= place_[a] && place_[b] < place_[a] + size_[a];
  }

  int common_ancestor(int a, int b) const {
    for (int c = parent(a); c >= 0; c = parent(c))
      if (is_below(b, c)) return c;
    return -1;
  }

  bool has_legs() {
    const int left = part(Part::kLeftThigh), right = part(Part::kRightThigh);
    return left >= 0 && right >= 0 && left != right && common_ancestor(left, right) >= 0 &&
           !is_below(left, right) && !is_below(right, left) && !children(left).empty() &&
           !children(right).empty();
  }

  // The first bone in file order whose name means one of the words, in order of preference.
  int named(Side side, std::initializer_list<BoneWord> words) const {
    for (const BoneWord word : words)
      for (size_t i = 0; i < names_.size(); ++i)
        if (names_[i].side == side && names_[i].word == word) return static_cast<int>(i);
    return -1;
  }

  // Names of one side. "leg", "hip" and "shoulder" depend on what else there is.
  void name_limbs(Side side, const LimbParts& parts) {
    part(parts.thigh) = named(side, {BoneWord::kThigh});
    part(parts.shin) = named(side, {BoneWord::kShin});
    if (part(parts.thigh) < 0) part(parts.thigh) = named(side, {BoneWord::kHip});
    if (part(parts.thigh) < 0 && part(parts.shin) >= 0) part(parts.thigh) = named(side, {BoneWord::kLeg});
    if (part(parts.shin) < 0) part(parts.shin) = named(side, {BoneWord::kLeg});
    part(parts.foot) = named(side, {BoneWord::kFoot});
    part(parts.toes) = named(side, {BoneWord::kToes});
    part(parts.clavicle) = named(side, {BoneWord::kClavicle});
    part(parts.upper_arm) = named(side, {BoneWord::kArm});
    const int shoulder = named(side, {BoneWord::kShoulder});
    if (shoulder >= 0 && part(parts.upper_arm) < 0) part(parts.upper_arm) = shoulder;
    if (shoulder >= 0 && part(parts.clavicle) < 0 && part(parts.upper_arm) != shoulder)
      part(parts.clavicle) = shoulder;
    part(parts.lower_arm) = named(side, {BoneWord::kForearm});
    part(parts.hand) = named(side, {BoneWord::kHand});
    drop_unless_below({parts.thigh, parts.shin, parts.foot, parts.toes});
    drop_unless_below({parts.upper_arm, parts.lower_arm, parts.hand});
    if (part(parts.clavicle) >= 0 && part(parts.upper_arm) >= 0 &&
        !is_below(part(parts.upper_arm), part(parts.clavicle)))
      part(parts.clavicle) = -1;
  }

  // A chain's names only count while each bone hangs below the one before it.
  void drop_unless_below(std::initializer_list<Part> chain) {
    int above = -1;
    for (const Part p : chain) {
      int& bone = part(p);
      if (bone >= 0 && above >= 0 && (bone == above || !is_below(bone, above))) bone = -1;
      if (bone >= 0) above = bone;
    }
  }

  // The child that continues a limb: the one with the longest chain below it, fingers and helpers aside.
  int next_in_chain(int bone) const {
    int best = -1;
    double longest = -1;
    for (const int child : children(bone)) {
      if (clip_.bones[static_cast<size_t>(child)].is_end) continue;
      if (names_[static_cast<size_t>(child)].word == BoneWord::kLeftOut) continue;
      const double length = chain_length(child);
      if (length > longest) {
        longest = length;
        best = child;
      }
    }
    return best;
  }

  // The longest way from the parent of a bone to a leaf below it.
  double chain_length(int bone) const { return chain_length_[static_cast<size_t>(bone)]; }

  // The next bone of a limb that begins somewhere else than this one: helpers without length are passed over.
  int next_with_length(int bone) const {
    int next = next_in_chain(bone);
    while (next >= 0 && distance(next, bone) < 1e-3 * extent_) next = next_in_chain(next);
    return next;
  }

  void complete_leg(const LimbParts& parts) {
    if (part(parts.shin) < 0) part(parts.shin) = next_with_length(part(parts.thigh));
    if (part(parts.shin) >= 0 && part(parts.foot) < 0) part(parts.foot) = next_with_length(part(parts.shin));
    if (part(parts.foot) >= 0 && part(parts.toes) < 0) part(parts.toes) = next_with_length(part(parts.foot));
  }

  void complete_arm(const LimbParts& parts) {
    if (part(parts.upper_arm) < 0) return;
    if (part(parts.lower_arm) < 0) part(parts.lower_arm) = next_with_length(part(parts.upper_arm));
    if (part(parts.lower_arm) >= 0 && part(parts.hand) < 0)
      part(parts.hand) = next_with_length(part(parts.lower_arm));
  }

  int lowest_below(int bone) const { return lowest_below_[static_cast<size_t>(bone)]; }

  // How many bones there are from `top` down to its lowest leaf, `top` included; counting ends at three.
  int bones_down(int top) const {
    int count = 1;
    for (int b = lowest_below(top); b != top && count < 3; b = parent(b)) ++count;
    return count;
  }

  // The pair of children of a bone that both reach the ground, are about equally long and have at least a
  // knee.
  std::pair<int, int> leg_pair(int bone) const {
    std::vector<int> legs;
    for (const int child : children(bone)) {
      const int foot = lowest_below(child);
      const bool reaches_ground = p_W(foot).z() < lowest_ + 0.15 * (highest_ - lowest_);
      if (reaches_ground && bones_down(child) >= 3) legs.push_back(child);
    }
    for (size_t i = 0; i < legs.size(); ++i)
      for (size_t j = i + 1; j < legs.size(); ++j) {
        const double a = chain_length(legs[i]), b = chain_length(legs[j]);
        if (std::abs(a - b) < 0.2 * std::max(a, b)) return {legs[i], legs[j]};
      }
    return {-1, -1};
  }

  // A pelvis is the first bone with two equal legs that reach the ground; left is +Y.
  void find_legs_by_shape() {
    for (size_t i = 0; i < p_W_.size(); ++i) {
      auto [a, b] = leg_pair(static_cast<int>(i));
      if (a < 0) continue;
      if (p_W(lowest_below(a)).y() < p_W(lowest_below(b)).y()) std::swap(a, b);
      put_leg(a, kLeftParts);
      put_leg(b, kRightParts);
      part(Part::kPelvis) = static_cast<int>(i);
      return;
    }
  }

  // The bone whose origin is the hip: bones at the pelvis itself are passed over.
  void put_leg(int top, const LimbParts& parts) {
    while (next_in_chain(top) >= 0 && distance(top, parent(top)) < 1e-3 * extent_) top = next_in_chain(top);
    part(parts.thigh) = top;
    part(parts.shin) = part(parts.foot) = part(parts.toes) = -1;
  }

  // Above the pelvis, the first bone from which two equal chains leave to the two sides.
  void find_arms_by_shape() {
    const int pelvis = part(Part::kPelvis);
    for (size_t i = 0; i < p_W_.size(); ++i) {
      const int bone = static_cast<int>(i);
      if (!is_below(bone, pelvis) || is_below(bone, part(Part::kLeftThigh)) ||
          is_below(bone, part(Part::kRightThigh)))
        continue;
      for (const int a : children(bone))
        for (const int b : children(bone))
          if (is_arm_pair(a, b)) {
            put_arm(a, kLeftParts);
            put_arm(b, kRightParts);
            return;
          }
    }
  }

  // Whether a is a left and b a right arm: mirror images that reach out about equally far.
  bool is_arm_pair(int a, int b) const {
    if (a == b || is_below(out_[Part::kLeftThigh], a) || is_below(out_[Part::kRightThigh], a)) return false;
    if (is_below(out_[Part::kLeftThigh], b) || is_below(out_[Part::kRightThigh], b)) return false;
    const double la = chain_length(a), lb = chain_length(b);
    if (la < 0.15 * extent_ || std::abs(la - lb) > 0.2 * std::max(la, lb)) return false;
    return far_end(a).y() > far_end(b).y() + 0.05 * extent_ && next_in_chain(a) >= 0 && next_in_chain(b) >= 0;
  }

  Vec3 far_end(int bone) const {
    for (int next = bone; next >= 0; next = next_in_chain(next)) bone = next;
    return p_W(bone);
  }

  // Four or more bones with the first one short: it is a clavicle.
  void put_arm(int top, const LimbParts& parts) {
    std::vector<int> chain;
    for (int b = top; b >= 0; b = next_in_chain(b))
      if (chain.empty() || distance(b, chain.back()) > 1e-3 * extent_) chain.push_back(b);
    const bool has_clavicle =
        chain.size() >= 4 && distance(chain[0], chain[1]) < 0.75 * distance(chain[1], chain[2]);
    const size_t first = has_clavicle ? 1 : 0;
    part(parts.clavicle) = has_clavicle ? chain[0] : -1;
    part(parts.upper_arm) = chain[first];
    part(parts.lower_arm) = chain.size() > first + 1 ? chain[first + 1] : -1;
    part(parts.hand) = chain.size() > first + 2 ? chain[first + 2] : -1;
  }

  // Where the arms leave the trunk; without arms, where the neck or head does.
  int trunk_top() {
    const auto arm = [&](const LimbParts& parts) {
      return part(parts.clavicle) >= 0 ? part(parts.clavicle) : part(parts.upper_arm);
    };
    const int left = arm(kLeftParts), right = arm(kRightParts);
    if (left >= 0 && right >= 0) return common_ancestor(left, right);
    const int neck = named(Side::kMiddle, {BoneWord::kNeck, BoneWord::kHead});
    if (neck >= 0) return parent(neck);
    return left >= 0 ? parent(left) : right >= 0 ? parent(right) : -1;
  }

  // The thorax carries the arms; the abdomen is the first bone above the pelvis that begins somewhere else
  // and moves (or, if nothing moves, just the first).
  void find_spine() {
    const int pelvis = part(Part::kPelvis);
    const int top = trunk_top();
    if (top < 0 || top == pelvis) return;
    std::vector<int> spine;
    for (int b = top; b >= 0 && !is_below(pelvis, b); b = parent(b)) spine.push_back(b);
    std::reverse(spine.begin(), spine.end());
    if (spine.empty()) return;
    part(Part::kThorax) = spine.back();
    spine.pop_back();
    for (const bool must_move : {true, false})
      for (const bool must_have_offset : {true, false})
        for (const int b : spine) {
          if (part(Part::kAbdomen) >= 0) return;
          const bool offset = distance(b, pelvis) > 1e-3 * extent_;
          if ((offset || !must_have_offset) && (moves(b) || !must_move)) part(Part::kAbdomen) = b;
        }
  }

  bool moves(int bone) const {
    const auto b = static_cast<size_t>(bone);
    const size_t step = std::max<size_t>(1, clip_.frames.size() / 50);
    for (size_t f = step; f < clip_.frames.size(); f += step)
      if (angle_between(clip_.frames[0][b].q, clip_.frames[f][b].q) > 0.01) return true;
    return false;
  }

  // Neck and head by name, else what continues the trunk between the arms.
  void find_head() {
    int trunk = part(Part::kThorax) >= 0 ? part(Part::kThorax) : part(Part::kPelvis);
    part(Part::kHead) = named(Side::kMiddle, {BoneWord::kHead});
    const int first_neck = named(Side::kMiddle, {BoneWord::kNeck});
    part(Part::kNeck) = first_neck;
    // A first neck bone without offset gives way to a second one.
    for (size_t i = 0; i < names_.size() && first_neck >= 0; ++i) {
      const bool is_neck = names_[i].word == BoneWord::kNeck && names_[i].side == Side::kMiddle;
      if (is_neck && distance(static_cast<int>(i), trunk) > 1e-3 * extent_) {
        part(Part::kNeck) = static_cast<int>(i);
        break;
      }
    }
    if (part(Part::kHead) < 0 && first_neck >= 0) part(Part::kHead) = next_with_length(part(Part::kNeck));
    if (part(Part::kHead) >= 0 || part(Part::kNeck) >= 0) return;
    std::vector<int> way;
    for (int b = highest_of_trunk(trunk); b >= 0 && b != trunk; b = parent(b)) way.push_back(b);
    if (way.size() >= 2) part(Part::kNeck) = way.back();
    if (!way.empty()) part(Part::kHead) = way.front();
  }

  int highest_of_trunk(int trunk) {
    int best = -1;
    for (size_t i = 0; i < p_W_.size(); ++i) {
      const int bone = static_cast<int>(i);
      if (bone == trunk || !is_below(bone, trunk) || clip_.bones[i].is_end) continue;
      if (is_in_a_limb(bone) || names_[i].word == BoneWord::kLeftOut) continue;
      if (best < 0 || p_W_[i].z() > p_W(best).z()) best = bone;
    }
    return best;
  }

  bool is_in_a_limb(int bone) {
    for (const LimbParts& parts : {kLeftParts, kRightParts})
      for (const Part p : {parts.clavicle, parts.upper_arm, parts.thigh})
        if (part(p) >= 0 && is_below(bone, part(p))) return true;
    return false;
  }

  // What was matched how, what is missing, which bones play no part.
  void tell(bool by_name) {
    const std::set<int> used(out_.bone.begin(), out_.bone.end());
    std::vector<std::string> unused, missing;
    for (size_t i = 0; i < clip_.bones.size(); ++i)
      if (!clip_.bones[i].is_end && !used.contains(static_cast<int>(i)))
        unused.push_back(clip_.bones[i].name);
    size_t found = 0;
    for (int p = 1; p < kPartCount; ++p) {
      if (out_.bone[static_cast<size_t>(p)] >= 0)
        ++found;
      else
        missing.emplace_back(part_name(static_cast<Part>(p)));
    }
    out_.notes.push_back(std::to_string(found) + " of " + std::to_string(kPartCount - 1) + " parts found " +
                         (by_name ? "by the names of the bones"
                                  : "by the shape of the skeleton, because the names say too little"));
    if (!missing.empty()) out_.notes.push_back("the skeleton lacks " + joined(missing));
    if (unused.size() > 12) {
      const std::string more = std::to_string(unused.size() - 12) + " more";
      unused.resize(12);
      unused.push_back(more);
    }
    if (!unused.empty()) out_.notes.push_back("bones that play no part: " + joined(unused));
  }

  const Clip& clip_;
  std::vector<std::vector<int>> children_;
  std::vector<NameMeaning> names_;
  std::vector<Vec3> p_W_;
  std::vector<double> chain_length_;  // from a bone's parent to the farthest leaf below the bone
  std::vector<int> lowest_below_;     // the lowest bone of each subtree
  std::vector<int> place_, size_;     // depth-first number of each bone, size of its subtree
  double lowest_ = 0, highest_ = 0, extent_ = 0;
  SkeletonParts out_;
};

}  // namespace

SkeletonParts find_parts(const Clip& clip) { return PartFinder(clip).find(); }

}  // namespace sinew

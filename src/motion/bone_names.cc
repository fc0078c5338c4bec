#include "motion/bone_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

namespace sinew {

namespace {

using Tokens = std::vector<std::string>;

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "mixamorig:LHipJoint_01" -> l, hip, joint, 01: split at signs, at digits and where capitals begin.
Tokens split_name(std::string_view name) {
  if (const size_t colon = name.find_last_of(":|"); colon != name.npos) name.remove_prefix(colon + 1);
  Tokens tokens;
  std::string token;
  const auto finish = [&] {
    if (!token.empty()) tokens.push_back(token);
    token.clear();
  };
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const char before = i ? name[i - 1] : '\0';
    const char after = i + 1 < name.size() ? name[i + 1] : '\0';
    if (!is_upper(c) && !is_lower(c) && !is_digit(c)) {
      finish();
      continue;
    }
    if (is_upper(c) && (is_lower(before) || is_digit(before) || (is_upper(before) && is_lower(after))))
      finish();
    if (is_digit(c) != is_digit(before)) finish();
    token += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  finish();
  return tokens;
}

// Rigs put their own name before every bone.
void drop_prefixes(Tokens& tokens) {
  constexpr std::array<std::string_view, 18> kPrefixes = {
      "mixamorig", "bip", "biped",    "valve",    "def", "org", "mch", "cc", "base",
      "character", "rig", "armature", "skeleton", "jnt", "jt",  "j",   "bn", "bone"};
  size_t n = 0;
  while (n + 1 < tokens.size()) {
    const bool prefix = std::find(kPrefixes.begin(), kPrefixes.end(), tokens[n]) != kPrefixes.end();
    const bool number_of_prefix = n > 0 && is_digit(tokens[n][0]);
    if (!prefix && !number_of_prefix) break;
    ++n;
  }
  tokens.erase(tokens.begin(), tokens.begin() + static_cast<long>(n));
}

std::optional<Side> side_of(std::string_view token) {
  if (token == "l" || token == "left" || token == "lft" || token == "lf") return Side::kLeft;
  if (token == "r" || token == "right" || token == "rgt" || token == "rt") return Side::kRight;
  return std::nullopt;
}

// Takes the token that names a side out of the list.
Side take_side(Tokens& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i)
    if (const auto side = side_of(tokens[i])) {
      tokens.erase(tokens.begin() + static_cast<long>(i));
      return *side;
    }
  return Side::kMiddle;
}

bool names_left_out_thing(const Tokens& tokens) {
  constexpr std::array<std::string_view, 52> kThings = {
      "finger",  "fingers",  "thumb",     "thumbs",     "index",  "middle",     "ring",     "pinky",
      "little",  "pinkie",   "carpal",    "metacarpal", "twist",  "roll",       "ik",       "fk",
      "pole",    "ctrl",     "control",   "target",     "nub",    "tip",        "effector", "site",
      "helper",  "eye",      "eyes",      "jaw",        "hair",   "ear",        "brow",     "tongue",
      "lip",     "cheek",    "teeth",     "nose",       "breast", "pectoral",   "tail",     "weapon",
      "prop",    "ponytail", "footsteps", "corrective", "end",    "fingerbase", "skirt",    "cape",
      "buttock", "glute",    "lash",      "eyelid"};
  return std::any_of(tokens.begin(), tokens.end(), [&](const std::string& token) {
    return std::find(kThings.begin(), kThings.end(), token) != kThings.end();
  });
}

struct Entry {
  std::string_view key;
  BoneWord word;
};

// Keys are the tokens without side and digits, joined.
constexpr std::array kSided = {Entry{"hipjoint", BoneWord::kHipJoint},
                               Entry{"buttock", BoneWord::kHipJoint},
                               Entry{"pelvis", BoneWord::kHipJoint},
                               Entry{"upleg", BoneWord::kThigh},
                               Entry{"upperleg", BoneWord::kThigh},
                               Entry{"thigh", BoneWord::kThigh},
                               Entry{"thighbend", BoneWord::kThigh},
                               Entry{"femur", BoneWord::kThigh},
                               Entry{"legupper", BoneWord::kThigh},
                               Entry{"hip", BoneWord::kHip},
                               Entry{"leg", BoneWord::kLeg},
                               Entry{"lowerleg", BoneWord::kShin},
                               Entry{"lowleg", BoneWord::kShin},
                               Entry{"shin", BoneWord::kShin},
                               Entry{"shinbend", BoneWord::kShin},
                               Entry{"calf", BoneWord::kShin},
                               Entry{"tibia", BoneWord::kShin},
                               Entry{"knee", BoneWord::kShin},
                               Entry{"leglower", BoneWord::kShin},
                               Entry{"foot", BoneWord::kFoot},
                               Entry{"ankle", BoneWord::kFoot},
                               Entry{"toe", BoneWord::kToes},
                               Entry{"toes", BoneWord::kToes},
                               Entry{"toebase", BoneWord::kToes},
                               Entry{"ball", BoneWord::kToes},
                               Entry{"metatarsals", BoneWord::kToes},
                               Entry{"forefoot", BoneWord::kToes},
                               Entry{"shoulder", BoneWord::kShoulder},
                               Entry{"collar", BoneWord::kClavicle},
                               Entry{"clavicle", BoneWord::kClavicle},
                               Entry{"collarbone", BoneWord::kClavicle},
                               Entry{"shoulderblade", BoneWord::kClavicle},
                               Entry{"arm", BoneWord::kArm},
                               Entry{"upperarm", BoneWord::kArm},
                               Entry{"uparm", BoneWord::kArm},
                               Entry{"shldr", BoneWord::kArm},
                               Entry{"shldrbend", BoneWord::kArm},
                               Entry{"humerus", BoneWord::kArm},
                               Entry{"armupper", BoneWord::kArm},
                               Entry{"forearm", BoneWord::kForearm},
                               Entry{"forearmbend", BoneWord::kForearm},
                               Entry{"lowerarm", BoneWord::kForearm},
                               Entry{"lowarm", BoneWord::kForearm},
                               Entry{"elbow", BoneWord::kForearm},
                               Entry{"radius", BoneWord::kForearm},
                               Entry{"armlower", BoneWord::kForearm},
                               Entry{"hand", BoneWord::kHand},
                               Entry{"wrist", BoneWord::kHand}};

constexpr std::array kMiddle = {
    Entry{"hips", BoneWord::kPelvis},        Entry{"hip", BoneWord::kPelvis},
    Entry{"pelvis", BoneWord::kPelvis},      Entry{"root", BoneWord::kPelvis},
    Entry{"spine", BoneWord::kSpine},        Entry{"lowerback", BoneWord::kSpine},
    Entry{"upperback", BoneWord::kSpine},    Entry{"back", BoneWord::kSpine},
    Entry{"thorax", BoneWord::kSpine},       Entry{"chest", BoneWord::kSpine},
    Entry{"upperchest", BoneWord::kSpine},   Entry{"chestupper", BoneWord::kSpine},
    Entry{"chestlower", BoneWord::kSpine},   Entry{"abdomen", BoneWord::kSpine},
    Entry{"abdomenlower", BoneWord::kSpine}, Entry{"abdomenupper", BoneWord::kSpine},
    Entry{"ab", BoneWord::kSpine},           Entry{"torso", BoneWord::kSpine},
    Entry{"waist", BoneWord::kSpine},        Entry{"neck", BoneWord::kNeck},
    Entry{"lowerneck", BoneWord::kNeck},     Entry{"upperneck", BoneWord::kNeck},
    Entry{"necklower", BoneWord::kNeck},     Entry{"neckupper", BoneWord::kNeck},
    Entry{"head", BoneWord::kHead}};

template <typename Table>
BoneWord look_up(const Table& table, std::string_view key) {
  for (const Entry& entry : table)
    if (entry.key == key) return entry.word;
  return BoneWord::kUnknown;
}

// Without separators or capitals the side sticks to the word: "lfemur", "leftupleg", "thighl".
std::optional<NameMeaning> read_glued(const std::string& key) {
  constexpr std::pair<std::string_view, Side> kSides[] = {
      {"left", Side::kLeft}, {"right", Side::kRight}, {"l", Side::kLeft}, {"r", Side::kRight}};
  for (const auto& [text, side] : kSides) {
    BoneWord word = BoneWord::kUnknown;
    if (key.starts_with(text)) word = look_up(kSided, std::string_view(key).substr(text.size()));
    if (word != BoneWord::kUnknown) return NameMeaning{side, word};
  }
  return std::nullopt;
}

bool is_glued_left_out(const std::string& key) {
  return key == "lthumb" || key == "rthumb" || key == "lfingers" || key == "rfingers";
}

}  // namespace

NameMeaning read_bone_name(std::string_view name) {
  Tokens tokens = split_name(name);
  drop_prefixes(tokens);
  const bool left_out = names_left_out_thing(tokens);
  const Side side = take_side(tokens);
  std::erase_if(tokens, [](const std::string& token) { return is_digit(token[0]) || token == "c"; });
  std::string key;
  for (const std::string& token : tokens) key += token;
  if (left_out || is_glued_left_out(key)) return {side, BoneWord::kLeftOut};

  // Known with its side, known as a part of the middle, or the side is glued on.
  if (side != Side::kMiddle) return {side, look_up(kSided, key)};
  if (const BoneWord word = look_up(kMiddle, key); word != BoneWord::kUnknown) return {side, word};
  if (const auto glued = read_glued(key)) return *glued;
  return {};
}

}  // namespace sinew

#include "world/library.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "core/error.h"
#include "core/random.h"
#include "world/builder.h"
#include "world/key_values.h"
#include "world/mjcf_world.h"

namespace sinew {

namespace {

using Values = std::map<std::string, double>;
using Build = void (*)(World& world, const Values& at);

struct Recipe {
  WorldEntry entry;
  Build build;
};

const Pose kHere;

Pose moved(double x, double y, double z) { return {Vec3(x, y, z), Quat::Identity()}; }

Vec4 shaded(const Vec4& rgba, double by) {
  Vec4 out = (by * rgba).cwiseMin(1.0);
  out[3] = rgba[3];
  return out;
}

// Turned about Y so that X points uphill.
Quat uphill(double angle_rad) { return exp_map(Vec3(0, -angle_rad, 0)); }

void build_flat(World& world, const Values&) { world.shapes.push_back(make_plane(kHere, colours::kFloor)); }

void build_slope(World& world, const Values& at) {
  world.shapes.push_back(make_plane({Vec3::Zero(), uphill(radians(at.at("deg")))}, colours::kFloor));
}

void build_ice(World& world, const Values&) { world.shapes.push_back(make_plane(kHere, colours::kIce)); }

// Stones in a strip along the way, sunk so far that each sticks out by what chance gave it.
void build_pebbles(World& world, const Values& at) {
  constexpr double kFree = 0.3, kFrom = -0.5, kLength = 7, kWidth = 1.4;
  world.shapes.push_back(make_plane(kHere, colours::kFloor));
  const auto seed = static_cast<uint64_t>(at.at("seed"));
  const auto count = static_cast<size_t>(at.at("count"));
  for (uint64_t draw = 0; world.shapes.size() < count + 1; ++draw) {
    Random random(seed, draw);
    const double out = at.at("size") * random.between(0.4, 1);
    const double radius = out * random.between(1.3, 2.5);
    const double x = random.between(kFrom, kFrom + kLength), y = random.between(-kWidth / 2, kWidth / 2);
    if (std::hypot(x, y) - radius < kFree) continue;
    world.shapes.push_back(
        ground(make_sphere("pebble" + std::to_string(world.shapes.size() - 1), Vec3(x, y, out - radius),
                           radius, shaded(colours::kStone, random.between(0.85, 1.15)))));
  }
}

// A wall of the beam's height, and a podium from which one steps onto it.
void build_beam(World& world, const Values& at) {
  constexpr double kBack = 1.5, kLength = 12;
  const double height = at.at("height"), begin = at.at("at");
  world.shapes.push_back(make_plane(moved(0, 0, -height), colours::kFloor));
  const double back = begin > 0 ? begin : -kBack;
  world.shapes.push_back(ground(make_box("beam", Vec3(kLength / 2, at.at("width") / 2, height / 2),
                                         moved(back + kLength / 2, 0, -height / 2), colours::kWood)));
  if (begin > 0)
    world.shapes.push_back(ground(make_box("podium", Vec3((kBack + begin) / 2, 0.5, height / 2),
                                           moved((begin - kBack) / 2, 0, -height / 2), colours::kStone)));
}

// A tilted block, so thick that it reaches into the floor over its whole length.
void build_ramp(World& world, const Values& at) {
  constexpr double kLength = 10, kHalfWidth = 2;
  const double angle = radians(at.at("deg"));
  const double thick = kLength * std::sin(angle) + 0.2;
  const Quat q = uphill(angle);
  const Vec3 edge(at.at("at"), 0, 0);
  world.shapes.push_back(make_plane(kHere, colours::kFloor));
  world.shapes.push_back(ground(make_box("ramp", Vec3(kLength / 2, kHalfWidth, thick / 2),
                                         {edge + q * Vec3(kLength / 2, 0, -thick / 2), q}, colours::kStone)));
}

void build_raise(World& world, const Values& at) {
  constexpr double kLength = 20, kHalfWidth = 2;
  const double height = at.at("height");
  world.shapes.push_back(make_plane(kHere, colours::kFloor));
  world.shapes.push_back(ground(make_box("step", Vec3(kLength / 2, kHalfWidth, height / 2),
                                         moved(at.at("at") + kLength / 2, 0, height / 2), colours::kStone)));
}

void build_drop(World& world, const Values& at) {
  constexpr double kLength = 10, kHalfWidth = 2;
  const double height = at.at("height");
  world.shapes.push_back(make_plane(moved(0, 0, -height), colours::kFloor));
  world.shapes.push_back(ground(make_box("platform", Vec3(kLength / 2, kHalfWidth, height / 2),
                                         moved(at.at("at") - kLength / 2, 0, -height / 2), colours::kStone)));
}

void build_pad(World& world, const Values& at) {
  WorldShape pad = make_plane(kHere, colours::kMat);
  pad.shape.name = "pad";
  pad.softness_s = at.at("softness");
  pad.give_m = at.at("give");
  world.shapes.push_back(std::move(pad));
}

void build_platform(World& world, const Values& at) {
  const Vec3 half(5, 1.5, 0.06);
  const double angle = radians(at.at("deg"));
  Prop slab;
  slab.name = "platform";
  slab.drive = Drive::kMoved;
  slab.X_WP = moved(3, 0, -half.z());
  slab.sway_m = at.at("amplitude") * Vec3(std::cos(angle), std::sin(angle), 0);
  slab.period_s = at.at("period");
  world.props.push_back(slab);
  world.shapes.push_back(make_plane(moved(0, 0, -0.3), colours::kFloor));
  world.shapes.push_back(ground(make_box("platform", half, kHere, colours::kSlab, 0)));
}

// A plank over a log. It turns about the middle of its underside, where it lies on the log; its middle is a
// little nearer than the log, so that this end stays down until somebody has walked past it.
void build_seesaw(World& world, const Values& at) {
  constexpr double kClearance = 0.002, kNearer = 0.05, kDamping = 15;
  const Vec3 half(1.5, 0.4, 0.0125);
  const double angle = radians(at.at("deg"));
  const double pivot_from_end = half.x() + kNearer;
  const double height = pivot_from_end * std::sin(angle) + kClearance;
  const double pivot_x = at.at("at") + pivot_from_end * std::cos(angle);

  Prop plank;
  plank.name = "plank";
  plank.drive = Drive::kHinge;
  plank.p_PJ = Vec3(kNearer, 0, -half.z());
  plank.axis_P = Vec3::UnitY();
  plank.X_WP.q = uphill(angle);
  plank.X_WP.p = Vec3(pivot_x, 0, height) - plank.X_WP.q * plank.p_PJ;
  plank.lower = 0;
  plank.upper = 2 * angle;
  plank.damping = kDamping;

  world.shapes.push_back(make_plane(kHere, colours::kFloor));
  WorldShape log = make_box("log", Vec3::Zero(), moved(pivot_x, 0, 0), colours::kDarkWood);
  log.shape.type = ShapeType::kCylinder;
  log.shape.X_BS.q = exp_map(Vec3(kPi / 2, 0, 0));
  log.shape.size = Vec3(0.95 * height, half.y(), 0);
  world.shapes.push_back(std::move(log));
  world.shapes.push_back(ground(make_box("plank", half, kHere, colours::kWood, 0)));
  weigh(plank, world.shapes, 0, 500);
  world.props.push_back(std::move(plank));
}

// Cardboard boxes, one every so often along the way, each turned its own way.
void build_blocks(World& world, const Values& at) {
  constexpr double kFirst = 0.8, kEvery = 0.5, kLight = 0.5, kHeavy = 2;
  const auto seed = static_cast<uint64_t>(at.at("seed"));
  const int count = static_cast<int>(at.at("count"));
  world.shapes.push_back(make_plane(kHere, colours::kFloor));
  for (int i = 0; i < count; ++i) {
    Random random(seed, static_cast<uint64_t>(i));
    Vec3 half;
    for (double& side : half) side = random.between(0.06, 0.12);
    Prop block;
    block.name = "block" + std::to_string(i);
    const double x = kFirst + kEvery * i + random.between(0, 0.1), y = random.between(-0.25, 0.25);
    block.X_WP = {Vec3(x, y, half.z()), exp_map(Vec3(0, 0, random.between(-kPi, kPi)))};
    world.shapes.push_back(
        make_box(block.name, half, kHere, shaded(colours::kWood, random.between(0.85, 1.1)), i));
    weigh(block, world.shapes, i, random.between(kLight, kHeavy) / (8 * half.prod()));
    world.props.push_back(std::move(block));
  }
}

// Seat and back of a chair in a frame on the floor under the middle of the hips, facing +X.
struct ChairSize {
  double seat_front = 0.30, seat_back = -0.135, half_width = 0.22, half_thick = 0.02;
  double back_height = 0.48, back_tilt = radians(3);
};
std::vector<WorldShape> seat_and_back(double seat_height, int body) {
  const ChairSize c;
  const double mid = 0.5 * (c.seat_front + c.seat_back), half = 0.5 * (c.seat_front - c.seat_back);
  const Quat lean = exp_map(Vec3(0, -c.back_tilt, 0));
  const Vec3 foot(c.seat_back, 0, seat_height - c.half_thick);
  return {make_box("seat", Vec3(half, c.half_width, c.half_thick), moved(mid, 0, seat_height - c.half_thick),
                   colours::kWood, body),
          make_box("back", Vec3(c.half_thick, c.half_width, c.back_height / 2),
                   {foot + lean * Vec3(-c.half_thick, 0, c.back_height / 2), lean}, colours::kWood, body)};
}

// Four legs from under the seat down to a height.
std::vector<WorldShape> chair_legs(double seat_height, double down_to, int body) {
  const ChairSize c;
  const double top = seat_height - 2 * c.half_thick, thick = 0.02;
  std::vector<WorldShape> out;
  for (const double x : {c.seat_back + thick, c.seat_front - thick})
    for (const double y : {-c.half_width + thick, c.half_width - thick})
      out.push_back(make_box("leg" + std::to_string(out.size()), Vec3(thick, thick, (top - down_to) / 2),
                             moved(x, y, (top + down_to) / 2), colours::kDarkWood, body));
  return out;
}

void build_chair(World& world, const Values& at) {
  world.shapes.push_back(make_plane(kHere, colours::kFloor));
  for (const auto& parts : {seat_and_back(at.at("height"), -1), chair_legs(at.at("height"), 0, -1)})
    for (WorldShape part : parts) {
      part.shape.X_BS.p.x() += at.at("at");
      world.shapes.push_back(std::move(part));
    }
}

// Two runners, bent upwards to both sides: they are only seen, the hinge holds the chair.
std::vector<WorldShape> runners(double middle_x, int body) {
  constexpr double kRadius = 1.5, kThick = 0.025, kReach = radians(17);
  constexpr int kPieces = 8;
  const ChairSize c;
  const auto at = [&](int i, double y) {
    const double angle = kReach * (2.0 * i / kPieces - 1);
    return Vec3(middle_x + kRadius * std::sin(angle), y, kThick + kRadius * (1 - std::cos(angle)));
  };
  std::vector<WorldShape> out;
  for (const double y : {-c.half_width, c.half_width})
    for (int i = 0; i < kPieces; ++i) {
      WorldShape piece = make_capsule("runner" + std::to_string(out.size()), at(i, y), at(i + 1, y), kThick,
                                      colours::kDarkWood, body);
      piece.shape.collides = false;
      out.push_back(std::move(piece));
    }
  return out;
}

// A rocking chair. Where a runner rolls, the chair turns about the place on the floor below it; a hinge there
// with a spring in the place of the runner's rounding does the same and needs no rolling contact.
void build_rocker(World& world, const Values& at) {
  constexpr double kMiddle = 0.07, kLimit = radians(15), kLegs = 0.062;
  Prop chair;
  chair.name = "rocker";
  chair.drive = Drive::kHinge;
  chair.p_PJ = Vec3(kMiddle, 0, 0);
  chair.axis_P = Vec3::UnitY();
  chair.X_WP = moved(at.at("at"), 0, 0);
  chair.lower = -kLimit;
  chair.upper = kLimit;
  chair.stiffness = at.at("stiffness");
  chair.damping = at.at("damping");
  for (const auto& parts : {seat_and_back(at.at("height"), 0), chair_legs(at.at("height"), kLegs, 0)})
    world.shapes.insert(world.shapes.end(), parts.begin(), parts.end());
  weigh(chair, world.shapes, 0, 600);
  const auto bent = runners(kMiddle, 0);
  world.shapes.insert(world.shapes.end(), bent.begin(), bent.end());
  world.shapes.insert(world.shapes.begin(), make_plane(kHere, colours::kFloor));
  world.props.push_back(std::move(chair));
}

constexpr double kOwn = std::numeric_limits<double>::quiet_NaN();

// What every world can be told.
void add_common(WorldEntry& entry) {
  const auto has = [&](const std::string& name) {
    return std::any_of(entry.parameters.begin(), entry.parameters.end(),
                       [&](const WorldParameter& p) { return p.name == name; });
  };
  if (!has("friction"))
    entry.parameters.push_back(
        {"friction", kOwn, 0, 2, "friction coefficient; without it the character's own counts"});
  entry.parameters.push_back({"gravity", 9.81, 0, 30, "m/s^2, downwards"});
}

std::vector<Recipe> make_recipes() {
  std::vector<Recipe> out = {
      {{"flat", "a level floor", {}}, build_flat},
      {{"slope", "a tilted floor", {{"deg", 10, -30, 30, "its angle; negative: downhill"}}}, build_slope},
      {{"ice", "a slippery floor", {{"friction", 0.1, 0, 2, "friction coefficient"}}}, build_ice},
      {{"pebbles",
        "stones fixed in the floor, 7 m along the way",
        {{"seed", 1, 0, 999999, "another number, other stones", true},
         {"size", 0.025, 0.001, 0.1, "how far they stick out at most, m"},
         {"count", 140, 1, 500, "how many", true}}},
       build_pebbles},
      {{"beam",
        "a narrow beam above the floor, after a podium",
        {{"width", 0.1, 0.02, 2, "m"},
         {"height", 0.3, 0.05, 3, "above the floor, m"},
         {"at", 0.5, 0, 5, "where the podium ends, m; 0: no podium"}}},
       build_beam},
      {{"ramp",
        "a level floor, then uphill",
        {{"deg", 10, 1, 30, "angle of the ramp"}, {"at", 1, 0, 20, "where it begins, m"}}},
       build_ramp},
      {{"raise", "a step up", {{"height", 0.1, 0.005, 1, "m"}, {"at", 1, 0, 20, "where it begins, m"}}},
       build_raise},
      {{"drop", "a step down", {{"height", 0.5, 0.01, 3, "m"}, {"at", 1, 0, 9, "where the edge is, m"}}},
       build_drop},
      {{"pad",
        "a soft mat",
        {{"softness", 0.03, 0.005, 0.2, "time in which it gives way, s"},
         {"give", 0.05, 0, 0.3, "how deep it may be pressed, m"}}},
       build_pad},
      {{"platform",
        "a slab that sways to and fro",
        {{"amplitude", 0.1, 0, 1, "to each side, m"},
         {"period", 2, 0.3, 60, "s"},
         {"deg", 0, -360, 360, "0: along the way, 90: sideways"}}},
       build_platform},
      {{"seesaw",
        "a plank over a log, on the way",
        {{"at", 0.6, 0.1, 10, "where it begins, m"}, {"deg", 5, 1, 15, "how far it tips to each side"}}},
       build_seesaw},
      {{"blocks",
        "light boxes in the way",
        {{"seed", 1, 0, 999999, "another number, other boxes", true}, {"count", 6, 1, 40, "how many", true}}},
       build_blocks},
      {{"chair",
        "a chair under a character that sits at the start",
        {{"height", 0.43, 0.2, 1, "of the seat, m"},
         {"at", 0, -5, 5, "where the hips are, m; -0.42: behind one who stands"}}},
       build_chair},
      {{"rocker",
        "a rocking chair under a character that sits at the start",
        {{"height", 0.43, 0.2, 1, "of the seat, m"},
         {"at", 0, -5, 5, "where the hips are, m"},
         {"stiffness", 920, 100, 10000, "towards upright, N m/rad"},
         {"damping", 30, 0, 1000, "N m s/rad"}}},
       build_rocker}};
  for (Recipe& recipe : out) add_common(recipe.entry);
  return out;
}

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> kRecipes = make_recipes();
  return kRecipes;
}

template <typename Range, typename Name>
std::string listed(const Range& range, Name name) {
  std::string out;
  for (const auto& item : range) out += (out.empty() ? "" : ", ") + name(item);
  return out;
}

const Recipe& find_recipe(const std::string& name) {
  for (const Recipe& recipe : recipes())
    if (recipe.entry.name == name) return recipe;
  throw Error("there is no world '" + name + "': there are " +
              listed(recipes(), [](const Recipe& r) { return r.entry.name; }) + ", or a file FILE.xml");
}

Values read_values(const WorldEntry& entry, const std::string& text) {
  const std::string what = "world " + entry.name;
  Values values;
  for (const WorldParameter& parameter : entry.parameters) values[parameter.name] = parameter.value;
  for (const auto& [key, value] : split_key_values(text, what)) {
    const auto at = std::find_if(entry.parameters.begin(), entry.parameters.end(),
                                 [&key = key](const WorldParameter& p) { return p.name == key; });
    if (at == entry.parameters.end())
      throw Error(what + " has no parameter '" + key + "': it has " +
                  listed(entry.parameters, [](const WorldParameter& p) { return p.name; }));
    values[key] = number_in(what, key, value, at->lower, at->upper, at->whole);
  }
  return values;
}

}  // namespace

const std::vector<WorldEntry>& list_worlds() {
  static const std::vector<WorldEntry> kEntries = [] {
    std::vector<WorldEntry> out;
    for (const Recipe& recipe : recipes()) out.push_back(recipe.entry);
    return out;
  }();
  return kEntries;
}

bool is_world_file(const std::string& name_or_file) {
  return name_or_file.ends_with(".xml") || name_or_file.ends_with(".XML") ||
         name_or_file.find('/') != std::string::npos;
}

World make_world(const std::string& name_or_file) {
  if (is_world_file(name_or_file)) return load_world_file(name_or_file);
  const size_t colon = name_or_file.find(':');
  const Recipe& recipe = find_recipe(name_or_file.substr(0, colon));
  Values values;
  if (colon == std::string::npos) {
    for (const WorldParameter& parameter : recipe.entry.parameters) values[parameter.name] = parameter.value;
  } else {
    values = read_values(recipe.entry, name_or_file.substr(colon + 1));
  }

  World world;
  world.name = name_or_file;
  world.gravity = Vec3(0, 0, -values.at("gravity"));
  recipe.build(world, values);
  if (const double friction = values.at("friction"); !std::isnan(friction))
    for (WorldShape& surface : world.shapes) surface.friction = friction;
  return world;
}

}  // namespace sinew

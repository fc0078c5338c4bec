#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "character/character.h"
#include "character/state.h"

namespace sinew {

// How a thing of the world moves.
enum class Drive {
  kFree,   // falls, is pushed, rolls
  kHinge,  // turns about an axis that is fixed in the world
  kMoved,  // goes its own way, whatever touches it
};

// A thing of the world that moves: a block, a thrown ball, a seesaw, a platform. Its shapes are
// World::shapes with its index.
struct Prop {
  std::string name;
  Drive drive = Drive::kFree;
  Pose X_WP;                    // at the start
  double mass_kg = 1;           // kMoved: not used
  Vec3 p_PC = Vec3::Zero();     // centre of mass, in its frame
  Mat3 I_C = Mat3::Identity();  // about the centre of mass, in its axes, kg m^2
  // kHinge
  Vec3 p_PJ = Vec3::Zero();     // anchor, in its frame
  Vec3 axis_P = Vec3::UnitY();  // unit length
  double lower = 0, upper = 0;  // rad from the start; equal: no limits
  double stiffness = 0;         // N m/rad towards the start
  double damping = 0;           // N m s/rad
  // kMoved: p(t) = start + s(t) sway sin(2 pi t / period), s from 0 to 1 smoothly over the first period
  Vec3 sway_m = Vec3::Zero();
  double period_s = 1;
  // A thrown ball before its time: held still and touched by nothing until Simulator::set_prop puts it
  // somewhere; from then on it is like any other. Ground heights and pictures pass it over while it waits.
  bool waiting = false;
};

// A surface of the ground or of a prop.
struct WorldShape {
  Shape shape;  // `body` is the prop's index, -1: fixed, X_BS then in the world; a plane is its XY plane
  std::optional<double> friction;  // against the character; else the character's own counts
  double softness_s = 0;           // time in which it gives way: 0 hard; a soft pad about 0.03
  double give_m = 0;               // how deep a soft surface may be pressed before that counts as sinking in
  bool ground = false;             // one stands on it: heights are counted from it
};

// A ball that is thrown at the character so that it hits at a time.
struct Throw {
  std::string body = "thorax";  // as typed: a part or a limb ("left_arm")
  Part part = Part::kThorax;
  double mass_kg = 2;
  double speed_m_s = 8;
  double at_s = 1;            // when it hits, if the body goes on as it went when the ball was let go
  Vec3 from = Vec3::UnitX();  // where it comes from, in the character's heading frame: X front, Y left, Z up
  bool expected = false;      // the character knows of it
  int prop = -1;              // the ball: World::props
};

// A force on a body for a while.
struct Push {
  std::string body = "pelvis";
  Part part = Part::kPelvis;
  double force_N = 200;
  double for_s = 0.2;
  double at_s = 1;
  Vec3 toward = Vec3::UnitY();  // in the character's heading frame
};

// Everything around the character, a plain value. The character begins at the origin and travels along +X.
struct World {
  std::string name = "flat";  // as typed: "slope:deg=-10"
  Vec3 gravity = Vec3(0, 0, -9.81);
  std::vector<Prop> props;
  std::vector<WorldShape> shapes;
  std::vector<Throw> throws;
  std::vector<Push> pushes;
};

// Where a kMoved prop is at a time.
PropState scheduled(const Prop& prop, double time_s);

// The poses of all props at the start.
std::vector<Pose> prop_poses(const World& world);

// Height of the highest ground at (x, y) with the props at these poses; 0 where there is none. A plane that
// stands upright or faces down is no ground.
double ground_height(const World& world, const std::vector<Pose>& X_WP, double x, double y);

// The ground that references are laid onto, as a function of (x, y): the highest that stays where it is; 0
// everywhere in a world in which one stands on things that move. The world must outlive it.
std::function<double(double, double)> reference_ground(const World& world);

// The friction of the ground against a character's feet, as its world and its shapes have it.
double ground_friction(const Character& character, const World& world);

// How far the character must be lifted so that no colliding shape of it is in the ground or a prop, when its
// bodies are at X_WB and the props where they start: negative when it must be lowered until the first
// touches. For what is no ground (a chair, a block) it is lifted by at most 5 cm more than the ground asks.
double lift_out(const World& world, const Character& character, const std::vector<Pose>& X_WB);

// How far along +X the character must begin so that it is not inside a thing that stands there, such as a
// chair: 0 where it is free already, or where 2 m would not help. The props are as at the start.
double step_clear(const World& world, const Character& character, const std::vector<Pose>& X_WB);

// Adds a ball for a throw, of 400 kg/m^3: a prop that waits out of the way until the rollout lets it go. Its
// index goes to Throw::prop.
void add_throw(World& world, Throw thrown);

}  // namespace sinew

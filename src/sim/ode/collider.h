#pragma once

#include <vector>

#include "sim/ode/links.h"
#include "sim/ode/ode_world.h"
#include "sim/ode/piece.h"
#include "sim/ode/props.h"
#include "sim/touching.h"

namespace sinew::ode {

// Finds what touches what and lets ODE hold it apart.
class Collider {
 public:
  // `self`: the pairs of the character's own shapes that may touch.
  Collider(const Character& character, const World& world, const Links& links,
           const std::vector<RigidBody>& bodies, const Props& props, const std::vector<ShapePair>& self);

  // Before a step of h: makes ODE's contacts for the present poses.
  void prepare(const OdeWorld& ode, double h);
  // The same contacts once more, for another try at the same step.
  void prepare_again(const OdeWorld& ode, double h);
  // After it: what touched the character, with the forces. Removes ODE's contacts.
  void collect(const OdeWorld& ode, std::vector<Contact>& out);
  // After that: whether friction kept to what the normal forces allow. ODE bounds it by the normal forces
  // that there would be without friction; if that was too far off, another try is bounded by those that there
  // were.
  bool within_cones();

 private:
  // Two pieces that may touch, and how. The first one moves.
  struct Pair {
    int a = 0, b = 0;
    double friction = 0.8;
    double softness_s = 0;
    Contact contact;  // what is always true of their contacts
    bool of_character = false;
    double mass_kg = 1;  // that a soft contact bears
  };
  struct Touch {
    const Pair* pair = nullptr;
    dContactGeom geom;
    dJointFeedback feedback{};
    Vec3 along = Vec3::UnitX();  // first direction of friction, in W
    double most_N = -1;          // bound of friction along each direction; negative: ODE's own
  };

  void add_world_pairs(const Character& character, const World& world);
  void add_prop_pairs(const World& world);
  bool near(const Pair& pair) const;
  void make_contact(const OdeWorld& ode, double h, Touch& touch) const;
  Vec3 sliding_direction(const Touch& touch) const;

  std::vector<Piece> pieces_;             // of the character, then of the world
  std::vector<int> of_shape_, of_world_;  // the piece of each shape, -1: does not collide
  std::vector<Pair> pairs_;
  std::vector<Touch> touches_;
  std::vector<Vec3> centres_;  // of the pieces, in W, at the present step
  Vec3 gravity_;
  double mass_kg_;  // of the character
};

}  // namespace sinew::ode

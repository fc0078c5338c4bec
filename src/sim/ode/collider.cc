#include "sim/ode/collider.h"

#include <algorithm>
#include <array>

namespace sinew::ode {

namespace {

constexpr int kMostPerPair = 8;

// A hard contact takes back this share of the overlap in a step, at no more than this speed: faster would
// throw things up. Overlaps below the first are left alone, so that what lies still keeps touching.
constexpr double kErp = 0.2;
constexpr double kLeftAlone_m = 1e-4;
constexpr double kReturnSpeed_m_s = 0.2;
constexpr double kReturnRate_per_s = 10;  // of what is deeper than a centimetre: that comes out faster
// Softness in 1/(N s/m), along the normal and along the ground: next to nothing, but keeps four corners of
// one box from being too many equations.
constexpr double kCfm = 1e-6;
// Friction may be so much beyond what the normal force allows.
constexpr double kConeSlack = 1.05;
constexpr double kConeSlack_N = 2;
// Slower than this nothing slides.
constexpr double kSliding_m_s = 1e-3;

Vec3 vec(const dReal* p) { return {p[0], p[1], p[2]}; }

Vec3 velocity(const Piece& piece, const Vec3& p_W) {
  return piece.body() ? piece.body()->velocity_at(p_W) : Vec3(Vec3::Zero());
}

double own_friction(const WorldShape& shape) { return shape.friction.value_or(shape.shape.friction); }

}  // namespace

Collider::Collider(const Character& character, const World& world, const Links& links,
                   const std::vector<RigidBody>& bodies, const Props& props,
                   const std::vector<ShapePair>& self)
    : gravity_(world.gravity), mass_kg_(character.mass_kg()) {
  for (const Shape& shape : character.shapes) {
    of_shape_.push_back(shape.collides ? static_cast<int>(pieces_.size()) : -1);
    const auto body = static_cast<size_t>(shape.body);
    if (shape.collides)
      pieces_.emplace_back(shape, links.X_LB[body] * shape.X_BS,
                           &bodies[static_cast<size_t>(links.link_of[body])]);
  }
  for (const WorldShape& it : world.shapes) {
    of_world_.push_back(it.shape.collides ? static_cast<int>(pieces_.size()) : -1);
    if (it.shape.collides)
      pieces_.emplace_back(it.shape, it.shape.X_BS, it.shape.body < 0 ? nullptr : &props.body(it.shape.body));
  }

  for (const ShapePair& pair : self) {
    const Shape& a = character.shapes[static_cast<size_t>(pair.a)];
    const Shape& b = character.shapes[static_cast<size_t>(pair.b)];
    Pair out{of_shape_[static_cast<size_t>(pair.a)],
             of_shape_[static_cast<size_t>(pair.b)],
             friction(a, b),
             kFlesh_s,
             {},
             true,
             std::min(character.bodies[static_cast<size_t>(a.body)].mass_kg,
                      character.bodies[static_cast<size_t>(b.body)].mass_kg)};
    if (pieces_[static_cast<size_t>(out.a)].body() == pieces_[static_cast<size_t>(out.b)].body()) continue;
    out.contact.body = a.body;
    out.contact.shape = pair.a;
    out.contact.other_shape = pair.b;
    pairs_.push_back(out);
  }
  add_world_pairs(character, world);
  add_prop_pairs(world);
}

void Collider::add_world_pairs(const Character& character, const World& world) {
  for (size_t i = 0; i < character.shapes.size(); ++i)
    for (size_t j = 0; j < world.shapes.size(); ++j) {
      if (of_shape_[i] < 0 || of_world_[j] < 0) continue;
      const Shape& shape = character.shapes[i];
      Pair pair{of_shape_[i], of_world_[j], friction(shape, world.shapes[j]), world.shapes[j].softness_s, {},
                true,         mass_kg_ / 4};
      pair.contact.body = shape.body;
      pair.contact.shape = static_cast<int>(i);
      pair.contact.world_shape = static_cast<int>(j);
      pairs_.push_back(pair);
    }
}

void Collider::add_prop_pairs(const World& world) {
  const auto drive = [&](const WorldShape& s) {
    return world.props[static_cast<size_t>(s.shape.body)].drive;
  };
  const auto dynamic = [&](const WorldShape& s) { return s.shape.body >= 0 && drive(s) != Drive::kMoved; };
  const auto hinged = [&](const WorldShape& s) { return s.shape.body >= 0 && drive(s) == Drive::kHinge; };
  for (size_t i = 0; i < world.shapes.size(); ++i)
    for (size_t j = 0; j < world.shapes.size(); ++j) {
      const WorldShape &a = world.shapes[i], &b = world.shapes[j];
      if (of_world_[i] < 0 || of_world_[j] < 0 || !dynamic(a) || a.shape.body == b.shape.body) continue;
      if (dynamic(b) && j < i) continue;  // once is enough

      // What turns about an axis may sit in its own stand.
      std::array<dContactGeom, 1> found;
      const Piece &p = pieces_[static_cast<size_t>(of_world_[i])],
                  &q = pieces_[static_cast<size_t>(of_world_[j])];
      if (hinged(a) && b.shape.body < 0 && touch(p, q, found.data(), 1) > 0) continue;
      pairs_.push_back({of_world_[i],
                        of_world_[j],
                        std::min(own_friction(a), own_friction(b)),
                        std::max(a.softness_s, b.softness_s),
                        {},
                        false,
                        mass_kg_ / 4});
    }
}

bool Collider::near(const Pair& pair) const {
  const auto a = static_cast<size_t>(pair.a), b = static_cast<size_t>(pair.b);
  const Piece &first = pieces_[a], &second = pieces_[b];
  const auto waits = [](const Piece& piece) { return piece.body() && !dBodyIsEnabled(piece.body()->id()); };
  if (waits(first) || waits(second)) return false;
  if (second.body()) {
    const double reach = first.radius() + second.radius();
    if ((centres_[a] - centres_[b]).squaredNorm() > reach * reach) return false;
  }
  return second.distance_to_ball(centres_[a], first.radius()) < 0;
}

void Collider::prepare(const OdeWorld& ode, double h) {
  centres_.clear();
  for (const Piece& piece : pieces_) centres_.push_back(piece.pose().p);

  // All places first: the feedback of a contact must not move once ODE knows it.
  touches_.clear();
  std::array<dContactGeom, kMostPerPair> found;
  for (const Pair& pair : pairs_) {
    if (!near(pair)) continue;
    const Piece &a = pieces_[static_cast<size_t>(pair.a)], &b = pieces_[static_cast<size_t>(pair.b)];
    const int count = touch(a, b, found.data(), kMostPerPair);
    for (int i = 0; i < count; ++i) {
      const dContactGeom& geom = found[static_cast<size_t>(i)];
      const bool finite = vec(geom.pos).allFinite() && std::isfinite(geom.depth);
      if (finite && std::abs(vec(geom.normal).norm() - 1) < 1e-3) touches_.push_back({&pair, geom});
    }
  }
  for (Touch& touch : touches_) make_contact(ode, h, touch);
}

void Collider::prepare_again(const OdeWorld& ode, double h) {
  for (Touch& touch : touches_) {
    touch.feedback = {};
    make_contact(ode, h, touch);
  }
}

bool Collider::within_cones() {
  const auto bound = [](const Touch& touch) {
    return touch.pair->friction * std::max(0.0, vec(touch.geom.normal).dot(vec(touch.feedback.f1)));
  };
  const auto exceeds = [](double force, double most) { return force > kConeSlack * most + kConeSlack_N; };
  const auto wrong = [&](const Touch& touch) {
    const Vec3 force = vec(touch.feedback.f1), across = vec(touch.geom.normal).cross(touch.along);
    const double most = std::max(std::abs(force.dot(touch.along)), std::abs(force.dot(across)));
    // Beyond the cone, or held at a bound that is too small: the normal force was less in the last solve.
    const bool held = touch.most_N >= 0 && !exceeds(touch.most_N, most);
    return exceeds(most, bound(touch)) || (held && exceeds(bound(touch), touch.most_N));
  };
  if (std::none_of(touches_.begin(), touches_.end(), wrong)) return true;
  for (Touch& touch : touches_) touch.most_N = bound(touch);
  return false;
}

// Friction is a pyramid: with an edge along the sliding it is exact while something slides; what lies still
// would slide down.
Vec3 Collider::sliding_direction(const Touch& touch) const {
  const Vec3 p = vec(touch.geom.pos), n = vec(touch.geom.normal);
  const Vec3 v = velocity(pieces_[static_cast<size_t>(touch.pair->a)], p) -
                 velocity(pieces_[static_cast<size_t>(touch.pair->b)], p);
  const Vec3 sliding = v - n * n.dot(v);
  if (sliding.norm() > kSliding_m_s) return sliding.normalized();
  const Vec3 downhill = gravity_ - n * n.dot(gravity_);
  return downhill.norm() > 1e-3 * gravity_.norm() && !downhill.isZero() ? Vec3(downhill.normalized())
                                                                        : Vec3(n.unitOrthogonal());
}

void Collider::make_contact(const OdeWorld& ode, double h, Touch& touch) const {
  dContact contact{};
  contact.geom = touch.geom;
  dSurfaceParameters& surface = contact.surface;
  surface.mode =
      dContactMu2 | dContactFDir1 | dContactSoftERP | dContactSoftCFM | dContactSlip1 | dContactSlip2;
  if (touch.most_N < 0) surface.mode |= dContactApprox1_1 | dContactApprox1_2;
  surface.mu = surface.mu2 = touch.most_N < 0 ? touch.pair->friction : touch.most_N;
  surface.slip1 = surface.slip2 = kCfm;
  if (touch.pair->softness_s > 0) {
    // A spring and damper, critically damped for the mass that it bears, that gives way in that time.
    const double m = touch.pair->mass_kg, T = touch.pair->softness_s;
    const double k = m / (T * T), d = 2 * m / T;
    surface.soft_erp = h * k / (h * k + d);
    surface.soft_cfm = 1 / (h * k + d);
  } else {
    surface.soft_erp = kErp;
    surface.soft_cfm = kCfm;
    const double speed = kReturnSpeed_m_s + kReturnRate_per_s * std::max(0.0, touch.geom.depth - 0.01);
    contact.geom.depth = std::clamp(touch.geom.depth - kLeftAlone_m, 0.0, speed * h / kErp);
  }
  touch.along = sliding_direction(touch);
  for (int k = 0; k < 3; ++k) contact.fdir1[k] = touch.along[k];

  dJointID joint = dJointCreateContact(ode.id(), ode.contacts(), &contact);
  const RigidBody* b = pieces_[static_cast<size_t>(touch.pair->b)].body();
  dJointAttach(joint, pieces_[static_cast<size_t>(touch.pair->a)].body()->id(), b ? b->id() : nullptr);
  dJointSetFeedback(joint, &touch.feedback);
}

void Collider::collect(const OdeWorld& ode, std::vector<Contact>& out) {
  dJointGroupEmpty(ode.contacts());
  out.clear();
  for (const Touch& touch : touches_) {
    if (!touch.pair->of_character) continue;
    Contact contact = touch.pair->contact;
    contact.p_W = vec(touch.geom.pos);
    contact.normal_W = vec(touch.geom.normal);
    contact.force_W = vec(touch.feedback.f1);
    contact.depth_m = touch.geom.depth;
    out.push_back(contact);
  }
}

}  // namespace sinew::ode

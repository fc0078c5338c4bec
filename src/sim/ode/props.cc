#include "sim/ode/props.h"

#include <limits>

namespace sinew::ode {

namespace {

// The hinge of a prop as a joint of a body against the world.
Joint as_joint(const Prop& prop) {
  Joint joint;
  joint.name = prop.name;
  joint.p_BJ = prop.p_PJ;
  joint.axis_B = prop.axis_P.normalized();
  joint.limited = prop.upper > prop.lower;
  joint.lower[0] = prop.lower;
  joint.upper[0] = prop.upper;
  joint.stiffness = prop.stiffness;
  joint.damping = prop.damping;
  return joint;
}

}  // namespace

Props::Props(const OdeWorld& ode, const World& world) {
  rest_.q_target = rest_.v_target = rest_.kp = rest_.kd = rest_.torque = VecX::Zero(1);
  rest_.limit = VecX::Constant(1, std::numeric_limits<double>::infinity());
  for (const Prop& prop : world.props) {
    Thing thing;
    thing.prop = prop;
    MassProperties mass{prop.mass_kg, prop.p_PC, prop.I_C};
    if (prop.drive == Drive::kMoved) mass = {1, Vec3::Zero(), Mat3::Identity()};
    check_mass(mass, "the prop '" + prop.name + "'");
    thing.body = std::make_unique<RigidBody>(ode.id(), mass);
    thing.body->set_pose(prop.X_WP);
    if (prop.drive == Drive::kMoved) dBodySetKinematic(thing.body->id());
    if (prop.drive == Drive::kHinge)
      thing.hinge =
          make_link_joint(ode.id(), {thing.body.get(), nullptr, prop.X_WP}, {as_joint(prop)}, prop.name);
    wait(thing, prop.waiting && prop.drive == Drive::kFree);
    things_.push_back(std::move(thing));
  }
}

// ODE leaves a disabled body alone.
void Props::wait(Thing& thing, bool waiting) {
  thing.waiting = waiting;
  if (waiting)
    dBodyDisable(thing.body->id());
  else
    dBodyEnable(thing.body->id());
}

PropState Props::state(int i) const {
  const RigidBody& b = body(i);
  const Pose X_WP = b.pose();
  return {X_WP, b.velocity_at(X_WP.p), b.w()};
}

void Props::set_state(int i, const PropState& state) {
  Thing& thing = things_[static_cast<size_t>(i)];
  wait(thing, false);
  thing.body->set_pose(state.X_WP);
  thing.body->set_velocity(state.v_WP, state.w_WP);
  if (thing.hinge) thing.hinge->measure(0, thing.q, thing.v);
}

void Props::follow(double time_s, double h) {
  for (Thing& thing : things_) {
    if (thing.prop.drive != Drive::kMoved) continue;
    const PropState now = scheduled(thing.prop, time_s), next = scheduled(thing.prop, time_s + h);
    thing.body->set_pose(now.X_WP);
    if (h > 0)
      thing.body->set_velocity((next.X_WP.p - now.X_WP.p) / h,
                               now.X_WP.q * log_map(now.X_WP.q.conjugate() * next.X_WP.q) / h);
    else
      thing.body->set_velocity(now.v_WP, now.w_WP);
  }
}

void Props::prepare(double h) {
  for (Thing& thing : things_) {
    if (thing.hinge) thing.hinge->prepare(h, thing.q, thing.v, rest_);
    if (thing.prop.drive != Drive::kFree || thing.waiting) continue;
    const Vec3 torque = thing.body->gyroscopic_torque(h);
    dBodyAddTorque(thing.body->id(), torque.x(), torque.y(), torque.z());
  }
}

void Props::measure(double h) {
  for (Thing& thing : things_)
    if (thing.hinge) thing.hinge->measure(h, thing.q, thing.v);
}

bool Props::sensible() const {
  for (const Thing& thing : things_)
    if (!thing.body->pose().p.allFinite() || !thing.body->w().allFinite()) return false;
  return true;
}

double* Props::save(double* into) const {
  for (const Thing& thing : things_) {
    thing.body->save(into);
    into += RigidBody::kDoubles;
    *into++ = thing.q[0];
    *into++ = thing.v[0];
    *into++ = thing.waiting ? 1 : 0;
  }
  return into;
}

const double* Props::load(const double* from) {
  for (Thing& thing : things_) {
    thing.body->load(from);
    from += RigidBody::kDoubles;
    thing.q[0] = *from++;
    thing.v[0] = *from++;
    wait(thing, *from++ != 0);
  }
  return from;
}

}  // namespace sinew::ode

#pragma once

#include <span>
#include <vector>

#include "control/controller.h"
#include "control/feedforward.h"

namespace sinew {

// How the servos' targets lie between the knots of an open-loop control.
enum class Between {
  kLine,  // the target is the reference, displaced by the straight line between the offsets of two knots
  kHold,  // over the time up to a knot the target is the reference's pose at that knot, displaced by its
          //   offset, and the joints are led to rest there (004, section 3.2)
};

// Control that knows the time and nothing else: targets for the servos, displaced from a reference. A plain
// value.
struct OpenLoop {
  Between between = Between::kLine;
  std::vector<double> time_s;  // of the knots, ascending, from the simulation's beginning
  std::vector<VecX> offset;    // per knot, nv, rad (m for slides): along the axes of v; the root's are 0
  VecX kp, kd, limit;          // nv: the servos' gains and torque limits
  bool contact_scale = false;  // gains are multiplied by Joint::contact_scale while the limb bears load
};

// The character's own gains, times `gain` (kd by its root), and its own limits; no knots.
OpenLoop open_loop(const Character& character, double gain = 1);

// Multiplies the gains of limbs that bear load by Joint::contact_scale (004, Table 2). `contacts` are those
// of the last step.
void stiffen(const Character& character, std::span<const Contact> contacts, Command& command);

// Plays an open-loop control.
class OpenLoopController : public Controller {
 public:
  // The reference at `start_s` is the beginning. All must outlive it; knots may be changed meanwhile, the
  // reference not. The feedforward's torques, where there is one, are added to the servos'.
  OpenLoopController(const Character& character, const Reference& reference, const OpenLoop& control,
                     double start_s = 0, const Feedforward* feedforward = nullptr);

  void act(const Observation& now, Command& command) override;
  void target(double time_s, VecX& q) const override;

 private:
  const Character& character_;
  const Reference& reference_;
  const OpenLoop& control_;
  double start_s_;
  const Feedforward* feedforward_;

  // What was sampled since some beginning: simulations that look ahead from one place begin there again and
  // again.
  const ReferenceSample& sampled(double time_s);
  std::vector<double> sampled_s_;
  std::vector<ReferenceSample> samples_;
  size_t next_ = 0;  // of them
  VecX offset_;
};

}  // namespace sinew

#pragma once

#include <functional>

#include "control/controller.h"
#include "control/swing_hip.h"
#include "control/tracking_qp.h"

namespace sinew {

struct McsimOptions {
  double start_s = 0;     // time in the reference at the simulation's beginning
  double k = 0.05;        // scales the stiffness of the joints (Table 1)
  double k_os = 300;      // 1/s^2: how desired accelerations answer to errors (Eq. 4)
  double plan_hz = 100;   // how often the QP is solved: for who calls `plan`
  double friction = 0.8;  // predicted
  double c_d = 0;         // rad/m and rad s/m: balance on the swing hip (Eq. 11)
  double c_v = 0;
  QpForm form = QpForm::kReduced;
  // Hears each problem before it is solved.
  std::function<void(double time_s, const QpProblem&)> on_problem;
};

// What the plans of a run came to.
struct McsimCounts {
  long plans = 0;
  long relaxed = 0;           // contact points had to slip: cones and torque limits allowed nothing else
  long failed = 0;            // no usable solution: the torques before were held
  long iterations = 0;        // of the QP solver, in all
  double worst_residual = 0;  // the largest KKT residual of the solutions that were used
  int most_variables = 0;
};

// McSim, the tracker of da Silva et al. 2008 as published: a quadratic program on the controller's own model
// of the body gives joint torques a few times a stride (Eqs. 4 to 7), servos of low gain correct them at
// every step (Eqs. 8 to 10), and the swing hip may be led to where the body falls (Eq. 11). docs/track.md
// says how and where it departs from the paper. Neither `plan` nor `act` takes memory once the controller has
// met each stance (TrackingQp).
class Mcsim : public Controller {
 public:
  // The character as the controller believes it to be: of the same bodies and joints as the simulator's, but
  // perhaps other masses, lengths and limits. Both must outlive it. Throws Error for a character without
  // dynamics.
  Mcsim(const Character& believed, const Reference& reference, const McsimOptions& options = {});

  void plan(const Observation& now) override;
  void act(const Observation& now, Command& command) override;
  void target(double time_s, VecX& q) const override;
  void save(std::vector<double>& into) const override;
  void restore(const std::vector<double>& from) override;

  const McsimCounts& counts() const { return counts_; }
  const TrackingQp& qp() const { return qp_; }

 private:
  void find_motion(double time_s);
  void find_contacts(const Observation& now);
  void set_gains();

  const Character& character_;
  const Reference& reference_;
  McsimOptions options_;
  RigidModel model_;
  TrackingQp qp_;
  SwingHip swing_hip_;
  std::vector<char> is_foot_;  // per body
  VecX stiffness_;             // nv: of the joints, unscaled
  Command gains_;              // kp, kd, torque and limit until the next plan
  ReferenceSample motion_{};   // at the present time
  VecX desired_;               // nv: accelerations
  std::vector<PlanContact> contacts_;
  bool planned_ = false;
  McsimCounts counts_;
};

// The stiffness of a joint in Tables 2 and 3, by the body that it moves: N m/rad of a hinge (Eq. 8), 1/s^2 of
// a ball joint, where the inertia that hangs on it makes N m/rad of it (Eq. 10).
double mcsim_stiffness(const Character& character, const Joint& joint);

}  // namespace sinew

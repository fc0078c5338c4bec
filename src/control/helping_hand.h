#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "control/controller.h"
#include "control/goals.h"
#include "control/rigid_model.h"

namespace sinew {

struct HelpingHandOptions {
  double ks = 800;  // 1/s^2, for place and turn of the pelvis, times the inertia of the whole character
  double kd = 50;   // 1/s
  double foot_share = 0.25;  // of those gains, for a foot that stands
  double stands_m = 0.01;    // a foot stands whose goal is no higher above the ground than this,
  double lifted_m = 0.025;   //   and not at all from here on
  // A foot that is led has this share of its gains; where it stays away from its goal by more than `slack_m`,
  // over `delay_s`, more of them, and `away_m` farther all.
  double low = 0.3;
  double slack_m = 0.01, away_m = 0.02;
  double delay_s = 0.3;
  // The foot of a leg that is struck by surprise is let go for so long, and taken again over as long.
  double let_go_s = 0.1;
};

// Balance by forces from nowhere (Nunes et al. 2008, section 6): springs and dampers pull the pelvis to its
// goal, and each foot whose goal is on the ground. They are taken at the end of the step, as the servos are,
// so that they may be stiff: it is foreseen how everything will move under its own weight, servos, last
// contacts and these forces themselves.
class HelpingHand {
 public:
  // The character must outlive it. `ground` is the height at (x, y).
  HelpingHand(const Character& character, std::function<double(double, double)> ground, double step_s,
              const HelpingHandOptions& options = {});

  // For the step that begins at the state that `model` is set to, towards a goal at its end. `lead` are
  // forces of another character with the same goal, in the same step: its feet's are taken over, and low
  // gains added, so that a leg that stands can give way to a surprise.
  std::span<const ExternalForce> forces(const Observation& now, const RigidModel& model,
                                        const Command& command, const Goal& goal,
                                        std::span<const ExternalForce> lead = {});

  // Something struck the leg of a foot (0: left, 1: right) that nobody led it to expect.
  void let_go(int foot, double time_s) { struck_s_[static_cast<size_t>(foot)] = time_s; }

  // What changes between steps: how far each foot that is led has been away of late, m, and when its leg was
  // struck last, s.
  std::array<double, 4> memory() const { return {away_m_[0], away_m_[1], struck_s_[0], struck_s_[1]}; }
  void remember(const std::array<double, 4>& memory) {
    away_m_ = {memory[0], memory[1]};
    struck_s_ = {memory[2], memory[3]};
  }

 private:
  // One body that is held: where its goal is and how that moves.
  struct Hold {
    int body = 0;
    int foot = -1;     // 0: left, 1: right
    double share = 1;  // of the gains
    Pose goal;
    Vec3 velocity = Vec3::Zero(), turning = Vec3::Zero();
  };
  void find_holds(const Goal& goal);
  double grip(const Hold& hold, double off_m, double time_s);
  VecX servo_forces(const Observation& now, const Command& command);

  const Character& character_;
  std::function<double(double, double)> ground_;
  double step_s_;
  HelpingHandOptions options_;
  std::vector<Hold> holds_;
  VecX implicit_;  // nv: what servos take off a joint's speed at the end of the step
  std::vector<ExternalForce> forces_;
  std::array<double, 2> away_m_{0, 0}, struck_s_{-1e9, -1e9};
};

}  // namespace sinew

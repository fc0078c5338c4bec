#pragma once

#include <mujoco/mujoco.h>

#include <vector>

namespace sinew {

// mj_crb, mj_factorM and mj_projectConstraint, to the bit, in about half the time: theirs call a function for
// every few numbers. Models without short cuts (body_simple, dof_simplenum all 0) alone.
class Inertia {
 public:
  explicit Inertia(const mjModel& model);

  // qM of cinert and cdof (mj_comPos).
  void make(const mjModel& model, mjData& data) const;
  // qLD, qLDiagInv and qLDiagSqrtInv of qM: L' D L, a row of L no longer than the way to the root.
  void factor(const mjModel& model, mjData& data);
  // efc_AR of efc_J (mj_makeConstraint) and the factors.
  void project(const mjModel& model, mjData& data);

 private:
  std::vector<int> end_;             // of each row of qM
  std::vector<int> last_;            // of the axes that hang on each
  std::vector<mjtNum> undivided_;    // L' D
  std::vector<mjtNum> transposed_;   // J L^-1 D^-1/2, turned
  std::vector<char> moved_;          // of each axis: whether any of its numbers there is not 0
  std::vector<const mjtNum*> axes_;  // the numbers of those
};

}  // namespace sinew

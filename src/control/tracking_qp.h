#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "control/rigid_model.h"
#include "qp/qp.h"

namespace sinew {

// A place where the character may push on the ground, as a plan sees it.
struct PlanContact {
  int id = 0;  // the same from plan to plan while it lasts, such as the shape that touches
  int body = 0;
  Vec3 p_W = Vec3::Zero();
  Vec3 normal_W = Vec3::UnitZ();  // from the ground towards the body, unit length
};

enum class QpForm {
  kReduced,  // torques of the joints and cone coefficients; accelerations follow from the equations of motion
  kFull,     // accelerations and forces of all coordinates and cone coefficients, as the paper had it
};

// What the distance to the desired acceleration is measured with.
enum class QpMetric {
  kIdentity,       // Eq. 7a
  kInertiaMatrix,  // an error counts as the force that it would take
};

struct TrackingQpOptions {
  QpForm form = QpForm::kReduced;
  QpMetric metric = QpMetric::kIdentity;
  double friction = 0.8;    // predicted, of every contact
  double slip_damping = 0;  // 1/s: contact points shall accelerate by -this times their velocity; 0: Eq. 5
};

// The quadratic program of da Silva et al. 2008, Eq. 7: the joint torques u and contact forces V lambda that
// bring the accelerations nearest to the desired ones, under the equations of motion, friction cones of four
// edges, contact points that do not slip, and torque limits. It takes memory for each stance (how many feet,
// contacts and independent no-slip rows) when it meets it for the first time, and none after that.
class TrackingQp {
 public:
  // The model must outlive it. Torque limits: nv, N m; infinity is none; those of the root are not read.
  TrackingQp(const RigidModel& model, VecX torque_limit, const TrackingQpOptions& options = {});
  ~TrackingQp();

  // The problem at the model's present state. Desired accelerations: nv.
  void set_up(std::span<const PlanContact> contacts, const VecX& a_desired);
  const QpProblem& problem() const;

  // Solves it, beginning where the last one that this solved ended, contact by contact. What follows is of
  // that solution if it is ok(), else of the last one that was.
  const QpSolution& solve();
  const VecX& torques() const { return torques_; }              // nv, the root's are 0
  const VecX& accelerations() const { return accelerations_; }  // nv
  // Of the last set_up, body by body, and the forces that the solution has there: on the body, in W.
  const std::vector<PlanContact>& contacts() const { return contacts_; }
  Vec3 contact_force(size_t contact) const;

  // No-slip rows of the last set_up: independent ones, each a combination of accelerations of points.
  int no_slip_rows() const { return static_cast<int>(kept_.size()); }

  // What a later solve depends on.
  void save(std::vector<double>& into) const;
  const double* restore(const double* from);

 private:
  struct Foot;    // a body with contacts
  struct Grip;    // what is as large as there are feet and contacts
  struct Stance;  // what is as large as there are no-slip rows, too
  void find_feet();
  void find_no_slip();
  void set_up_reduced(const VecX& a_desired);
  void set_up_full(const VecX& a_desired);
  void find_responses();
  void bound(int first_torque);
  void warm_start();
  void remember(const QpSolution& solution);

  const RigidModel& model_;
  VecX limit_;
  TrackingQpOptions options_;
  QpSolver solver_;

  std::vector<PlanContact> contacts_;
  std::vector<Foot> feet_;
  std::vector<int> kept_;  // rows of no-slip that others do not imply
  VecX a0_, residual_;     // nv
  RigidModel::Jacobian jacobian_;
  std::map<std::array<int, 2>, std::unique_ptr<Grip>> grips_;      // by feet and contacts
  std::map<std::array<int, 3>, std::unique_ptr<Stance>> stances_;  // and by rows
  Grip* grip_ = nullptr;
  Stance* now_ = nullptr;

  // The last solution and what was active in it.
  struct Edge {
    int id = 0;
    std::array<QpSide, 4> side{};
  };
  VecX torques_, accelerations_;
  std::vector<QpSide> torque_side_, start_bounds_, start_rows_;
  std::vector<Edge> last_edges_;
};

}  // namespace sinew

#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "control/course.h"
#include "control/cyclist.h"
#include "rollout/metamorphosis.h"
#include "rollout/rollout.h"
#include "studio/role.h"

namespace sinew::studio {

// Frames of the show: 62.5 a second of simulated time, a whole number of steps of 1 or 2 ms.
inline constexpr double kFrame_s = 0.016;
// What is remembered of a take, frames and seconds.
inline constexpr size_t kTakeFrames = 3750;
// How often the way back is kept, in frames.
inline constexpr long kWayBackFrames = 6;

// A hand that holds a body by a spring.
struct Grip {
  int body = 0;
  Vec3 p_B = Vec3::Zero();       // where it holds, in the body's frame
  Vec3 target_W = Vec3::Zero();  // where it pulls to
};

// All that a performer is built from; plain values.
struct Casting {
  Role role;
  Character character;
  World world;          // with the balls that can be thrown by hand, which come last
  World believed;       // what the method knows of it
  int first_ball = 0;   // in World::props
  Reference reference;  // placed in the world; empty for a behaviour
  double start_s = 0;   // time in the reference at the beginning
  State start;
  Pose X_shift;           // what moved the performer that it goes on from to here: about the vertical, along
  bool fresh = true;      // begins at the motion's beginning
  bool laid_out = false;  // the reference is a cycle that was laid onto the ground for a while
  std::vector<std::string> notes;
  // Of behaviours.
  RunBehaviour run;
  std::optional<Character> becomes;      // of a run that turns into another and back
  std::shared_ptr<const Course> course;  // of a ride
  RideParameters ride;

  double duration_s() const { return reference.q.empty() ? 0 : reference.duration_s(); }
};

// How far one body has become another.
struct Change {
  std::shared_ptr<const Metamorphosis> way;  // null: the casting's own body
  double part = 0, goal = 0;                 // of the way
  double rate = 0;                           // 1/s
  bool to_and_fro = false;
  double rested_s = 0;  // at an end of the way

  bool under_way() const { return way && part != goal; }
};

// Moments of the show, in order.
struct TakeFrame {
  double clock_s = 0;  // of the stage
  double phase_s = 0;  // of the reference
  double plan_ms = 0;  // what the last plan cost
  double pose_error_rad = 0, height_error_m = 0;
  std::shared_ptr<const Metamorphosis> way;  // who it was: null for the casting's own body
  double part = 0;
  RecordingFrame frame;
};

// One character with its simulator, method and memory, on the same loop as the command line. Belongs to one
// thread at a time.
class Performer {
 public:
  // Throws Error. `threads` are the method's own.
  Performer(Casting casting, int threads);
  ~Performer();
  Performer(const Performer&) = delete;
  Performer& operator=(const Performer&) = delete;

  const Casting& casting() const { return casting_; }
  const Character& character() const { return casting_.character; }

  // One frame of the show further, at this time of the stage. False once it has diverged.
  bool advance(double clock_s);

  // Hands.
  void grip(const Grip& grip) { grip_ = grip; }
  void release() { grip_.reset(); }
  // A force at a body's centre of mass, in W, for a while.
  void push(int body, const Vec3& force_W, double seconds);
  // A ball from a point so that it meets another; balls are used again in turn.
  void throw_ball(const Vec3& from_W, const Vec3& to_W, double speed_m_s);

  // From now on it becomes another within so many seconds, from whoever it is; or what it was before again.
  // Only runs can. Throws Error.
  void become(const Character& to, double seconds);
  void turn_back() { change_.goal = 0; }
  const Change& change() const { return change_; }

  // Back to the beginning, or to what it was at or before a time of the stage; frames after it are forgotten.
  void reset();
  void rewind(double clock_s);

  const std::deque<TakeFrame>& take() const { return take_; }
  void forget_take();
  Moment moment() const;
  double phase_s() const;  // time in the reference
  double left_s() const;   // until the motion ends; negative after that, infinite for a cycle
  double lost_s() const { return lost_s_; }  // for how long it has been far from the motion, or has lain

  // What it did, as one recording, of the body that it has now; and one without frames, of the same world and
  // the body that it began with.
  Recording recording() const;
  const Recording& stage_recording() const { return rollout_->recording(); }

 private:
  struct WayBack {
    double clock_s = 0;
    Rollout::Saved saved;
    double lost_s = 0;
    Change change;
  };
  void change_body();
  void take_shape();
  void change_to(const Change& change);
  bool has_fallen() const;
  void apply_hands();
  void remember(double clock_s);

  Casting casting_;
  std::unique_ptr<Simulator> simulator_;
  std::unique_ptr<Controller> method_;
  Runner* runner_ = nullptr;  // the method, where it runs
  Change change_, first_change_;
  Character body_;  // as it has become, if it has
  class Timed;
  std::unique_ptr<Timed> timed_;
  std::unique_ptr<Rollout> rollout_;
  Rollout::Saved beginning_;
  long steps_a_frame_ = 8;

  std::optional<Grip> grip_;
  struct Shove {
    int body = 0;
    Vec3 force_W = Vec3::Zero();
    double left_s = 0;
  };
  std::vector<Shove> shoves_;
  int next_ball_ = 0;

  std::deque<TakeFrame> take_;
  std::deque<WayBack> ways_back_;
  long frames_ = 0;
  double lost_s_ = 0;
  double ride_s_ = 0;  // to the end of a course
  bool diverged_ = false;
};

}  // namespace sinew::studio

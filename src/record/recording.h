#pragma once

#include <string>
#include <vector>

#include "character/state.h"
#include "world/world.h"

namespace sinew {

// One moment of a simulation. Torques, contacts, pushes and momentum rate are those of the step that begins
// at this moment; q and v are before it.
struct RecordingFrame {
  double time_s = 0;
  VecX q, v;
  VecX q_reference;  // where the character should be; empty: nobody said
  VecX torque;       // nv, root 0
  std::vector<Contact> contacts;
  std::vector<ExternalForce> pushes;   // of the scene: disturbances
  std::vector<ExternalForce> helping;  // of the method: forces that nothing in the scene explains
  Momentum momentum_rate;              // measured on velocities
  std::vector<Pose> props;             // X_WP of World::props
  // Deepest overlap with ground or prop at any step since the last frame, less what soft ones give.
  double max_depth_m = 0;
  double cost = 0;  // of the method, where it has one
};

// Something that happened: a ball was let go, a plan failed.
struct RecordingEvent {
  double time_s = 0;
  std::string what;
};

// What happened, frame by frame: one value from which every export, plot, report, metric and replay is made.
struct Recording {
  int version = 1;      // of the file that it was read from
  std::string command;  // what was typed
  std::string clip;
  std::string engine;
  int seed = 1;
  double step_s = 0;
  double frame_time_s = 0;
  bool diverged = false;
  Character character;
  World world;
  std::vector<RecordingFrame> frames;
  std::vector<RecordingEvent> events;

  double duration_s() const { return frames.empty() ? 0 : frames.back().time_s - frames.front().time_s; }
};

// A recording as the bytes of recording.sinew, and back. Versions that were ever written can be read. Throws
// Error naming `where` for what is no recording, is cut short or is of a later version.
std::string encode_recording(const Recording& recording);
Recording decode_recording(const std::string& bytes, const std::string& where);

// Whether bytes begin like a recording.
bool is_recording(const std::string& bytes);

// All coordinates, frame by frame.
std::vector<VecX> coordinates(const Recording& recording);

}  // namespace sinew

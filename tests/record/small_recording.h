#pragma once

#include <string>

#include "character/mjcf.h"
#include "record/recording.h"

namespace sinew {

// The smallest character that has all that a recording tells of: pelvis, thorax on a ball joint, two legs
// with hinges at hips and knees and feet fixed to the shins. Stands 1 m high on z = 0.
inline Character make_small_character() {
  std::string xml = R"xml(<mujoco model="hopper"><compiler angle="radian"/><worldbody>
    <body name="pelvis" pos="0 0 0.6"><freejoint name="root"/>
      <geom type="box" size="0.1 0.15 0.1" mass="8"/>
      <body name="thorax" pos="0 0 0.1"><joint name="waist" type="ball"/>
        <geom type="capsule" fromto="0 0 0.1 0 0 0.2" size="0.1" mass="10"/></body>)xml";
  for (const std::string side : {"left", "right"})
    xml += "<body name='" + side + "_thigh' pos='0 " + (side == "left" ? "0.1" : "-0.1") +
           " -0.05'><joint name='" + side + R"xml(_hip' axis='0 1 0' range='-1 1' limited='true'/>
      <geom type='capsule' fromto='0 0 -0.05 0 0 -0.2' size='0.05' mass='4'/>)xml" +
           "<body name='" + side + "_shin' pos='0 0 -0.25'><joint name='" + side +
           R"xml(_knee' axis='0 1 0' range='0 2.5' limited='true'/>
      <geom type='capsule' fromto='0 0 -0.05 0 0 -0.2' size='0.04' mass='2'/>)xml" +
           "<body name='" + side + R"xml(_foot' pos='0 0 -0.25'>
      <geom type='box' size='0.1 0.05 0.025' pos='0.03 0 -0.025' mass='1'/></body></body></body>)xml";
  return read_mjcf(xml + "</body></worldbody></mujoco>", "hopper");
}

// A flat world with a ball in the air.
inline World make_small_world() {
  World world;
  WorldShape ground;
  ground.shape.name = "ground";
  ground.shape.body = -1;
  ground.shape.type = ShapeType::kPlane;
  ground.ground = true;
  world.shapes.push_back(ground);
  Prop ball;
  ball.name = "ball";
  ball.X_WP.p = Vec3(1, 0.5, 1.25);
  world.props.push_back(ball);
  WorldShape surface;
  surface.shape.name = "ball";
  surface.shape.body = 0;
  surface.shape.type = ShapeType::kSphere;
  surface.shape.size = Vec3(0.1, 0, 0);
  world.shapes.push_back(surface);
  return world;
}

// The character hanging still in its rest stance at these many frames of 10 ms, as its reference says; no
// force acts but gravity.
inline Recording make_still_recording(size_t frames) {
  Recording recording;
  recording.command = "sinew track hop";
  recording.clip = "hop";
  recording.engine = "made up";
  recording.seed = 7;
  recording.step_s = 0.002;
  recording.frame_time_s = 0.01;
  recording.character = make_small_character();
  recording.world = make_small_world();
  const VecX zero = VecX::Zero(recording.character.nv());
  for (size_t i = 0; i < frames; ++i) {
    RecordingFrame frame;
    frame.time_s = 0.01 * static_cast<double>(i);
    frame.q = frame.q_reference = recording.character.q_rest;
    frame.v = frame.torque = zero;
    frame.momentum_rate.linear = recording.character.mass_kg() * recording.world.gravity;
    frame.momentum_rate.angular =
        centre_of_mass(recording.character, body_poses(recording.character, frame.q))
            .cross(frame.momentum_rate.linear);
    frame.props.push_back(recording.world.props[0].X_WP);
    recording.frames.push_back(frame);
  }
  return recording;
}

// Three frames in which every field has a value of its own.
inline Recording make_small_recording() {
  Recording recording = make_still_recording(3);
  recording.diverged = true;
  for (size_t i = 0; i < 3; ++i) {
    RecordingFrame& frame = recording.frames[i];
    const double k = static_cast<double>(i) + 1;
    frame.q[0] = 0.125 * k;
    frame.q[11] = -0.25 * k;
    frame.v = VecX::LinSpaced(recording.character.nv(), k, 2 * k);
    frame.torque = VecX::LinSpaced(recording.character.nv(), -k, k);
    frame.contacts.push_back({4, 4, -1, 0, Vec3(k, 0, -0.01), Vec3::UnitZ(), Vec3(1, 2, 300 * k), 0.01 * k});
    frame.pushes.push_back({1, Vec3(0, 200, 0), Vec3(0, 0, k), Vec3(0.5, 0, 0)});
    frame.helping.push_back({0, Vec3(0, 0, k), Vec3::Zero(), Vec3::UnitX()});
    frame.momentum_rate = {Vec3(k, 2, 3), Vec3(4, 5, k)};
    frame.props[0] = {Vec3(k, 0, 1), exp_map(Vec3(0, 0, 0.1 * k))};
    frame.max_depth_m = 0.01 * k;
    frame.cost = 1 / k;
  }
  recording.frames[2].q_reference.resize(0);
  recording.frames[1].contacts.clear();
  recording.events = {{0.01, "a ball is thrown at head"}, {0.02, "the end"}};
  return recording;
}

}  // namespace sinew

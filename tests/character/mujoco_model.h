#pragma once

#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>

#include "character/character.h"

namespace sinew {

// MuJoCo's own model of a text, to compare ours with.
struct MujocoModel {
  explicit MujocoModel(const std::string& xml) {
    const auto vfs = std::make_unique<mjVFS>();
    mj_defaultVFS(vfs.get());
    mj_makeEmptyFileVFS(vfs.get(), "model.xml", static_cast<int>(xml.size()));
    std::memcpy(vfs->filedata[0], xml.data(), xml.size());
    char error[500] = "";
    m = mj_loadXML("model.xml", vfs.get(), error, sizeof error);
    mj_deleteVFS(vfs.get());
    if (m) d = mj_makeData(m);
  }
  ~MujocoModel() {
    if (d) mj_deleteData(d);
    if (m) mj_deleteModel(m);
  }
  MujocoModel(const MujocoModel&) = delete;
  MujocoModel& operator=(const MujocoModel&) = delete;

  int body(const std::string& name) const { return mj_name2id(m, mjOBJ_BODY, name.c_str()); }

  mjModel* m = nullptr;
  mjData* d = nullptr;
};

// Coordinates anywhere: unit quaternions of all directions, angles of a few radians.
inline VecX random_q(const Character& c, std::mt19937& random) {
  std::normal_distribution<double> normal;
  VecX q(c.nq());
  for (double& x : q) x = normal(random);
  for (const Joint& joint : c.joints) {
    const int at = joint.type == JointType::kFree ? joint.q + 3 : joint.q;
    if (joint.q_size() > 1) q.segment<4>(at).normalize();
  }
  return q;
}

inline VecX random_v(const Character& c, std::mt19937& random, double scale) {
  std::normal_distribution<double> normal(0.0, scale);
  VecX v(c.nv());
  for (double& x : v) x = normal(random);
  return v;
}

}  // namespace sinew

#include "sim/mujoco/inertia.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "character/mjcf_model.h"
#include "core/random.h"
#include "sim/mujoco/model_text.h"
#include "sim/scenes.h"
#include "world/library.h"

namespace sinew {
namespace {

using Values = std::vector<mjtNum>;
Values values(const mjtNum* from, int count) { return Values(from, from + count); }

// Every number is MuJoCo's own, so that a recording stays what it was.
TEST(Inertia, IsThatOfMujocoToTheBit) {
  for (const char* name : {"human50", "robot35", "cheetah", "biped18"})
    for (const char* world : {"flat", "seesaw"}) {
      const Character character = scenes::shipped(name);
      keep_mujoco_quiet();
      const MjModel model = compile_mjcf_text(mujoco_model_text(character, make_world(world), 0.002));
      mjModel* m = model.get();
      std::fill_n(m->body_simple, m->nbody, 0);
      std::fill_n(m->dof_simplenum, m->nv, 0);
      const std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(m), mj_deleteData);
      mjData* d = data.get();
      Inertia inertia(*m);
      Random random(1, m->nv);
      int most_rows = 0;
      for (int turn = 0; turn < 50; ++turn) {
        std::copy_n(character.q_rest.data(), character.nq(), d->qpos);
        for (int i = 2; i < character.nq(); ++i) d->qpos[i] += random.between(-0.3, 0.3);
        for (int i = 0; i < m->nv; ++i) m->dof_armature[i] = random.between(0, 0.1);
        mj_kinematics(m, d);
        mj_comPos(m, d);
        mj_crb(m, d);
        const Values M = values(d->qM, m->nM);
        mj_factorM(m, d);
        const Values L = values(d->qLD, m->nM), D = values(d->qLDiagInv, m->nv);
        mj_collision(m, d);
        mj_makeConstraint(m, d);
        mj_projectConstraint(m, d);
        const Values A = values(d->efc_AR, d->nefc * d->nefc);
        most_rows = std::max(most_rows, d->nefc);

        for (mjtNum* of : {d->qM, d->qLD}) std::fill_n(of, m->nM, -1.0);
        std::fill_n(d->efc_AR, A.size(), -1.0);
        inertia.make(*m, *d);
        inertia.factor(*m, *d);
        inertia.project(*m, *d);
        ASSERT_EQ(values(d->qM, m->nM), M) << name;
        ASSERT_EQ(values(d->qLD, m->nM), L) << name;
        ASSERT_EQ(values(d->qLDiagInv, m->nv), D) << name;
        ASSERT_EQ(values(d->efc_AR, d->nefc * d->nefc), A) << name << " with " << d->nefc << " rows";
      }
      EXPECT_GT(most_rows, 3) << name;
    }
}

}  // namespace
}  // namespace sinew

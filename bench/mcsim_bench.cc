// What the tracking controller costs, in CPU time: its parts per simulated second on human57, with 100 plans
// and 1000 servo commands a second; then how many times real time both recipes are, simulation included.
// `sinew paper mcsim-table-4` measures the program by the number of variables.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>

#include "character/retarget.h"
#include "clocks.h"
#include "control/desired_acceleration.h"
#include "control/mcsim.h"
#include "motion/load.h"
#include "rollout/placement.h"
#include "rollout/rollout.h"
#include "search/preview.h"
#include "sim/engines.h"
#include "sim/scenes.h"
#include "world/library.h"

namespace sinew {
namespace {

constexpr double kSeconds = 2;  // of the motion that is measured on
constexpr double kPlanHz = 100, kServoHz = 1000;
constexpr int kRepeats = 9;

// Median CPU seconds of one of `times` calls.
double cost(int times, const std::function<void(int)>& call) {
  std::vector<double> costs;
  for (int r = 0; r < kRepeats; ++r) {
    const double from = cpu_s();
    for (int i = 0; i < times; ++i) call(i);
    costs.push_back((cpu_s() - from) / times);
  }
  std::nth_element(costs.begin(), costs.begin() + kRepeats / 2, costs.end());
  return costs[kRepeats / 2];
}

// What a controller saw at its plans.
struct Seen {
  State state;
  std::vector<Contact> contacts;
};

struct Run {
  explicit Run(const std::string& name, const std::string& motion)
      : character(scenes::shipped(name)), world(make_world("flat")) {
    const Clip clip = load_clip(SINEW_SOURCE_DIR "/assets/motions/" + motion + ".json").clip;
    reference = at_origin(character, retarget(clip, character, {.clearance_m = 0.025}).reference, world, 0);
  }

  // A simulation, and what the controller saw in it.
  std::vector<Seen> simulate() const {
    const auto simulator = make_mujoco(character, world, {.step_s = 0.001});
    simulator->set_state(start_state(character, reference, world, 0));
    Mcsim controller(character, reference);
    Rollout rollout(*simulator, controller, {.plan_hz = kPlanHz, .record_hz = 0});
    std::vector<Seen> seen;
    while (rollout.time_s() < kSeconds) {
      rollout.run(1 / kPlanHz);
      const auto contacts = simulator->contacts();
      seen.push_back({simulator->state(), {contacts.begin(), contacts.end()}});
    }
    return seen;
  }

  Character character;
  World world;
  Reference reference;
};

void measure_parts() {
  const Run run("human57", "punch");
  const std::vector<Seen> seen = run.simulate();
  const auto n = static_cast<int>(seen.size());
  const auto at = [&](int i) -> const Seen& { return seen[static_cast<size_t>(i)]; };

  // The whole controller, then what it is made of.
  Mcsim controller(run.character, run.reference);
  Command command = rest_command(run.character);
  const double plan = cost(n, [&](int i) { controller.plan({at(i).state, at(i).contacts}); });
  const double act = cost(n, [&](int i) { controller.act({at(i).state, at(i).contacts}, command); });
  RigidModel model(run.character);
  const double dynamics = cost(n, [&](int i) { model.set(at(i).state.q, at(i).state.v); });

  TrackingQp qp(model, rest_command(run.character).limit);
  VecX desired;
  const auto set_up = [&](int i) {
    std::vector<PlanContact> contacts;
    for (const Contact& c : at(i).contacts)
      if (c.other_shape < 0) contacts.push_back({c.shape, c.body, c.p_W, c.normal_W});
    const ReferenceSample motion = sample(run.character, run.reference, at(i).state.time_s);
    desired_acceleration(run.character, at(i).state, motion, 300, desired);
    qp.set_up(contacts, desired);
  };
  const double preparing = cost(n, [&](int i) {
    model.set(at(i).state.q, at(i).state.v);
    set_up(i);
  });
  const double solving = plan - preparing;
  const double in_all = kPlanHz * plan + kServoHz * act;
  std::printf("human57, punch, %g plans and %g servo commands a second; CPU\n", kPlanHz, kServoHz);
  std::printf("%-28s %10.1f us\n%-28s %10.1f us\n%-28s %10.1f us\n%-28s %10.1f us\n", "dynamics, a plan",
              dynamics * 1e6, "setting up, a plan", (preparing - dynamics) * 1e6, "solving, a plan",
              solving * 1e6, "servos, a command", act * 1e6);
  std::printf("%-28s %10.1f ms  limit 40.0  %s\n\n", "in all, a second simulated", in_all * 1e3,
              in_all <= 0.04 ? "ok" : "MISSED");
}

// Simulated seconds a CPU second of a controller at work on human57: the best of a few turns.
double times_real_time(const Run& run, double step_s, double plan_hz,
                       const std::function<std::unique_ptr<Controller>()>& make) {
  double best = 0;
  for (int turn = 0; turn < 3; ++turn) {
    const auto simulator = make_mujoco(run.character, run.world, {.step_s = step_s});
    simulator->set_state(start_state(run.character, run.reference, run.world, 0));
    const auto controller = make();
    Rollout rollout(*simulator, *controller, {.plan_hz = plan_hz});
    const double from = cpu_s();
    rollout.run(kSeconds);
    best = std::max(best, rollout.time_s() / (cpu_s() - from));
  }
  return best;
}

void measure_recipes() {
  std::printf("human57, %g s, the best of 3 turns on one thread%20s %10s\n", kSeconds, "times real time",
              "limit");
  const auto tell = [](const char* name, double times, double limit) {
    std::printf("%-48s %18.1f %10.0f  %s\n", name, times, limit, times >= limit ? "ok" : "MISSED");
  };
  const Run punch("human57", "punch"), walk("human57", "walk");
  tell("the paper's recipe, punch, steps of 1 ms",
       times_real_time(punch, 0.001, kPlanHz,
                       [&] { return std::make_unique<Mcsim>(punch.character, punch.reference); }),
       8);
  for (const Run* run : {&punch, &walk})
    tell(run == &punch ? "our recipe, punch, steps of 2 ms" : "our recipe, walk, steps of 2 ms",
         times_real_time(
             *run, 0.002, 1 / PreviewOptions{}.look.knot_s,
             [&] { return std::make_unique<PreviewTracker>(run->character, run->world, run->reference); }),
         2);
}

}  // namespace
}  // namespace sinew

int main() {
  sinew::measure_parts();
  sinew::measure_recipes();
}

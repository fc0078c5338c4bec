// How long a picture of a simulation takes: character, reference as ghost, forces, ball and world.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "character/library.h"
#include "record/film.h"
#include "record/renderer.h"

namespace sinew {
namespace {

// A character that waves its limbs on a step of the ground, its reference a little beside it, a ball in the
// air.
Recording made_up_simulation(const std::string& character) {
  Recording recording;
  recording.character = load_character(character, {std::string(SINEW_SOURCE_DIR) + "/assets/characters"});
  recording.frame_time_s = 0.02;
  const auto add = [&](ShapeType type, int prop, const Vec3& size, const Vec3& p, bool ground) {
    WorldShape shape;
    shape.shape.type = type;
    shape.shape.body = prop;
    shape.shape.size = size;
    shape.shape.X_BS.p = p;
    shape.ground = ground;
    recording.world.shapes.push_back(shape);
  };
  add(ShapeType::kPlane, -1, Vec3::Zero(), Vec3::Zero(), true);
  add(ShapeType::kBox, -1, Vec3(0.5, 1, 0.05), Vec3(1.2, 0, 0.05), true);
  add(ShapeType::kSphere, 0, Vec3(0.1, 0, 0), Vec3::Zero(), false);
  recording.world.props.resize(1);
  for (int i = 0; i < 50; ++i) {
    RecordingFrame frame;
    frame.time_s = 0.02 * i;
    VecX dv = VecX::Constant(recording.character.nv(), 0.15 * std::sin(0.25 * i));
    dv.head<6>().setZero();
    frame.q = integrate(recording.character, recording.character.q_rest, dv);
    dv.setConstant(0.1);
    frame.q_reference = integrate(recording.character, frame.q, dv);
    frame.v = frame.torque = VecX::Zero(recording.character.nv());
    for (const double side : {-0.1, 0.1})
      frame.contacts.push_back({0, 0, -1, 0, Vec3(0, side, 0), Vec3::UnitZ(), Vec3(30, 10, 400), 0.001});
    frame.props.push_back({Vec3(1 - 0.02 * i, 0.2, 1.2), Quat::Identity()});
    recording.frames.push_back(frame);
  }
  return recording;
}

void draw_simulation(benchmark::State& state, const std::string& character, const RenderOptions& options) {
  const Recording recording = made_up_simulation(character);
  const Film film = make_film(recording);
  const View view =
      frame_film(recording.character, film, static_cast<double>(options.width) / options.height);
  Renderer renderer(options);
  renderer.draw(film_scene(recording.character, film, view, 0));
  size_t frame = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(renderer.draw(film_scene(recording.character, film, view, frame)));
    frame = (frame + 1) % film.bodies.size();
  }
}

// CPU is that of all threads: the rasteriser has its own.
BENCHMARK_CAPTURE(draw_simulation, film_human50, "human50", RenderOptions())
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(draw_simulation, film_robot35, "robot35", RenderOptions())
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(draw_simulation, still_human50, "human50", fine_render_options(640, 480))
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sinew

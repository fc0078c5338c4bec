// The QP solver in CPU time a solve, on problems such as the tracker's, 2 s of them at 100 Hz: from nothing
// (cold) and from the active set of the last one (warm). `qp_bench FILE.qp` takes the problems of a file in
// their order instead.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "qp/problems.h"
#include "qp/qp_file.h"

namespace sinew {
namespace {

using Problems = std::vector<QpProblem>;

void solve_all(benchmark::State& state, const Problems& problems, bool warm) {
  int variables = 0, rows = 0;
  for (const QpProblem& p : problems) {
    variables = std::max(variables, p.variables());
    rows = std::max(rows, p.rows());
  }
  QpSolver solver(variables, rows);
  size_t next = 0;
  double solved = 0, changes = 0, worst = 0;
  for (auto _ : state) {
    if (!warm) solver.forget();
    const QpSolution& s = solver.solve(problems[next]);
    next = (next + 1) % problems.size();
    solved += s.ok();
    changes += s.iterations;
    if (s.ok()) worst = std::max(worst, s.residuals.largest());
  }
  const auto count = static_cast<double>(state.iterations());
  state.counters["changes"] = changes / count;  // of the active set
  state.counters["solved"] = solved / count;
  state.counters["residual"] = worst;
}

void measure(const std::string& name, const Problems& problems) {
  for (const bool warm : {false, true})
    benchmark::RegisterBenchmark((name + (warm ? " warm" : " cold")).c_str(), [=](benchmark::State& state) {
      solve_all(state, problems, warm);
    })->Unit(benchmark::kMicrosecond);
}

void measure_tracker(const std::string& what, qp_problems::TrackerQp figure, int contacts,
                     bool accelerations) {
  figure.contacts = contacts;
  figure.accelerations = accelerations;
  Problems problems;
  for (int k = 0; k < 200; ++k) problems.push_back(qp_problems::tracker_qp(figure, 0.01 * k));
  measure(what + ", " + std::to_string(problems[0].variables()) + " variables, " +
              std::to_string(problems[0].rows()) + " rows",
          problems);
}

}  // namespace
}  // namespace sinew

int main(int argc, char** argv) {
  using namespace sinew;
  benchmark::Initialize(&argc, argv);
  if (argc > 1) {
    Problems problems;
    for (LabelledQp& labelled : load_qps(argv[1])) problems.push_back(std::move(labelled.problem));
    if (!problems.empty()) measure(argv[1], problems);
  } else {
    // Torques and cone coefficients; 18 and 57 coordinates.
    measure_tracker("reduced", qp_problems::small_figure(), 6, false);
    for (const int contacts : {1, 4, 11}) measure_tracker("reduced", {}, contacts, false);
    // With accelerations as variables, the sizes of the paper's Table 4.
    for (const int contacts : {0, 2, 4, 8})
      measure_tracker("full", qp_problems::small_figure(), contacts, true);
    for (const int contacts : {9, 10, 11}) measure_tracker("full", {}, contacts, true);
  }
  benchmark::RunSpecifiedBenchmarks();
}

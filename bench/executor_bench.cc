// What a search over many processes costs beside simulating: jobs of both recipes for human50 (bytes, CPU
// time), a round trip to another process over Open MPI (the program starts itself again under mpirun), and
// from both what many cores would make of it. The table of docs/cluster.md is of this.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "character/retarget.h"
#include "clocks.h"
#include "motion/load.h"
#include "rollout/placement.h"
#include "search/mpi.h"
#include "search/reconstruct.h"
#include "search/samcon.h"
#include "sim/engines.h"
#include "sim/scenes.h"
#include "world/library.h"

namespace sinew {
namespace {

// What the quickest hundredth takes: that of a machine where nobody else wants the cores.
double at_rest(std::vector<double> values) {
  const auto quick = values.begin() + static_cast<ptrdiff_t>(values.size() / 100);
  std::nth_element(values.begin(), quick, values.end());
  return *quick;
}

// ---- What a search asks for.

struct Batch {
  double jobs = 0, total_s = 0, longest_s = 0;
};

struct Work {
  std::string name;
  double seconds = 0;  // of motion
  double cpu_s = 0;    // of all
  std::vector<Batch> batches;
  double jobs = 0, job_bytes = 0, result_bytes = 0, job_s = 0;  // of all jobs
};

// Does all jobs itself and keeps the account.
class Account : public Executor {
 public:
  Account(Work& work, const EvaluatorFactory& make) : work_(work), evaluator_(make()) {}
  int width() const override { return 1; }
  void run(const std::vector<Numbers>& jobs, std::vector<Numbers>& results) override {
    results.resize(jobs.size());
    Batch batch;
    for (size_t i = 0; i < jobs.size(); ++i) {
      const double from = cpu_s(CLOCK_THREAD_CPUTIME_ID);
      evaluator_->evaluate(jobs[i], results[i]);
      const double spent = cpu_s(CLOCK_THREAD_CPUTIME_ID) - from;
      batch.jobs += 1;
      batch.total_s += spent;
      batch.longest_s = std::max(batch.longest_s, spent);
      work_.job_bytes += 8.0 * static_cast<double>(jobs[i].size());
      work_.result_bytes += 8.0 * static_cast<double>(results[i].size());
    }
    work_.jobs += batch.jobs;
    work_.job_s += batch.total_s;
    work_.batches.push_back(batch);
  }

 private:
  Work& work_;
  std::unique_ptr<Evaluator> evaluator_;
};

SearchTask walk(double seconds) {
  SearchTask task;
  task.character = scenes::shipped("human50");
  task.world = make_world("flat");
  task.reference = at_origin(
      task.character,
      retarget(load_clip(SINEW_SOURCE_DIR "/assets/motions/walk.json").clip, task.character).reference,
      task.world, 0);
  task.seconds = seconds;
  task.start = start_state(task.character, task.reference, task.world, 0);
  task.engine = find_engine("mujoco");
  return task;
}

template <class Search>
Work measure(const std::string& name, double seconds, const Search& search) {
  Work work;
  work.name = name;
  work.seconds = seconds;
  SearchHooks hooks;
  hooks.executor = [&work](const EvaluatorFactory& make) { return std::make_unique<Account>(work, make); };
  const SearchTask task = walk(seconds);
  const double from = cpu_s(CLOCK_THREAD_CPUTIME_ID);
  search(task, hooks);
  work.cpu_s = cpu_s(CLOCK_THREAD_CPUTIME_ID) - from;
  return work;
}

// ---- What a message costs.

struct Messages {
  double round_trip_s = 0;  // of a job and its result
  double leader_s = 0;      // CPU time of rank 0 for both
};

// A result as long as the job says. Rank 0 sleeps over its own jobs, so that the others get theirs.
class Echo : public Evaluator {
 public:
  struct Done {
    double jobs = 0, cpu_s = 0;
  };
  Echo(bool sleeps, Done& done) : sleeps_(sleeps), done_(done) {}
  void evaluate(const Numbers& job, Numbers& result) override {
    const double from = cpu_s(CLOCK_THREAD_CPUTIME_ID);
    result.assign(static_cast<size_t>(job[0]), job.back());
    if (sleeps_) std::this_thread::sleep_for(std::chrono::microseconds(100));
    done_.cpu_s += cpu_s(CLOCK_THREAD_CPUTIME_ID) - from;
    done_.jobs += 1;
  }

 private:
  bool sleeps_;
  Done& done_;
};

Messages measure_messages(MpiSession& session, size_t job_numbers, size_t result_numbers) {
  Echo::Done own;
  const auto ranks_of = [&](bool sleeps) {
    return on_ranks(session, "echo")([&, sleeps] { return std::make_unique<Echo>(sleeps, own); });
  };
  Numbers job(job_numbers, 1.5);
  job[0] = static_cast<double>(result_numbers);
  std::vector<Numbers> results;
  Messages out;
  // Of two jobs one is sent.
  {
    const auto ranks = ranks_of(false);
    const std::vector<Numbers> two(2, job);
    std::vector<double> times;
    for (int i = 0; i < 3000; ++i) {
      const double from = wall_s();
      ranks->run(two, results);
      times.push_back(wall_s() - from);
    }
    out.round_trip_s = at_rest(times);
  }
  // Of eight each goes alone, and rank 0 sleeps over those that it keeps.
  {
    const auto ranks = ranks_of(true);
    const std::vector<Numbers> eight(8, job);
    std::vector<double> times;
    for (int i = 0; i < 1000; ++i) {
      own = {};
      const double from = cpu_s(CLOCK_THREAD_CPUTIME_ID);
      ranks->run(eight, results);
      times.push_back((cpu_s(CLOCK_THREAD_CPUTIME_ID) - from - own.cpu_s) / (8 - own.jobs));
    }
    out.leader_s = at_rest(times);
  }
  return out;
}

// The other end: executor_bench --messages JOB RESULT prints what rank 0 measured.
int run_messages(MpiSession& session, char** argv) {
  if (session.rank() > 0) {
    Echo::Done ignored;
    serve(session, [&](const std::string&, const ExecutorFactory& executor) {
      executor([&] { return std::make_unique<Echo>(false, ignored); });
    });
    return 0;
  }
  const Messages m =
      measure_messages(session, std::strtoul(argv[2], nullptr, 10), std::strtoul(argv[3], nullptr, 10));
  std::printf("%.9f %.9f\n", m.round_trip_s, m.leader_s);
  return 0;
}

// Starts this program again, as two processes.
Messages under_mpirun(const std::string& self, const std::string& way, const Work& work) {
  const auto numbers = [&](double bytes) { return std::to_string(std::lround(bytes / work.jobs / 8)); };
  const std::string command =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe --bind-to none --mca "
      "btl " +
      way + ",self -n 2 '" + self + "' --messages " + numbers(work.job_bytes) + " " +
      numbers(work.result_bytes);
  Messages m;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr || std::fscanf(pipe, "%lf %lf", &m.round_trip_s, &m.leader_s) != 2)
    std::printf("mpirun did not work: %s\n", command.c_str());
  if (pipe != nullptr) pclose(pipe);
  return m;
}

// ---- What many cores would make of it.

// A batch on P cores takes as long as the longest of: its longest job, the jobs that a core gets one after
// another, and rank 0's work on all messages; and a round trip. What is not in jobs rank 0 does alone.
double time_s(const Work& work, const Messages& messages, double cores) {
  double sum = work.cpu_s - work.job_s;
  for (const Batch& batch : work.batches) {
    const double mean_s = batch.total_s / batch.jobs;
    if (cores <= 1)
      sum += batch.total_s;
    else
      sum += messages.round_trip_s + std::max({batch.longest_s, std::ceil(batch.jobs / cores) * mean_s,
                                               batch.jobs * messages.leader_s});
  }
  return sum / work.seconds;
}

// The same with ten times the samples, not measured.
Work ten_times(Work work) {
  work.name = "the same with 14000 samples of which 2000 are kept (all of it extrapolated)";
  for (double* sum : {&work.cpu_s, &work.jobs, &work.job_bytes, &work.result_bytes, &work.job_s}) *sum *= 10;
  for (Batch& batch : work.batches) batch.jobs *= 10, batch.total_s *= 10;
  return work;
}

void tell(const Work& work, const std::string& self) {
  std::printf("%s\n", work.name.c_str());
  std::printf("  %.0f jobs in %.0f batches a second of motion; the widest batch has %.0f\n",
              work.jobs / work.seconds, static_cast<double>(work.batches.size()) / work.seconds,
              std::max_element(work.batches.begin(), work.batches.end(), [](const Batch& a, const Batch& b) {
                return a.jobs < b.jobs;
              })->jobs);
  std::printf("  a job: %.2f kB, its result: %.2f kB, CPU time %.2f ms; %.1f %% of the time is not in jobs\n",
              work.job_bytes / work.jobs / 1e3, work.result_bytes / work.jobs / 1e3,
              work.job_s / work.jobs * 1e3, 100 * (1 - work.job_s / work.cpu_s));
  Messages worst;
  for (const std::string way : {"vader", "tcp"}) {
    const Messages m = under_mpirun(self, way, work);
    std::printf("  %-13s round trip %6.1f us, of which rank 0 works %5.1f us\n",
                way == "tcp" ? "TCP:" : "shared memory:", m.round_trip_s * 1e6, m.leader_s * 1e6);
    worst = m;
  }
  std::printf("  %8s %28s %10s\n", "cores", "s a second of motion (TCP)", "speed-up");
  for (const double cores : {1.0, 2.0, 8.0, 20.0, 80.0, 200.0, 1000.0})
    std::printf("  %8.0f %28.3f %10.1f\n", cores, time_s(work, worst, cores),
                time_s(work, worst, 1) / time_s(work, worst, cores));
}

}  // namespace
}  // namespace sinew

int main(int argc, char** argv) {
  using namespace sinew;
  if (argc == 4 && std::string(argv[1]) == "--messages") {
    MpiSession session;
    return run_messages(session, argv);
  }
  tell(measure("default recipe", 1.0,
               [](const SearchTask& task, const SearchHooks& hooks) { reconstruct(task, {}, hooks); }),
       argv[0]);
  const Work paper =
      measure("paper's recipe, 1400 samples of which 200 are kept", 0.3,
              [](const SearchTask& task, const SearchHooks& hooks) { samcon(task, {}, hooks); });
  tell(paper, argv[0]);
  tell(ten_times(paper), argv[0]);
}

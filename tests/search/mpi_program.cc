// A process of a run that the tests of MPI start: mpi_program WHAT. Rank 0 says on standard output how it
// went.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include "core/error.h"
#include "search/mpi.h"

namespace sinew {
namespace {

// Numbers that depend on every bit of a job: a logistic map, in results of many lengths.
class Chaos : public Evaluator {
 public:
  explicit Chaos(double rate) : rate_(rate) {}
  void evaluate(const Numbers& job, Numbers& result) override {
    if (job[0] == kBad) throw Error("a bad job");
    if (job[0] == kDeadly) ::raise(SIGKILL);
    if (job[0] == kEndless) ::raise(SIGSTOP);
    result.clear();
    for (double x : job) {
      for (int i = 0; i < 500; ++i) x = rate_ * x * (1 - x);
      result.push_back(x);
      if (x > 0.7) result.push_back(x / 3);
    }
  }
  static constexpr double kBad = -1, kDeadly = -2, kEndless = -3;

 private:
  double rate_;
};

// Jobs of different lengths; the longest do not fit into one packet.
std::vector<Numbers> some_jobs(size_t count) {
  std::vector<Numbers> jobs;
  for (size_t i = 0; i < count; ++i) {
    jobs.emplace_back(i % 50 == 49 ? 20000 : 1 + i % 7);
    for (size_t k = 0; k < jobs[i].size(); ++k)
      jobs[i][k] = 1 / (2.0 + static_cast<double>(i) + 0.01 * static_cast<double>(k));
  }
  return jobs;
}

// A task is the rate, as text.
EvaluatorFactory chaos(const std::string& task) {
  return [rate = std::stod(task)] { return std::make_unique<Chaos>(rate); };
}

using Results = std::vector<Numbers>;

bool same(const Results& a, const Results& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].size() != b[i].size() ||
        std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(double)) != 0)
      return false;
  return true;
}

// Several searches one after another, each of batches of several sizes.
void compare(MpiSession& session) {
  for (const std::string task : {"3.9", "3.8"}) {
    const auto ranks = on_ranks(session, task)(chaos(task)), threads = on_threads(2)(chaos(task));
    if (ranks->width() != session.size()) throw Error("wrong width");
    for (const size_t count : {1, 2, 0, 5, 300}) {
      Results a, b;
      ranks->run(some_jobs(count), a);
      threads->run(some_jobs(count), b);
      if (a.size() != count || !same(a, b)) throw Error("results differ");
    }
  }
  if (session.size() > 1 && session.others_cpu_s() <= 0) throw Error("the others did nothing");
  std::puts("equal");
}

void fail(MpiSession& session) {
  std::vector<Numbers> jobs = some_jobs(40), results;
  const auto ranks = on_ranks(session, "3.9")(chaos("3.9"));
  jobs[0] = {Chaos::kBad};
  try {
    ranks->run(jobs, results);
  } catch (const Error& error) {
    std::puts(error.what());
  }
  // What was left of the bad batch does not get into the next.
  Results expected;
  on_threads(1)(chaos("3.9"))->run(some_jobs(40), expected);
  ranks->run(some_jobs(40), results);
  std::puts(same(results, expected) ? "goes on" : "mixed up");
}

std::atomic<bool> told_to_end = false;

void lose_one(MpiSession& session, double how, double silence_s) {
  struct sigaction action {};
  action.sa_handler = [](int) { told_to_end = true; };
  // SIGCONT announces the end; SIGTERM leaves no time.
  ::sigaction(SIGCONT, &action, nullptr);
  std::vector<Numbers> jobs = some_jobs(40), results;
  jobs[0] = {how};
  try {
    const auto ranks = on_ranks(
        session, "3.9", [] { return told_to_end.load(); }, silence_s)(chaos("3.9"));
    ranks->run(jobs, results);
  } catch (const RunLost& error) {
    std::puts(error.what());
    std::fflush(stdout);
    throw;
  }
}

void lead(const std::string& what, MpiSession& session) {
  if (what == "compare") return compare(session);
  if (what == "fail") return fail(session);
  if (what == "lose-one") return lose_one(session, Chaos::kDeadly, 60);
  if (what == "wait-for-one") return lose_one(session, Chaos::kEndless, 1);
  // Rank 1 is of another opinion, and says so; then all agree.
  try {
    on_ranks(session, "other")(chaos("3.9"));
  } catch (const Error& error) {
    std::puts(error.what());
  }
  compare(session);
}

void follow(MpiSession& session) {
  serve(session, [&](const std::string& task, const ExecutorFactory& executor) {
    if (task == "other" && session.rank() == 1) throw Error("this is another search");
    executor(chaos(task == "other" ? "3.9" : task));
  });
}

}  // namespace
}  // namespace sinew

int main(int argc, char** argv) {
  try {
    sinew::MpiSession session;
    if (session.rank() == 0)
      sinew::lead(argc > 1 ? argv[1] : "", session);
    else
      sinew::follow(session);
  } catch (const sinew::Error& error) {
    std::fprintf(stderr, "mpi_program: %s\n", error.what());
    return 1;
  }
}

#include "search/mpi.h"

#define OMPI_SKIP_MPICXX  // the C interface alone
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <thread>
#include <utility>

namespace sinew {

namespace {

// What is said, and in which numbers. Every search and every batch of jobs has a number of its own, counted
// on: answers to what nobody waits for any more are known by it.
enum Tag : int {
  // From rank 0.
  kBegin,  // number of the search, length of the task, which follows to all at once
  kJobs,   // number of the batch, first job, jobs (each: its length, its numbers)
  kEnd,    // of the search: nothing
  kStop,   // of all: nothing
  // From the others.
  kReady,    // number of the search
  kResults,  // number of the batch, CPU time, first job, results (each: its length, its numbers)
  kFailed,   // number of the search or batch, the sentence
  kStopped,  // nothing
};

// So many messages with jobs are on their way to a rank, or done there, at a time: it never waits for more.
constexpr int kAhead = 2;

// Waits a little: at first hardly, later a twentieth of what was waited so far. MPI itself would keep a core
// busy with waiting.
class Patience {
 public:
  void wait() {
    if (waited_s_ < 1e-3)
      ::sched_yield();
    else
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(waited_s_ / 20, 2e-3)));
    // A process that was itself asleep did not wait.
    const Clock::time_point now = Clock::now();
    waited_s_ += std::min(std::chrono::duration<double>(now - last_).count(), 0.1);
    last_ = now;
  }
  double waited_s() const { return waited_s_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  double waited_s_ = 0;
};

struct Message {
  int from = 0;
  int tag = 0;
  Numbers numbers;
};

// Appends jobs or results, each with its length before it.
void append(const Numbers& numbers, Numbers& to) {
  to.push_back(static_cast<double>(numbers.size()));
  to.insert(to.end(), numbers.begin(), numbers.end());
}

// Takes them out again one by one, from `at` on.
Numbers take(const Numbers& from, size_t& at) {
  const auto begin = from.begin() + static_cast<ptrdiff_t>(at) + 1;
  const auto length = static_cast<ptrdiff_t>(from[at]);
  at += 1 + static_cast<size_t>(length);
  return {begin, begin + length};
}

double cpu_now_s() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// mpirun, or srun with PMIx or PMI, leave their words in the environment.
bool started_as_part_of_a_run() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

}  // namespace

// What is asked while waiting, which was so long.
using Meanwhile = std::function<void(double waited_s)>;

struct MpiSession::Run {
  int rank = 0, size = 1;
  bool started = false;
  bool orderly = true;  // it ends by agreement
  double last = 0;      // number of the latest search or batch
  double others_cpu_s = 0;

  void check(int status) {
    if (status == MPI_SUCCESS) return;
    orderly = false;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(status, text.data(), &length);
    throw RunLost("a process of the run was lost: " + std::string(text.data()));
  }

  struct Sending {
    Numbers numbers;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::deque<Sending> sendings;

  void send(int to, Tag tag, Numbers numbers) {
    Sending& s = sendings.emplace_back();
    s.numbers = std::move(numbers);
    check(MPI_Isend(s.numbers.data(), static_cast<int>(s.numbers.size()), MPI_DOUBLE, to, tag, MPI_COMM_WORLD,
                    &s.request));
  }

  // Lets go of what has been sent.
  void tidy() {
    for (int sent = 1; !sendings.empty();) {
      check(MPI_Test(&sendings.front().request, &sent, MPI_STATUS_IGNORE));
      if (sent == 0) return;
      sendings.pop_front();
    }
  }

  // A message, if one has come.
  bool receive(Message& message) {
    if (!started) return false;
    tidy();
    int came = 0, length = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &came, &status));
    if (came == 0) return false;
    check(MPI_Get_count(&status, MPI_DOUBLE, &length));
    message.from = status.MPI_SOURCE;
    message.tag = status.MPI_TAG;
    message.numbers.resize(static_cast<size_t>(length));
    check(MPI_Recv(message.numbers.data(), length, MPI_DOUBLE, message.from, message.tag, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE));
    return true;
  }

  Message await(const Meanwhile& meanwhile = {}) {
    Message message;
    for (Patience patience; !receive(message); patience.wait())
      if (meanwhile) meanwhile(patience.waited_s());
    return message;
  }

  // The text of rank 0 for all.
  void share(std::string& text, const Meanwhile& meanwhile = {}) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, MPI_COMM_WORLD, &request));
    int shared = 0;
    for (Patience patience;; patience.wait()) {
      check(MPI_Test(&request, &shared, MPI_STATUS_IGNORE));
      if (shared != 0) return;
      if (meanwhile) meanwhile(patience.waited_s());
    }
  }

  // Ends a run in which all agree to: rank 0 says so and waits until everybody has heard it.
  void end() {
    if (rank == 0) {
      for (int r = 1; r < size; ++r) send(r, kStop, {});
      for (int left = size - 1; left > 0;)
        if (await().tag == kStopped) --left;
    }
    while (!sendings.empty()) tidy();
    MPI_Finalize();
  }
};

namespace {

using Run = MpiSession::Run;

// The executor of rank 0. Free ranks are sent a share of the jobs that are left, and between looking after
// them rank 0 does jobs itself.
class Ranks : public Executor {
 public:
  Ranks(Run& run, std::function<bool()> ending, double silence_s)
      : run_(run),
        ending_(std::move(ending)),
        silence_s_(silence_s),
        search_(++run.last),
        ahead_(static_cast<size_t>(run.size)) {}

  // All ranks make their evaluators at the same time, and have them when this is done.
  void begin(std::string task, const EvaluatorFactory& make) {
    const auto look = [this](double waited_s) { go_on_or_throw(waited_s); };
    for (int r = 1; r < run_.size; ++r) run_.send(r, kBegin, {search_, static_cast<double>(task.size())});
    if (run_.size > 1) run_.share(task, look);
    own_ = make();
    for (int left = run_.size - 1; left > 0;) {
      const Message answer = run_.await(look);
      if (answer.numbers.at(0) != search_) continue;
      throw_if_failed(answer);
      --left;
    }
  }

  ~Ranks() override {
    if (!run_.orderly) return;
    try {
      for (int r = 1; r < run_.size; ++r) run_.send(r, kEnd, {});
    } catch (const RunLost&) {
      // Nobody is left to tell.
    }
  }

  int width() const override { return run_.size; }

  void run(const std::vector<Numbers>& jobs, std::vector<Numbers>& results) override {
    results.resize(jobs.size());
    const double batch = ++run_.last;
    size_t next = 0, done = 0;
    Message message;
    for (Patience patience; done < jobs.size();) {
      go_on_or_throw(patience.waited_s());
      hand_out(jobs, batch, next);
      if (run_.receive(message)) {
        done += take_in(message, batch, results);
        patience = {};
      } else if (next < jobs.size()) {
        own_->evaluate(jobs[next], results[next]);
        ++next;
        ++done;
        patience = {};
      } else {
        patience.wait();
      }
    }
  }

 private:
  void go_on_or_throw(double waited_s) {
    const bool ending = ending_ && ending_();
    if (!ending && waited_s < silence_s_) return;
    run_.orderly = false;
    throw RunLost(ending ? "a process of the run was lost (or it was told to end)"
                         : "a process of the run was lost: " + std::to_string(std::lround(silence_s_)) +
                               " s without an answer");
  }

  static void throw_if_failed(const Message& answer) {
    if (answer.tag == kFailed) throw Error(std::string(answer.numbers.begin() + 1, answer.numbers.end()));
  }

  // First one message to every rank, then what it will do next. The last job is kept for rank 0: a single one
  // is not worth a message.
  void hand_out(const std::vector<Numbers>& jobs, double batch, size_t& next) {
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      for (size_t r = 1; r < ahead_.size() && next + 1 < jobs.size(); ++r) {
        if (ahead_[r] != ahead) continue;
        const size_t share = std::max<size_t>(1, (jobs.size() - next) / (4 * ahead_.size()));
        Numbers numbers = {batch, static_cast<double>(next)};
        for (const size_t end = next + share; next < end; ++next) append(jobs[next], numbers);
        run_.send(static_cast<int>(r), kJobs, std::move(numbers));
        ++ahead_[r];
      }
    }
  }

  // How many results of this batch the answer brought.
  size_t take_in(const Message& answer, double batch, std::vector<Numbers>& results) {
    const Numbers& numbers = answer.numbers;
    const double answered = numbers.at(0);
    if (answered <= search_) return 0;
    --ahead_[static_cast<size_t>(answer.from)];
    throw_if_failed(answer);
    if (answered != batch) return 0;
    run_.others_cpu_s += numbers[1];
    const auto first = static_cast<size_t>(numbers[2]);
    size_t count = 0;
    for (size_t at = 3; at < numbers.size(); ++count) results[first + count] = take(numbers, at);
    return count;
  }

  Run& run_;
  std::function<bool()> ending_;
  double silence_s_;
  double search_;
  std::vector<int> ahead_;  // messages with jobs that a rank has not answered
  std::unique_ptr<Evaluator> own_;
};

// Leaves a search that this rank has no more part in.
struct Served {};

// A sentence about this rank, for rank 0.
Numbers failure(int rank, double number, const std::string& sentence) {
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int length = 0;
  MPI_Get_processor_name(host.data(), &length);
  const std::string text = "rank " + std::to_string(rank) + " on " + host.data() + ": " + sentence;
  Numbers numbers = {number};
  numbers.insert(numbers.end(), text.begin(), text.end());
  return numbers;
}

void do_jobs(Run& run, Evaluator& evaluator, const Numbers& jobs) {
  const double from_s = cpu_now_s();
  Numbers results = {jobs[0], 0, jobs[1]}, result;
  try {
    for (size_t at = 2; at < jobs.size();) {
      evaluator.evaluate(take(jobs, at), result);
      append(result, results);
    }
  } catch (const std::exception& error) {
    run.send(0, kFailed, failure(run.rank, jobs[0], error.what()));
    return;
  }
  results[1] = cpu_now_s() - from_s;
  run.send(0, kResults, std::move(results));
}

}  // namespace

MpiSession::MpiSession() : run_(std::make_unique<Run>()) {
  if (!started_as_part_of_a_run()) return;
  if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS) throw Error("Open MPI could not be started");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &run_->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run_->size);
  run_->started = true;
  // Others that leave before rank 0 has done are lost: Open MPI sees it when they do not end by agreement.
  run_->orderly = run_->rank == 0;
}

MpiSession::~MpiSession() {
  if (!run_->started || !run_->orderly) return;
  try {
    run_->end();
  } catch (const RunLost&) {
    // Nobody is left to agree with.
  }
}

int MpiSession::rank() const { return run_->rank; }
int MpiSession::size() const { return run_->size; }
double MpiSession::others_cpu_s() const { return run_->others_cpu_s; }

ExecutorFactory on_ranks(MpiSession& session, std::string task, std::function<bool()> ending,
                         double silence_s) {
  return [&run = *session.run_, task, ending, silence_s](const EvaluatorFactory& make) {
    auto ranks = std::make_unique<Ranks>(run, ending, silence_s);
    ranks->begin(task, make);
    return ranks;
  };
}

void serve(MpiSession& session,
           const std::function<void(const std::string&, const ExecutorFactory&)>& search) {
  Run& run = *session.run_;
  double number = 0;
  const ExecutorFactory executor = [&](const EvaluatorFactory& make) -> std::unique_ptr<Executor> {
    const auto evaluator = make();
    run.send(0, kReady, {number});
    for (Message message = run.await(); message.tag != kEnd; message = run.await())
      do_jobs(run, *evaluator, message.numbers);
    throw Served();
  };
  for (Message message = run.await(); message.tag != kStop; message = run.await()) {
    // The end of a search that had no beginning here.
    if (message.tag != kBegin) continue;
    number = message.numbers[0];
    std::string task(static_cast<size_t>(message.numbers[1]), ' ');
    run.share(task);
    try {
      search(task, executor);
    } catch (const Served&) {
      continue;
    } catch (const std::exception& error) {
      run.send(0, kFailed, failure(run.rank, number, error.what()));
    }
  }
  run.send(0, kStopped, {});
  run.orderly = true;
}

}  // namespace sinew

#include "cli/search_watch.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/output_folder.h"
#include "cli/text.h"

namespace sinew::cli {

namespace {

// How often a search is saved, and how often it is told of where nobody watches a bar.
constexpr double kSave_s = 3, kTell_s = 10;

}  // namespace

std::string SearchExtent::in_words(double amount) const { return fixed(amount, digits) + " " + unit; }

SearchWatch::SearchWatch(const FindOptions& options, SavedSearch begun, SearchExtent extent,
                         Progress& progress)
    : folder_(options.folder),
      begun_(std::move(begun)),
      extent_(std::move(extent)),
      progress_(progress),
      quiet_(options.quiet),
      ranks_(options.ranks),
      others_before_s_(others_cpu_s()) {}

bool SearchWatch::tell(double reached, const std::string& words, const std::function<Checkpoint()>& make) {
  const double now_s = stopwatch_.read().wall_s;
  const bool ending = guard_.interrupted();
  progress_.within(reached / extent_.whole, with_rest(words, reached));
  if (!quiet_ && ::isatty(STDERR_FILENO) != 1 && now_s - told_s_ > kTell_s) {
    progress_.say("sinew: " + with_rest(words, reached));
    told_s_ = now_s;
  }
  if (ending || now_s - saved_s_ > kSave_s) {
    save(reached, make());
    saved_s_ = now_s;
  }
  reached_ = reached;
  if (ranks_ != nullptr && ranks_->size() > 1) last_ = make();
  return !ending;
}

Stopwatch::Times SearchWatch::spent() const {
  const Stopwatch::Times now = stopwatch_.read();
  return {begun_.spent.cpu_s + now.cpu_s + others_cpu_s() - others_before_s_,
          begun_.spent.wall_s + now.wall_s};
}

std::string SearchWatch::with_rest(const std::string& words, double reached) const {
  const double done = reached - begun_.reached;
  if (done <= 0) return words;
  return words + ", " + fixed(stopwatch_.read().wall_s * std::max(extent_.whole - reached, 0.0) / done, 0) +
         " s left";
}

bool SearchWatch::ending() {
  if (continued_.take() && last_) {
    save_last();
    progress_.say("sinew: the run may be about to end; the search is saved as it was at " +
                  extent_.in_words(reached_) + " for --resume");
  }
  return guard_.interrupted();
}

void SearchWatch::save_last() const {
  if (last_) save(reached_, *last_);
}

void SearchWatch::save(double reached, const Checkpoint& checkpoint) const {
  const OutputFolder out(folder_);
  write_checkpoint(folder_ / kCheckpointFile, {begun_.inputs, reached, spent(), checkpoint});
}

void watch_search(const std::string& inputs, const std::string& task, const SearchExtent& extent,
                  const FindOptions& options, Progress& progress, Stopwatch::Times& spent,
                  const std::function<void(SearchWatch&, const ExecutorFactory&,
                                           const std::optional<Checkpoint>&)>& search) {
  SavedSearch begun;
  begun.inputs = inputs;
  std::optional<Checkpoint> resume;
  if (options.resume) {
    begun = read_checkpoint(options.folder / kCheckpointFile, inputs);
    resume = begun.checkpoint;
  }
  SearchWatch watch(options, std::move(begun), extent, progress);
  ExecutorFactory executor = on_threads(options.threads);
  if (options.ranks != nullptr && options.ranks->size() > 1)
    executor = on_ranks(*options.ranks, task, [&watch] { return watch.ending(); });

  // How far a search came that does not go on, and how it may.
  const auto say_broken_off = [&](const std::string& what) {
    std::error_code ec;
    const bool waits = std::filesystem::exists(options.folder / kCheckpointFile, ec);
    progress.say("sinew: " + what + " at " + extent.in_words(watch.reached()) + " of " +
                 extent.in_words(extent.whole) +
                 (waits ? "; the same command with " + options.resume_hint + " goes on" : ""));
  };
  try {
    search(watch, executor, resume);
  } catch (const RunLost& lost) {
    watch.save_last();
    say_broken_off(lost.what());
    throw;
  }
  spent = watch.spent();
  if (watch.interrupted()) say_broken_off("the search was interrupted");
}

}  // namespace sinew::cli

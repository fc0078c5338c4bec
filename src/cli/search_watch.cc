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

SearchWatch::SearchWatch(std::filesystem::path folder, SavedSearch begun, double seconds, Progress& progress,
                         bool quiet, const MpiSession* ranks)
    : folder_(std::move(folder)),
      begun_(std::move(begun)),
      seconds_(seconds),
      progress_(progress),
      quiet_(quiet),
      ranks_(ranks),
      others_before_s_(others_cpu_s()) {}

bool SearchWatch::tell(const SearchReport& report, const std::function<Checkpoint()>& make) {
  const double now_s = stopwatch_.read().wall_s;
  const bool ending = guard_.interrupted();
  progress_.within(report.time_s / seconds_, in_words(report));
  if (!quiet_ && ::isatty(STDERR_FILENO) != 1 && now_s - told_s_ > kTell_s) {
    progress_.say("sinew: " + in_words(report));
    told_s_ = now_s;
  }
  if (ending || now_s - saved_s_ > kSave_s) {
    save(report.time_s, make());
    saved_s_ = now_s;
  }
  last_s_ = report.time_s;
  if (ranks_ != nullptr && ranks_->size() > 1) last_ = make();
  return !ending;
}

Stopwatch::Times SearchWatch::spent() const {
  const Stopwatch::Times now = stopwatch_.read();
  return {begun_.spent.cpu_s + now.cpu_s + others_cpu_s() - others_before_s_,
          begun_.spent.wall_s + now.wall_s};
}

std::string SearchWatch::in_words(const SearchReport& report) const {
  std::string text = fixed(report.time_s, 2) + " of " + fixed(seconds_, 2) + " s, cost " +
                     fixed(report.cost, 2) + ", root at " + fixed(report.root_height_m, 2) +
                     " m (reference " + fixed(report.reference_height_m, 2) + ")";
  if (report.rewinds > 0) text += ", " + count(static_cast<size_t>(report.rewinds), "rewind");
  const double done_s = report.time_s - begun_.time_s;
  if (done_s > 0)
    text += ", " + fixed(stopwatch_.read().wall_s * std::max(seconds_ - report.time_s, 0.0) / done_s, 0) +
            " s left";
  return text;
}

bool SearchWatch::ending() {
  if (continued_.take() && last_) {
    save_last();
    progress_.say("sinew: the run may be about to end; the search is saved as it was at " +
                  fixed(last_s_, 2) + " s for --resume");
  }
  return guard_.interrupted();
}

void SearchWatch::save_last() const {
  if (last_) save(last_s_, *last_);
}

void SearchWatch::save(double time_s, const Checkpoint& checkpoint) const {
  const OutputFolder out(folder_);
  write_checkpoint(folder_ / kCheckpointFile, {begun_.inputs, time_s, spent(), checkpoint});
}

}  // namespace sinew::cli

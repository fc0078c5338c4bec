#include <algorithm>
#include <nlohmann/json.hpp>

#include "character/write_mjcf.h"
#include "core/error.h"
#include "motion/write_bvh.h"
#include "record/clip_export.h"
#include "record/glb.h"
#include "rollout/placement.h"
#include "search/reconstruct.h"
#include "sim/engines.h"
#include "studio/stage.h"
#include "studio/take_files.h"
#include "studio/token.h"

// What takes long: files of a take, and searches.
namespace sinew::studio {

namespace {

// A loop is searched for so long.
constexpr double kLongestLoop_s = 4, kLongestSearch_s = 20;
// How often a search is heard of.
constexpr double kHeard_s = 0.5;

// A role as the control file will say it, from its beginning.
ControlFile search_inputs(const Casting& casting, const std::vector<std::string>& folders) {
  ControlFile file;
  file.clip = casting.role.clip;
  file.recipe = "default";
  file.step_s = 0.002;
  file.character = casting.character;
  if (casting.role.strength != 1) file.mjcf = write_mjcf(casting.character);
  file.world = casting.believed;
  file.reference = casting.reference;
  file.start_s = casting.start_s;
  const bool loops = casting.reference.cyclic || casting.laid_out;
  file.seconds =
      loops ? kLongestLoop_s : std::min(kLongestSearch_s, casting.reference.duration_s() - casting.start_s);
  file.start = casting.start;
  file.control = open_loop(casting.character);
  return as_written(file, folders);
}

SearchTask task_of(const ControlFile& file) {
  return {file.character, file.world, file.reference, file.start_s, file.seconds, file.start, make_mujoco,
          file.step_s,    1};
}

}  // namespace

void Stage::handle(long client, const Export& request) {
  Performer* performer = find(request.performer);
  if (performer == nullptr) throw Error("there is no such performer");
  const Role& role = performer->casting().role;
  if (request.format == "control" && !role.control) throw Error("no control was found yet");
  auto recording = std::make_shared<const Recording>(performer->recording());
  const auto control = role.control;
  const bool taken = exporter_.add([this, client, recording, control, format = request.format] {
    try {
      const auto file = std::make_shared<const TakeFile>(format == "control" ? control_file(*control)
                                                                             : take_file(*recording, format));
      const std::string id = random_token();
      {
        const std::lock_guard lock(mutex_);
        files_[id] = file;
        file_order_.push_back(id);
        if (file_order_.size() > kMostFiles) {
          files_.erase(file_order_.front());
          file_order_.pop_front();
        }
      }
      send_text(client, nlohmann::json({{"type", "file"}, {"id", id}, {"name", file->name}}).dump());
    } catch (const std::exception& error) {
      send_text(client, tell_error(error.what()));
    }
  });
  if (!taken) throw Error("several files are being written already");
}

void Stage::handle(long, const Reconstruct& request) {
  if (search_) throw Error("a search is under way already");
  if (find(request.performer) == nullptr || building_) throw Error("there is nothing to search for yet");
  auto search = std::make_shared<Search>();
  search->performer = static_cast<size_t>(request.performer);
  search->before = wanted_[search->performer].role;
  Role role = search->before;
  role.method = Method::kServo;
  const Setting setting = setting_;
  const bool taken = searcher_.add([this, search, role, setting] {
    try {
      Casting casting = workshop_.cast(role, setting);
      run_search(search, search_inputs(casting, workshop_.character_folders()));
    } catch (const std::exception& error) {
      const std::string sentence = error.what();
      post([this, search, sentence] { search_ended(search, nullptr, sentence); });
    }
  });
  if (!taken) throw Error("a search is under way already");
  search_ = search;
  publish_state(true);
}

// On the search's own thread.
void Stage::run_search(const std::shared_ptr<Search>& search, const ControlFile& inputs) {
  post([this, search, seconds = inputs.seconds] {
    search->seconds = seconds;
    publish_state(true);
  });
  auto heard = std::chrono::steady_clock::time_point();
  SearchHooks hooks;
  hooks.executor = on_threads(threads_);
  hooks.progress = [&](const SearchReport& report, const auto&) {
    const auto now = std::chrono::steady_clock::now();
    if (std::chrono::duration<double>(now - heard).count() > kHeard_s) {
      heard = now;
      auto candidate = std::make_shared<ControlFile>(inputs);
      if (report.control != nullptr) candidate->control = *report.control;
      candidate->seconds = report.time_s;
      post([this, search, report, candidate] {
        const bool first = search->samples == 0;
        search->reached_s = report.time_s;
        search->cost = report.cost;
        search->samples = report.samples;
        search->rewinds = report.rewinds;
        search->candidate = candidate;
        if (!first || search_ != search) return;
        // From now on the candidate is what is shown.
        Wanted& wanted = wanted_[search->performer];
        wanted.role.method = Method::kControl;
        wanted.role.control = candidate;
        wanted.dirty = wanted.fresh = true;
      });
    }
    return !search->cancelled;
  };
  const SearchResult result = reconstruct(task_of(inputs), {}, hooks);
  auto found = std::make_shared<ControlFile>(inputs);
  found->control = result.control;
  found->seconds = std::max(result.reached_s, 0.1);
  post([this, search, found, result] {
    search_ended(search, result.interrupted ? nullptr : found,
                 result.interrupted ? "the search was cancelled" : result.lost);
  });
}

void Stage::search_ended(const std::shared_ptr<Search>& search,
                         const std::shared_ptr<const ControlFile>& found, const std::string& sentence) {
  if (search_ != search) return;
  search_ = nullptr;
  if (search->performer < wanted_.size()) {
    Wanted& wanted = wanted_[search->performer];
    wanted.role = search->before;
    if (found) {
      wanted.role.method = Method::kControl;
      wanted.role.control = found;
    }
    wanted.dirty = wanted.fresh = true;
  }
  if (!sentence.empty())
    send_text(0, tell_note(sentence));
  else
    send_text(0, tell_note("found a control after " + std::to_string(search->samples) + " simulations"));
  publish_state(true);
}

void Stage::handle(long, const Cancel&) {
  if (search_) search_->cancelled = true;
}

}  // namespace sinew::studio

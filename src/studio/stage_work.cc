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
#include "world/library.h"

// What takes long: files of a take, and searches.
namespace sinew::studio {

namespace {

// A loop is searched for so long.
constexpr double kLongestLoop_s = 4, kLongestSearch_s = 20;
// How often a search is heard of.
constexpr double kHeard_s = 0.5;
constexpr char kCancelled[] = "the search was cancelled";

std::string rounded(double x) {
  std::string text = std::to_string(x);
  return text.substr(0, text.find('.') + 2);
}

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
  if (request.format == "control" && !role.control && !role.run) throw Error("no control was found yet");
  auto recording = std::make_shared<const Recording>(performer->recording());
  const bool taken = exporter_.add([this, client, recording, role, format = request.format] {
    try {
      const auto file = std::make_shared<const TakeFile>(format == "control" ? found_file(role)
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

// A search for what a performer shall do; it is not under way yet.
std::shared_ptr<Stage::Search> Stage::begin_search(const std::string& kind, int performer) {
  if (search_) throw Error("a search is under way already");
  if (find(performer) == nullptr || preparing() || replace_all_)
    throw Error("there is nothing to search for yet");
  auto search = std::make_shared<Search>();
  search->kind = kind;
  search->performer = static_cast<size_t>(performer);
  search->before = wanted_[search->performer].role;
  return search;
}

void Stage::start(const std::shared_ptr<Search>& search, std::function<void()> work) {
  const bool taken = searcher_.add([this, search, work = std::move(work)] {
    try {
      work();
    } catch (const std::exception& error) {
      const std::string sentence = error.what();
      post([this, search, sentence] { search_ended(search, {}, sentence); });
    }
  });
  if (!taken) throw Error("a search is under way already");
  search_ = search;
  paused_ = false;  // what it finds is to be seen
  publish_state(true);
}

void Stage::handle(long, const Reconstruct& request) {
  const auto search = begin_search("reconstruct", request.performer);
  Role role = search->before;
  if (!follows_motion(role.method)) throw Error("a behaviour needs no control");
  role.method = Method::kServo;
  start(search, [this, search, role, setting = setting_] {
    run_search(search, search_inputs(workshop_.cast(role, setting), workshop_.character_folders()));
  });
}

void Stage::handle(long, const Adapt& request) {
  const auto search = begin_search("adapt", request.performer);
  const Role role = search->before;
  if (role.method != Method::kRun) throw Error("only a run can be adapted");
  search->to = request.to;
  start(search, [this, search, role] {
    const FoundRun run = workshop_.find_run(role);
    AdaptTask task;
    task.from = run.character;
    task.to = workshop_.find_character(search->to, role.strength);
    task.behaviour = run.behaviour;
    task.world = make_world("flat");
    task.engine = make_mujoco;
    run_adapt(search, task);
  });
}

// The first candidate is shown at once, those that follow when the one before was seen.
void Stage::show_candidate(const std::shared_ptr<Search>& search, Role candidate) {
  const bool first = search->samples == 0;
  if (!first || search_ != search) {
    search->candidate = std::move(candidate);
    return;
  }
  Wanted& wanted = wanted_[search->performer];
  wanted.role = std::move(candidate);
  wanted.dirty = wanted.fresh = true;
}

// On the search's own thread.
void Stage::run_search(const std::shared_ptr<Search>& search, const ControlFile& inputs) {
  post([this, search, seconds = inputs.seconds] {
    search->seconds = seconds;
    publish_state(true);
  });
  const auto role_with = [&](std::shared_ptr<const ControlFile> control) {
    Role role = search->before;
    role.method = Method::kControl;
    role.control = std::move(control);
    return role;
  };
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
      post([this, search, report, role = role_with(candidate)] {
        show_candidate(search, role);
        search->reached_s = report.time_s;
        search->share = search->seconds > 0 ? report.time_s / search->seconds : 0;
        search->cost = report.cost;
        search->samples = report.samples;
        search->rewinds = report.rewinds;
      });
    }
    return !search->cancelled;
  };
  const SearchResult result = reconstruct(task_of(inputs), {}, hooks);
  auto found = std::make_shared<ControlFile>(inputs);
  found->control = result.control;
  found->seconds = std::max(result.reached_s, 0.1);
  post([this, search, result, role = role_with(found)] {
    if (result.interrupted) return search_ended(search, {}, kCancelled);
    search_ended(search, role,
                 result.lost.empty()
                     ? "found a control after " + std::to_string(search->samples) + " simulations"
                     : result.lost);
  });
}

// On the search's own thread as well.
void Stage::run_adapt(const std::shared_ptr<Search>& search, const AdaptTask& task) {
  const auto role_with = [&](const Character& character, const RunBehaviour& behaviour) {
    Role role = search->before;
    role.character = task.to.name;
    role.becomes.clear();
    role.run = std::make_shared<const FoundRun>(FoundRun{character, behaviour});
    return role;
  };
  double shown_part = -1, shown_cost = 0;
  const AdaptResult result =
      adapt_run(task, on_threads(threads_), [&](const AdaptReport& report, const auto&) {
        const Character who = character_at(task, report.part);
        RunBehaviour best = scaled_part(task, who);
        best.parameters = report.best;
        const bool better = report.part != shown_part || report.search.best < shown_cost;
        shown_part = report.part;
        shown_cost = report.search.best;
        post([this, search, report, better, role = role_with(who, best), all = task.evaluations] {
          if (better) show_candidate(search, role);
          search->part = report.part;
          search->cost = report.search.best;
          search->samples = report.search.evaluations;
          search->share = std::min(1.0, static_cast<double>(report.search.evaluations) / all);
        });
        return !search->cancelled;
      });
  post([this, search, result, role = role_with(task.to, result.behaviour)] {
    if (result.interrupted) return search_ended(search, {}, kCancelled);
    if (!result.found) return search_ended(search, {}, "no run was found that " + search->to + " can do");
    search_ended(search, role,
                 search->to + " runs: cost " + rounded(result.cost_before) + " as it was scaled, " +
                     rounded(result.cost_after) + " tuned, after " + std::to_string(result.evaluations) +
                     " runs");
  });
}

void Stage::search_ended(const std::shared_ptr<Search>& search, const std::optional<Role>& found,
                         const std::string& sentence) {
  if (search_ != search) return;
  search_ = nullptr;
  if (search->performer < wanted_.size()) {
    Wanted& wanted = wanted_[search->performer];
    wanted.role = found ? *found : search->before;
    wanted.dirty = wanted.fresh = true;
  }
  send_text(0, tell_note(sentence));
  publish_state(true);
}

void Stage::handle(long, const Cancel&) {
  if (search_) search_->cancelled = true;
}

}  // namespace sinew::studio

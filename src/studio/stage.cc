#include "studio/stage.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "studio/gallery.h"

namespace sinew::studio {

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

// A machine that is behind by more slows time down instead of jumping ahead.
constexpr double kMostBehind_s = 0.12;
// A motion that ended is held so long before it begins again; one that was lost may be watched falling.
constexpr double kHold_s = 0.8, kFall_s = 2.0;
// A cycle that was laid onto the ground goes on from where it is, so long before its end.
constexpr double kLayAgain_s = 0.3;
// The best run so far of a search is shown so long before a better one takes its place.
constexpr double kShown_s = 4, kShownFall_s = 0.5;
// How often pages hear how it goes, and over how long the real-time factor is measured.
constexpr double kTell_s = 0.25, kWindow_s = 1.0;

// How far one has become another; null for one who stays as it is.
Json tell_change(const Change& change) {
  if (!change.way) return nullptr;
  return {{"from", change.way->from().name},
          {"to", change.way->to().name},
          {"part", change.part},
          {"under_way", change.under_way()},
          {"to_and_fro", change.to_and_fro}};
}

// Whether a candidate was shown to its end, or for a while.
bool has_been_seen(const Performer& performer) {
  const bool runs = performer.casting().role.method == Method::kRun;
  return performer.left_s() < 0 ||
         (runs && (performer.phase_s() > kShown_s || performer.lost_s() > kShownFall_s));
}

double seconds_between(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

}  // namespace

Stage::Stage(Workshop& workshop, int threads, std::function<void(Outgoing)> send)
    : workshop_(workshop), threads_(threads), send_(std::move(send)), thread_([this] { run(); }) {}

Stage::~Stage() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
  if (search_) search_->cancelled = true;
}

// ---- from any thread

void Stage::begin(const std::vector<Role>& roles, const Setting& setting) {
  post([this, roles, setting] {
    wanted_.clear();
    for (const Role& role : roles) {
      if (wanted_.size() >= kMostPerformers) break;
      wanted_.push_back({role});
      workshop_.settle(wanted_.back().role);
    }
    wanted_setting_ = setting;
    replace_all_ = true;
  });
}

bool Stage::ask(long client, const Request& request) {
  {
    const std::lock_guard lock(mutex_);
    if (asked_.size() >= kMostAsked) return false;
    asked_.emplace_back(client, request);
  }
  wake_.notify_all();
  return true;
}

void Stage::post(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(job));
  }
  wake_.notify_all();
}

void Stage::greet(long client) {
  post([this, client] {
    send_text(client, tell_hello(workshop_, gallery_json()));
    if (performers_.empty()) return;
    send_text(client, tell_scene(epoch_, performers_, setting_, Pose{}));
    publish_state(true);
    if (paused_) show(clock_s_);
  });
}

void Stage::leave(long client) {
  post([this, client] {
    if (holder_ == client) handle(client, Release{});
  });
}

bool Stage::drop(const std::string& name, std::shared_ptr<const std::string> bytes, int performer,
                 std::function<void(const std::string& error)> done) {
  return importer_.add([this, name, bytes, performer, done] {
    try {
      const std::string clip = workshop_.drop(name, *bytes);
      post([this, clip, performer] {
        send_text(0, tell_hello(workshop_, gallery_json()));
        Choose choice;
        choice.clip = clip;
        choice.performer = static_cast<size_t>(performer) < wanted_.size() ? performer : 0;
        if (!wanted_.empty()) handle(0, choice);
      });
      done("");
    } catch (const std::exception& error) {
      done(error.what());
    }
  });
}

std::shared_ptr<const TakeFile> Stage::file(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto at = files_.find(id);
  return at == files_.end() ? nullptr : at->second;
}

void Stage::send_text(long client, const std::string& text) const {
  send_({client, false, std::make_shared<const std::string>(text)});
}

// ---- the stage's own thread

void Stage::run() {
  last_ = told_ = window_begin_ = Clock::now();
  for (;;) {
    drain();
    build();
    double wait_s = 0.05;
    try {
      if (paused_ || preparing() || performers_.empty())
        wait_s = rest();
      else {
        pace();
        wait_s = std::max(0.0005, (kFrame_s - due_s_) / speed_);
      }
    } catch (const std::exception& error) {
      paused_ = true;
      steps_left_ = 0;
      send_text(0, tell_error(error.what()));
    }
    publish_state();
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, std::chrono::duration<double>(std::min(wait_s, 0.05)),
                   [this] { return ending_ || !asked_.empty() || !posted_.empty(); });
    if (ending_) return;
  }
}

// What happens while time stands still: a single frame that was asked for, the ghost of what is on its way.
// How long that may rest, s.
double Stage::rest() {
  last_ = Clock::now();
  due_s_ = 0;
  if (coming_) {
    show_sketch();
    return kFrame_s;
  }
  if (steps_left_ == 0 || preparing() || performers_.empty()) return 0.05;
  --steps_left_;
  advance_frame();
  publish_state(steps_left_ == 0);
  return 0;
}

// Does what was asked for; a request that cannot be met gets a sentence.
void Stage::drain() {
  for (;;) {
    std::function<void()> job;
    std::pair<long, Request> asked;
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return;
      if (!posted_.empty()) {
        job = std::move(posted_.front());
        posted_.pop_front();
      } else if (!asked_.empty()) {
        asked = std::move(asked_.front());
        asked_.pop_front();
      } else {
        return;
      }
    }
    try {
      if (job)
        job();
      else
        std::visit([&](const auto& request) { handle(asked.first, request); }, asked.second);
    } catch (const std::exception& error) {
      send_text(asked.first, tell_error(error.what()));
    }
  }
}

// As many frames as the clock on the wall asks for; where the machine cannot, time slows down.
void Stage::pace() {
  const auto now = Clock::now();
  due_s_ += speed_ * seconds_between(last_, now);
  last_ = now;
  if (due_s_ > kMostBehind_s * std::max(speed_, 1.0)) due_s_ = kMostBehind_s * std::max(speed_, 1.0);
  // What a hand does is answered at once, by a frame that comes up to its own length too early.
  while ((due_s_ >= kFrame_s || (touched_ && due_s_ >= 0)) && !paused_ && !preparing()) {
    advance_frame();
    due_s_ -= kFrame_s;
    drain();
    build();
  }
}

void Stage::advance_frame() {
  const auto begin = Clock::now();
  clock_s_ += kFrame_s;
  for (size_t i = 0; i < performers_.size(); ++i) {
    if (!performers_[i]->advance(clock_s_)) {
      send_text(0, tell_note("the simulation diverged; it begins again"));
      performers_[i]->reset();
    }
    if (i < wanted_.size()) mend(*performers_[i], i);
  }
  show(clock_s_);
  window_sim_s_ += kFrame_s;
  busy_s_ += seconds_between(begin, Clock::now());
}

// Begins again what has ended or fallen, and goes on with what was laid out.
void Stage::mend(Performer& performer, size_t index) {
  Wanted& wanted = wanted_[index];
  if (wanted.dirty) return;
  const Change& change = performer.change();
  if (change.way && !change.to_and_fro && !change.under_way()) {
    // Who it is now is who begins again, whatever is changed next.
    const Character& now = change.goal > 0 ? change.way->to() : change.way->from();
    if (wanted.role.character != now.name) wanted.role.run = nullptr;
    wanted.role.character = now.name;
  }
  const bool searching = search_ && search_->performer == index;
  if (performer.casting().laid_out && performer.left_s() < kLayAgain_s) {
    wanted.dirty = true;
    wanted.fresh = performer.lost_s() > 0;
  } else if (searching && search_->candidate && has_been_seen(performer)) {
    wanted.role = *search_->candidate;
    search_->candidate.reset();
    wanted.dirty = wanted.fresh = true;
  } else if ((repeat_motions_ && performer.left_s() < -kHold_s) ||
             (repeat_falls_ && performer.lost_s() > kFall_s)) {
    if (performer.casting().fresh)
      performer.reset();
    else
      wanted.dirty = wanted.fresh = true;
  }
}

// The moment of the take at a time, to all pages.
void Stage::show(double clock_s) {
  std::vector<Shown> shown;
  for (const auto& performer : performers_) {
    const auto& take = performer->take();
    if (take.empty()) return;
    auto at = std::lower_bound(take.begin(), take.end(), clock_s - 1e-9,
                               [](const TakeFrame& frame, double time_s) { return frame.clock_s < time_s; });
    if (at == take.end()) --at;
    shown.push_back({performer.get(), &*at});
  }
  if (shown.empty()) return;
  const FrameKind kind = paused_ ? FrameKind::kStill : touched_ ? FrameKind::kTouched : FrameKind::kLive;
  touched_ = false;
  send_({0, true, std::make_shared<const std::string>(encode_frame(epoch_, clock_s, kind, shown))});
}

// The performers as they stand, with the ghost of the motion that is on its way.
void Stage::show_sketch() {
  std::vector<Shown> shown;
  for (const auto& performer : performers_) {
    if (performer->take().empty()) return;
    shown.push_back({performer.get(), &performer->take().back()});
  }
  const Sketch& sketch = coming_->sketch;
  if (coming_->place >= shown.size()) return;
  const Performer& waits = *performers_[coming_->place];
  if (sketch.q.empty() || waits.casting().role.character != sketch.character ||
      sketch.q[0].size() != waits.character().nq())
    return;
  TakeFrame now = waits.take().back();
  const double time_s = seconds_between(coming_->since, Clock::now());
  const auto frame = static_cast<size_t>(time_s / sketch.frame_time_s);
  now.frame.q_reference = sketch.q[std::min(frame, sketch.q.size() - 1)];
  shown[coming_->place].now = &now;
  send_({0, true,
         std::make_shared<const std::string>(encode_frame(epoch_, clock_s_, FrameKind::kSketch, shown))});
}

void Stage::publish_state(bool now) {
  const auto time = Clock::now();
  const double window = seconds_between(window_begin_, time);
  if (window >= kWindow_s) {
    factor_ = paused_ ? 0 : window_sim_s_ / window;
    capacity_ = busy_s_ > 0 ? window_sim_s_ / busy_s_ : 0;
    slow_ = !paused_ && !preparing() && window_sim_s_ > 0 && factor_ < 0.93 * speed_;
    window_begin_ = time;
    window_sim_s_ = busy_s_ = 0;
  }
  if (!now && seconds_between(told_, time) < kTell_s) return;
  told_ = time;
  double from_s = clock_s_;
  for (const auto& performer : performers_)
    if (!performer->take().empty()) from_s = std::min(from_s, performer->take().front().clock_s);
  Json out = {{"type", "state"},
              {"epoch", epoch_},
              {"paused", paused_},
              {"speed", speed_},
              {"factor", factor_},
              {"capacity", capacity_},
              {"slow", slow_},
              {"building", preparing()},
              {"clock", clock_s_},
              {"from", from_s},
              {"repeat_motions", repeat_motions_},
              {"repeat_falls", repeat_falls_},
              {"lost", Json::array()},
              {"changes", Json::array()}};
  for (const auto& performer : performers_) out["lost"].push_back(performer->lost_s() > 0.1);
  for (const auto& performer : performers_) out["changes"].push_back(tell_change(performer->change()));
  if (search_)
    out["search"] = {{"kind", search_->kind},         {"performer", search_->performer},
                     {"share", search_->share},       {"seconds", search_->seconds},
                     {"reached", search_->reached_s}, {"to", search_->to},
                     {"part", search_->part},         {"cost", search_->cost},
                     {"samples", search_->samples},   {"rewinds", search_->rewinds}};
  send_text(0, out.dump());
}

// ---- building

// The ghosts of motions that are wanted and take long to prepare, on a thread of their own: they need not
// wait for what is being built.
void Stage::sketch() {
  for (size_t i = 0; i < wanted_.size(); ++i) {
    if (!wanted_[i].dirty || wanted_[i].sketched) continue;
    wanted_[i].sketched = true;
    // The ghost has the body of the one it stands beside.
    if (i >= performers_.size() || performers_[i]->casting().role.character != wanted_[i].role.character)
      continue;
    sketching_ += importer_.add([this, i, role = wanted_[i].role] {
      std::optional<Sketch> made;
      try {
        made = workshop_.sketch(role);
      } catch (const std::exception&) {  // whoever builds it says why
      }
      post([this, i, role, made = std::move(made)] {
        --sketching_;
        if (!made || i >= wanted_.size() || !wanted_[i].dirty) return;
        const Role& now = wanted_[i].role;
        if (now.clip == role.clip && now.character == role.character)
          coming_ = Coming{i, *made, Clock::now()};
      });
    });
  }
}

// Starts to build what is wanted and not there, on a thread of its own; time stands still meanwhile.
void Stage::build() {
  sketch();
  const bool any =
      replace_all_ || std::any_of(wanted_.begin(), wanted_.end(), [](const Wanted& w) { return w.dirty; });
  if (preparing() || !any || wanted_.empty()) return;
  struct Job {
    size_t place = 0;
    Role role;
    std::optional<Moment> from;
  };
  std::vector<Job> jobs;
  for (size_t i = 0; i < wanted_.size(); ++i) {
    if (!wanted_[i].dirty && !replace_all_) continue;
    Job job{i, wanted_[i].role, {}};
    if (!wanted_[i].fresh && !replace_all_ && i < performers_.size()) {
      job.from = performers_[i]->moment();
      // Another body cannot go on from this pose, only from this time.
      if (performers_[i]->casting().role.character != job.role.character) job.from->q.resize(0);
    }
    jobs.push_back(std::move(job));
    wanted_[i].dirty = false;
    wanted_[i].fresh = false;
  }
  building_ = true;
  const bool all = replace_all_;
  replace_all_ = false;
  const Setting setting = wanted_setting_;
  const int threads = threads_;
  const bool taken = builder_.add([this, jobs, setting, all, threads] {
    auto built = std::make_shared<std::vector<std::unique_ptr<Performer>>>();
    std::vector<size_t> places;
    try {
      for (const Job& job : jobs) {
        built->push_back(std::make_unique<Performer>(workshop_.cast(job.role, setting, job.from), threads));
        places.push_back(job.place);
      }
    } catch (const std::exception& error) {
      post([this, sentence = std::string(error.what())] { build_failed(sentence); });
      return;
    }
    post([this, built, places, setting, all] {
      setting_ = setting;
      adopt(std::move(*built), places, all);
    });
  });
  if (!taken) building_ = false;
}

// What is shown stays, and is what is wanted, but for what was asked for meanwhile.
void Stage::build_failed(const std::string& sentence) {
  building_ = false;
  send_text(0, tell_error(sentence));
  if (replace_all_) return;
  std::vector<Wanted> wanted;
  bool more = false;
  for (size_t i = 0; i < wanted_.size(); ++i) {
    more = more || wanted_[i].dirty;
    if (wanted_[i].dirty)
      wanted.push_back(wanted_[i]);
    else if (i < performers_.size())
      wanted.push_back({performers_[i]->casting().role, false, false});
  }
  wanted_ = std::move(wanted);
  if (more) return;
  coming_.reset();
  wanted_setting_ = setting_;
  if (!performers_.empty()) send_text(0, tell_scene(epoch_, performers_, setting_, Pose{}));
}

void Stage::adopt(std::vector<std::unique_ptr<Performer>> built, const std::vector<size_t>& places,
                  bool all) {
  Pose X_shift;
  if (all) {
    performers_.clear();
    clock_s_ = 0;
  }
  performers_.resize(std::max(performers_.size(), places.empty() ? 0 : places.back() + 1));
  for (size_t i = 0; i < built.size(); ++i) {
    if (places[i] == 0) X_shift = built[i]->casting().X_shift;
    performers_[places[i]] = std::move(built[i]);
  }
  held_ = -1;
  building_ = false;
  // Another motion may be on its way already.
  if (coming_ && !(coming_->place < wanted_.size() && wanted_[coming_->place].dirty)) coming_.reset();
  ++epoch_;
  send_text(0, tell_scene(epoch_, performers_, setting_, X_shift));
  // Something to see, also while it is paused.
  for (auto& performer : performers_)
    if (performer->take().empty()) performer->advance(clock_s_);
  show(clock_s_);
  publish_state(true);
}

}  // namespace sinew::studio

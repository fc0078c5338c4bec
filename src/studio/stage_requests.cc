#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "studio/gallery.h"
#include "studio/stage.h"

// What pages ask of the stage, one function a request.
namespace sinew::studio {

Performer* Stage::find(int performer, int body) {
  if (performer < 0 || static_cast<size_t>(performer) >= performers_.size()) return nullptr;
  Performer* found = performers_[static_cast<size_t>(performer)].get();
  return body >= 0 && static_cast<size_t>(body) < found->character().bodies.size() ? found : nullptr;
}

void Stage::handle(long, const Pause& request) {
  paused_ = request.on;
  steps_left_ = 0;
  publish_state(true);
  if (paused_) show(clock_s_);
}

// Frames come one at a time, so that nobody waits for all of them.
void Stage::handle(long, const Step& request) {
  paused_ = true;
  steps_left_ = std::min(steps_left_ + request.frames, kMostSteps);
  publish_state(true);
}

void Stage::handle(long, const Speed& request) {
  speed_ = request.factor;
  publish_state(true);
}

void Stage::handle(long, const Reset&) {
  if (replace_all_) return;  // others are on their way, and begin anew
  clock_s_ = 0;
  for (size_t i = 0; i < performers_.size(); ++i) {
    performers_[i]->forget_take();
    if (performers_[i]->casting().fresh)
      performers_[i]->reset();
    else if (i < wanted_.size())
      wanted_[i].dirty = wanted_[i].fresh = true;
  }
  if (paused_) advance_frame();
  publish_state(true);
}

void Stage::handle(long, const Seek& request) {
  paused_ = true;
  steps_left_ = 0;
  show(std::min(request.clock_s, clock_s_));
  publish_state(true);
}

void Stage::handle(long, const Rewind& request) {
  if (request.clock_s >= clock_s_) return;
  for (const auto& performer : performers_) performer->rewind(request.clock_s);
  double reached_s = 0;
  for (const auto& performer : performers_)
    if (!performer->take().empty()) reached_s = std::max(reached_s, performer->take().back().clock_s);
  clock_s_ = std::min(clock_s_, reached_s);
  if (paused_) advance_frame();
  publish_state(true);
}

void Stage::handle(long, const Repeat& request) {
  repeat_motions_ = request.motions.value_or(repeat_motions_);
  repeat_falls_ = request.falls.value_or(repeat_falls_);
  publish_state(true);
}

void Stage::handle(long, const Choose& request) {
  const auto index = static_cast<size_t>(request.performer);
  if (index >= wanted_.size()) throw Error("there is no such performer");
  if (search_ && search_->performer == index) throw Error("a search is under way; cancel it first");
  Wanted& wanted = wanted_[index];
  Role role = wanted.role;
  role.clip = request.clip.value_or(role.clip);
  role.loop = request.loop.value_or(role.loop);
  role.character = request.character.value_or(role.character);
  // A control or run was found for one motion of one character.
  if (request.clip || request.character || request.strength) {
    role.control = nullptr;
    role.run = nullptr;
    role.becomes.clear();
    if (role.method == Method::kControl) role.method = Method::kPreview;
  }
  if (request.clip) workshop_.settle(role);
  role.gain = request.gain.value_or(role.gain);
  role.strength = request.strength.value_or(role.strength);
  if (request.method && !(follows_motion(*request.method) && follows_motion(role.method)))
    throw Error("a behaviour has a method of its own");
  if (request.method == Method::kControl && !role.control)
    throw Error("no control was found yet: use Find control");
  const bool found = request.method == Method::kControl || role.method == Method::kControl;
  wanted.fresh = wanted.fresh || request.clip || request.loop || (request.method && found);
  role.method = request.method.value_or(role.method);
  wanted.role = role;
  wanted.dirty = true;
  wanted.sketched = false;
}

void Stage::handle(long, const Surround& request) {
  Setting next = wanted_setting_;
  if (request.world) {
    next.world = *request.world;
    next.throws.clear();
  }
  if (request.slope_deg) {
    next.world = with_slope(next.world, *request.slope_deg);
    if (next.world.empty()) throw Error("only flat ground and slopes can be tilted");
  }
  if (request.friction) next.friction = request.friction;
  next.ball_kg = request.ball_kg.value_or(next.ball_kg);
  wanted_setting_ = next;
  for (Wanted& wanted : wanted_) {
    wanted.dirty = true;
    // In another place one begins anew; on other ground one goes on.
    wanted.fresh = wanted.fresh || request.world || wanted.role.method == Method::kControl;
  }
}

void Stage::handle(long, const Add&) {
  if (wanted_.empty()) return;
  if (wanted_.size() >= kMostPerformers)
    throw Error("there is room for " + std::to_string(kMostPerformers) + " performers");
  wanted_.push_back({wanted_.back().role});
}

void Stage::handle(long, const Remove& request) {
  const auto index = static_cast<size_t>(request.performer);
  if (preparing() || search_) throw Error("something is under way; try again in a moment");
  if (performers_.size() < 2 || index >= performers_.size() || wanted_.size() != performers_.size())
    throw Error("the last performer stays");
  performers_.erase(performers_.begin() + request.performer);
  wanted_.erase(wanted_.begin() + request.performer);
  held_ = -1;
  ++epoch_;
  send_text(0, tell_scene(epoch_, performers_, setting_, Pose{}));
  show(clock_s_);
}

void Stage::handle(long, const Gallery& request) {
  if (search_) throw Error("a search is under way; cancel it first");
  for (const GalleryScene& scene : gallery()) {
    if (scene.id != request.scene) continue;
    std::vector<Wanted> wanted;
    for (size_t i = 0; i < scene.roles.size(); ++i) {
      wanted.push_back({scene.roles[i]});
      if (!scene.controls[i].empty()) wanted.back().role.control = workshop_.control(scene.controls[i]);
    }
    wanted_ = std::move(wanted);
    wanted_setting_ = scene.setting;
    replace_all_ = true;
    paused_ = false;
    return;
  }
  throw Error("there is no such scene");
}

void Stage::handle(long client, const Hold& request) {
  Performer* performer = find(request.performer, request.body);
  if (performer == nullptr) return;
  if (held_ >= 0 && held_ != request.performer) handle(client, Release{});
  if (held_ != request.performer) touched_ = true;
  performer->grip({request.body, request.p_B, request.target_W});
  held_ = request.performer;
  holder_ = client;
}

void Stage::handle(long, const Release&) {
  if (Performer* performer = find(held_)) performer->release();
  held_ = -1;
  holder_ = 0;
}

void Stage::handle(long, const Shove& request) {
  Performer* performer = find(request.performer, request.body);
  if (performer == nullptr) return;
  performer->push(request.body, request.force_W, request.seconds);
  touched_ = true;
}

void Stage::handle(long, const Ball& request) {
  Performer* performer = find(request.performer);
  if (performer == nullptr) return;
  performer->throw_ball(request.from_W, request.to_W, request.speed_m_s);
  touched_ = true;
}

void Stage::handle(long, const Morph& request) {
  Performer* performer = find(request.performer);
  if (performer == nullptr) throw Error("there is no such performer");
  if (search_) throw Error("a search is under way; cancel it first");
  const Role& role = performer->casting().role;
  performer->become(workshop_.find_character(request.to, role.strength), request.seconds);
  publish_state(true);
}

void Stage::handle(long, const TurnBack& request) {
  if (Performer* performer = find(request.performer)) performer->turn_back();
  publish_state(true);
}

void Stage::handle(long client, const Ping& request) {
  send_text(client, nlohmann::json({{"type", "pong"}, {"stamp", request.stamp}}).dump());
}

}  // namespace sinew::studio

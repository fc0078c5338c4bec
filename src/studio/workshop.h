#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "character/retarget.h"
#include "motion/library.h"
#include "studio/performer.h"

namespace sinew::studio {

// Where things are found by name.
struct Shelves {
  MotionFolders motions;
  std::vector<std::string> characters;  // folders
  std::filesystem::path controls;       // folder of control files of the gallery; may be empty
  std::filesystem::path behaviours;     // folder of run.json and ride.json; may be empty
};

// Largest file that can be dropped, and how many such motions are kept.
inline constexpr size_t kLargestDrop_bytes = size_t{64} << 20;
inline constexpr size_t kMostDrops = 8;

// A motion on a character as quickly as can be: feet may slide and sink.
struct Sketch {
  std::string character;
  std::vector<VecX> q;
  double frame_time_s = 0;
};

// Makes performers from words: finds, imports, retargets, places. Words never name files: what is not on a
// shelf does not exist. Safe to use from several threads.
class Workshop {
 public:
  explicit Workshop(Shelves shelves);

  const std::vector<MotionEntry>& motions() const { return motions_; }
  const std::vector<std::string>& characters() const { return characters_; }
  const std::vector<std::string>& runners() const { return runners_; }  // those who can run and ride
  std::vector<std::string> drops() const;

  // A role in a setting, from its beginning or on from a moment of one of the same character. Throws Error.
  Casting cast(const Role& role, const Setting& setting, const std::optional<Moment>& from = {}) const;

  // The ghost of a role whose motion was not retargeted yet, long before it can be cast; empty for all
  // others. Throws Error.
  std::optional<Sketch> sketch(const Role& role) const;

  // Makes a role one that can be cast: a behaviour has its own method and a body that can do it.
  void settle(Role& role) const;
  // A character by name, as strong as a role says. Throws Error.
  Character find_character(const std::string& name, double strength) const;
  // The run of a role: the one that was found for it, else the shipped one, scaled. Throws Error.
  FoundRun find_run(const Role& role) const;

  // A control of the gallery, by name. Throws Error.
  std::shared_ptr<const ControlFile> control(const std::string& name) const;

  // Takes in a motion file's bytes; the name that it can be asked for by, which is never that of another
  // motion. Throws Error with the importer's sentence.
  std::string drop(const std::string& file_name, const std::string& bytes);

  const std::vector<std::string>& character_folders() const { return shelves_.characters; }

 private:
  Clip find_clip(const std::string& name) const;
  Retargeted retargeted(const Role& role, const Character& character, std::vector<std::string>& notes) const;
  Casting cast_run(const Role& role, const Setting& setting) const;
  Casting cast_ride(const Role& role, const Setting& setting) const;

  Shelves shelves_;
  std::vector<MotionEntry> motions_;
  std::vector<std::string> characters_, runners_;
  std::optional<FoundRun> shipped_run_;  // with whose it is; empty where there is none
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, Clip>> drops_;       // the newest last
  mutable std::map<std::string, Retargeted> retargeted_;  // the last few, by clip, character and loop
};

// The name of a world with another slope, where a slope makes sense: flat ground and slopes. Empty elsewhere.
std::string with_slope(const std::string& world, double deg);

}  // namespace sinew::studio

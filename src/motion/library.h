#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

// A motion that a user can ask for by name: a file or a cut of it.
struct MotionEntry {
  std::string name;            // "walk", "mocap:walk", "cmu/07_01", "assimp/01_01"
  std::filesystem::path file;  // what to load
  double from_s = 0;           // the cut, in seconds of the clip
  double to_s = -1;            // -1: to the end
  std::string description;     // in words, may be empty
  std::string origin;          // "sinew" for the project's own, else the folder it was found in
};

// Where motions are looked for.
struct MotionFolders {
  std::filesystem::path own;                  // the project's assets/motions; may be empty
  std::vector<std::filesystem::path> others;  // in order of preference; missing ones are passed over
};

// The project's own folder, every folder named in the environment variable SINEW_MOTIONS (colon-separated),
// and the sample files of Debian's assimp-testmodels.
MotionFolders standard_motion_folders(const std::filesystem::path& own);

// All motions, the project's own first, then cuts named in a clips.csv, then whole files. Throws Error on a
// clips.csv that cannot be understood.
std::vector<MotionEntry> list_motions(const MotionFolders& folders);

// The motion of this name, or the file at this path. A plain name means the project's own motion and only
// then a cut in a clips.csv. Throws Error that suggests similar names.
MotionEntry find_motion(const std::string& name_or_path, const MotionFolders& folders);

}  // namespace sinew

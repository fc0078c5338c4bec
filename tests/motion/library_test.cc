#include "motion/library.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/error.h"
#include "motion/csv.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

class Library : public ::testing::Test {
 protected:
  Library() : top_(fs::temp_directory_path() / ("sinew_library_" + std::to_string(::getpid()))) {
    put("own/walk.json", R"({"sinew_keyframes": 1, "about": "a walk of our own"})");
    put("own/notes.txt", "no motion");
    put("mocap/cmu/07_01.bvh", "HIERARCHY");
    put("mocap/clips.csv",
        "name,file,start_s,end_s,behaviour\nwalk,cmu/07_01.bvh,0.5,2.6,\"a walk, "
        "\"\"real\"\"\"\nwave,cmu/07_01.bvh,1,,wave\n");
    folders_ = {top_ / "own", {top_ / "mocap", top_ / "not_there"}};
  }
  ~Library() override { fs::remove_all(top_); }
  void put(const std::string& name, const std::string& text) {
    fs::create_directories((top_ / name).parent_path());
    std::ofstream(top_ / name) << text;
  }
  std::string complaint(const std::string& name) {
    try {
      find_motion(name, folders_);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
  fs::path top_;
  MotionFolders folders_;
};

TEST_F(Library, ListsOwnMotionsThenCutsThenFiles) {
  std::vector<std::string> names;
  for (const MotionEntry& entry : list_motions(folders_)) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"walk", "mocap:walk", "mocap:wave", "cmu/07_01"}));
}

TEST_F(Library, FindsWhatIsMeant) {
  EXPECT_EQ(find_motion("walk", folders_).file, top_ / "own/walk.json");
  EXPECT_EQ(find_motion("walk", folders_).description, "a walk of our own");
  const MotionEntry cut = find_motion("mocap:walk", folders_);
  EXPECT_EQ(cut.file, top_ / "mocap/cmu/07_01.bvh");
  EXPECT_EQ(cut.from_s, 0.5);
  EXPECT_EQ(cut.to_s, 2.6);
  EXPECT_EQ(cut.description, "a walk, \"real\"");
  EXPECT_EQ(find_motion("wave", folders_).to_s, -1);
  EXPECT_EQ(find_motion("cmu/07_01", folders_).file, top_ / "mocap/cmu/07_01.bvh");
  EXPECT_EQ(find_motion("cmu/07_01", folders_).to_s, -1);
  EXPECT_EQ(find_motion("cmu/07_01.bvh", folders_).file, top_ / "mocap/cmu/07_01.bvh");
  EXPECT_EQ(find_motion((top_ / "mocap/cmu/07_01.bvh").string(), folders_).file,
            top_ / "mocap/cmu/07_01.bvh");
}

TEST_F(Library, SuggestsWhatIsSimilar) {
  EXPECT_NE(complaint("wlak").find("did you mean walk"), std::string::npos) << complaint("wlak");
  EXPECT_NE(complaint("07_01").find("cmu/07_01"), std::string::npos);
  EXPECT_NE(complaint("entirely-different").find("sinew motions"), std::string::npos);
}

TEST_F(Library, ABrokenTableIsToldWithItsLine) {
  put("mocap/clips.csv", "name,file,start_s,end_s\nwalk,a.bvh,zero,1\n");
  EXPECT_NE(complaint("walk").find("clips.csv:2:"), std::string::npos) << complaint("walk");
  put("mocap/clips.csv", "title,path\nwalk,a.bvh\n");
  EXPECT_NE(complaint("walk").find("clips.csv:1:"), std::string::npos);
  put("mocap/clips.csv", "name,file\nwalk\n");
  EXPECT_NE(complaint("walk").find("clips.csv:2:"), std::string::npos);
}

TEST_F(Library, TheEnvironmentNamesFolders) {
  ::setenv("SINEW_MOTIONS_KEPT", std::getenv("SINEW_MOTIONS") ? std::getenv("SINEW_MOTIONS") : "", 1);
  ::setenv("SINEW_MOTIONS", "/a::/b/c:", 1);
  const MotionFolders folders = standard_motion_folders("own");
  ::setenv("SINEW_MOTIONS", std::getenv("SINEW_MOTIONS_KEPT"), 1);
  ASSERT_EQ(folders.others.size(), 3u);
  EXPECT_EQ(folders.others[0], "/a");
  EXPECT_EQ(folders.others[1], "/b/c");
}

TEST(Csv, QuotesCommasAndLineBreaksInFields) {
  const auto rows = read_csv("a,\"b,\"\"c\"\"\"\r\n\n\"two\nlines\",\n", "t.csv");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].fields, (std::vector<std::string>{"a", "b,\"c\""}));
  EXPECT_EQ(rows[1].fields, (std::vector<std::string>{"two\nlines", ""}));
  EXPECT_EQ(rows[1].line, 3);
  EXPECT_THROW(read_csv("a,\"b", "t.csv"), Error);
}

}  // namespace
}  // namespace sinew

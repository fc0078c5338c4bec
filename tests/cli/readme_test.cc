// Runs every command of README.md, in order, in one folder, as a reader would.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/run_sinew.h"

namespace sinew::testing {
namespace {

// The ```sh blocks that no "<!-- not run: why -->" stands above.
std::vector<std::string> shell_blocks(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> blocks;
  std::string before, line;
  while (std::getline(in, line)) {
    if (line == "```sh") {
      std::string block;
      while (std::getline(in, line) && line != "```") block += line + "\n";
      if (!before.starts_with("<!-- not run:")) blocks.push_back(block);
    }
    before = line;
  }
  return blocks;
}

TEST(Readme, EveryCommandRuns) {
  const auto blocks = shell_blocks(std::filesystem::path(SINEW_SOURCE_DIR) / "README.md");
  ASSERT_GE(blocks.size(), 5u);
  const TemporaryFolder folder;
  const std::string folder_of_program = std::filesystem::path(SINEW_BINARY).parent_path().string();
  for (const std::string& block : blocks) {
    const std::string script = folder.write("block.sh", "set -euo pipefail\n" + block);
    const Outcome outcome =
        run_shell("cd " + folder.path().string() + " && PATH=" + folder_of_program + ":$PATH bash " + script);
    EXPECT_EQ(outcome.status, 0) << block << outcome.out << outcome.err;
  }
}

TEST(Readme, NamesOnlyFilesThatExist) {
  const std::string text = slurp(std::filesystem::path(SINEW_SOURCE_DIR) / "README.md");
  int links = 0;
  for (size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
    const std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
    if (target.starts_with("http")) continue;
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(SINEW_SOURCE_DIR) / target)) << target;
    ++links;
  }
  EXPECT_GT(links, 5);
}

}  // namespace
}  // namespace sinew::testing

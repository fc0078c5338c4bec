#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "cli/run_sinew.h"

// What tests of several commands look at alike.
namespace sinew::testing {

inline std::set<std::string> files_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

// It ended so, with one sentence on standard error that names something.
inline void expect_one_sentence(const Outcome& outcome, int status, const std::string& named) {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("sinew: ")) << outcome.err;
  EXPECT_NE(outcome.err.find(named), std::string::npos) << outcome.err;
}

}  // namespace sinew::testing

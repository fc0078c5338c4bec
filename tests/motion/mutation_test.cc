#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "core/error.h"
#include "core/files.h"
#include "motion/load.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Damages a text in one of the ways in which files get damaged or attacked.
std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n ? n - 1 : 0)(random);
  };
  constexpr const char* kWords[] = {"nan",   "-1",      "1e308", "999999999999", "0", "{", "}",
                                    "End",   "JOINT x", "\n",    "\"",           "[", "]", ":",
                                    "begin", "end",     "-",     "1e-320",       "\t"};
  const size_t edits = 1 + below(4);
  for (size_t e = 0; e < edits && !text.empty(); ++e) {
    const size_t at = below(text.size());
    const size_t length = 1 + below(std::min<size_t>(text.size() - at, 60));
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), length));
        break;
      case 3:
        text.insert(at, kWords[below(std::size(kWords))]);
        break;
      case 4:
        text.resize(at);
        break;
      default: {
        // A whole word is replaced.
        const size_t end = text.find_first_of(" \n\t,", at);
        text.replace(at, (end == text.npos ? text.size() : end) - at, kWords[below(std::size(kWords))]);
      }
    }
  }
  return text;
}

std::vector<std::string> corpus(const std::string& name) {
  std::vector<std::string> texts;
  for (const auto& entry : fs::directory_iterator(fs::path(SINEW_SOURCE_DIR) / "tests/data/corpus" / name))
    texts.push_back(read_file(entry.path()));
  std::sort(texts.begin(), texts.end());
  return texts;
}

// Thousands of damaged files: each is read or refused with an Error, quickly.
template <typename Reader>
void expect_survives(const std::string& name, const Reader& read) {
  const std::vector<std::string> texts = corpus(name);
  ASSERT_FALSE(texts.empty());
  std::mt19937 random(20240501);
  size_t refused = 0, done = 0;
  const auto begin = Clock::now();
  for (; done < 4000 && Clock::now() - begin < std::chrono::milliseconds(700); ++done) {
    const std::string text = mutated(texts[done % texts.size()], random);
    const auto started = Clock::now();
    try {
      read(text);
    } catch (const Error& e) {
      ++refused;
      EXPECT_NE(std::string(e.what()), "");
    } catch (const std::exception& e) {
      FAIL() << "not an Error but " << e.what() << "\n" << text;
    }
    ASSERT_LT(Clock::now() - started, std::chrono::seconds(2)) << text;
  }
  EXPECT_GT(done, 50u);
  EXPECT_GT(refused, done / 10);
}

TEST(Mutations, OfBvh) {
  expect_survives("bvh", [](const std::string& text) { read_bvh(text, "a.bvh"); });
}

TEST(Mutations, OfAsfAndAmc) {
  expect_survives("asf_amc", [](const std::string& text) {
    const size_t cut = std::min(text.find("%%"), text.size());
    read_asf_amc(text.substr(0, cut), "a.asf", text.substr(std::min(cut + 2, text.size())), "a.amc");
  });
}

TEST(Mutations, OfDeepMimic) {
  expect_survives("deepmimic", [](const std::string& text) { read_deepmimic(text, "a.txt"); });
}

TEST(Mutations, OfKeyframes) {
  expect_survives("keyframes", [](const std::string& text) { read_keyframes(text, "a.json"); });
}

}  // namespace
}  // namespace sinew

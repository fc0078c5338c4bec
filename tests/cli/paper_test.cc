// What `sinew paper` lists, makes and refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/run_sinew.h"

namespace sinew::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string kSinew = quoted(SINEW_BINARY);
// The project's own motions alone, wherever the test runs.
const std::string kOwn = "SINEW_MOTIONS= " + kSinew;

size_t lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

void expect_refused(const std::vector<std::string>& words, const std::string& named) {
  const Outcome outcome = run_sinew(words);
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find(named), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("sinew paper --help"), std::string::npos) << outcome.err;
}

TEST(Paper, ListsWhatThereIs) {
  const Outcome listed = run_sinew({"paper", "--json"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  std::set<std::string> names;
  const Json list = Json::parse(listed.out);
  for (const Json& one : list.at("papers")) {
    names.insert(one.at("name"));
    EXPECT_FALSE(one.at("what").get<std::string>().empty());
    EXPECT_GE(one.at("rows").size(), 3U);
  }
  EXPECT_EQ(names, (std::set<std::string>{"samcon-table-4", "samcon-table-5", "samcon-transformations",
                                          "mcsim-table-1", "mcsim-table-4", "mcsim-slopes", "mcsim-figure-3",
                                          "mcsim-figure-4", "mcsim-figure-5", "mcsim-figure-6", "mcsim-gains",
                                          "auxiliary-figures", "adapt-figure-8", "adapt-figure-12",
                                          "adapt-search", "adapt-bicycle"}));
  const Outcome words = run_sinew({"paper"});
  EXPECT_EQ(words.status, 0);
  for (const std::string& name : names) EXPECT_NE(words.out.find(name), std::string::npos) << words.out;
}

TEST(Paper, RefusesWhatItDoesNotKnow) {
  expect_refused({"paper", "samcon-table-9"}, "samcon-table-4");
  expect_refused({"paper", "samcon-table-4", "--only", "moonwalk"}, "moonwalk");
  expect_refused({"paper", "samcon-table-4", "--seeds", "0"}, "--seeds");
  expect_refused({"paper", "samcon-table-4", "--seeds", "2", "--quick"}, "--quick");
  expect_refused({"paper", "samcon-table-4", "--only", "walk", "--publish"}, "--publish");
  expect_refused({"paper", "--quick"}, "NAME");
}

TEST(Paper, PrintsOursBesideThePapers) {
  const TemporaryFolder folder;
  const Outcome outcome = run_shell("cd " + folder.path().string() + " && " + kOwn +
                                    " paper samcon-table-4 --only run --quick --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(fs::is_empty(folder.path()));
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result.at("name"), "samcon-table-4");
  EXPECT_EQ(result.at("command"), "sinew paper samcon-table-4 --only run --quick");
  EXPECT_NE(result.at("machine").get<std::string>().find("core"), std::string::npos);
  ASSERT_EQ(result.at("rows").size(), 1U);

  // Table 4 says 2.0 s of running took 51 s on 80 cores.
  const Json& row = result.at("rows")[0];
  EXPECT_EQ(row.at("row"), "run");
  EXPECT_DOUBLE_EQ(row.at("paper").at("seconds"), 2.0);
  EXPECT_DOUBLE_EQ(row.at("paper").at("core_s"), 4080);
  EXPECT_DOUBLE_EQ(row.at("paper").at("cpu_s_per_s"), 2040);

  // Ours are what `sinew reconstruct` finds.
  const Json& ours = row.at("ours");
  EXPECT_EQ(ours.at("clip"), "run");
  EXPECT_NE(row.at("note").get<std::string>().find("our own run"), std::string::npos);
  const Outcome alone = run_shell("cd " + folder.path().string() + " && " + kOwn +
                                  " reconstruct run --no-pictures --json --threads 1");
  const Json summary = Json::parse(alone.out);
  EXPECT_EQ(ours.at("seeds"), 1);
  EXPECT_EQ(ours.at("completed").get<int>() == 1, summary.at("completed").get<bool>());
  EXPECT_NEAR(ours.at("seconds").get<double>(), summary.at("seconds").get<double>(), 0.02);
  if (!summary.at("completed").get<bool>()) {
    EXPECT_FALSE(row.at("meets").get<bool>());
    return;
  }
  EXPECT_DOUBLE_EQ(ours.at("pose_error_rad"), summary.at("pose_error_rad"));
  EXPECT_EQ(ours.at("pose_error_rad"), ours.at("worst_pose_error_rad"));
  EXPECT_GT(ours.at("cpu_s_per_s").get<double>(), 0);
  EXPECT_NEAR(ours.at("times_less").get<double>() * ours.at("cpu_s_per_s").get<double>(), 2040, 1e-6);
  EXPECT_EQ(row.at("meets").get<bool>(), ours.at("cpu_s_per_s").get<double>() <= 1.5 &&
                                             ours.at("pose_error_rad").get<double>() <= 0.12 &&
                                             ours.at("root_residual_N").get<double>() < 5);
}

TEST(Paper, AFigureHasACurveOfEachRecipe) {
  const Outcome outcome =
      run_shell(kOwn + " paper mcsim-figure-4 --only standard --only heavy-legs-unknown --quick --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json rows = Json::parse(outcome.out).at("rows");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].at("ours").at("alter"), "legs=2");
  EXPECT_EQ(rows[1].at("ours").at("believe"), "legs=0.5");
  for (const Json& row : rows)
    for (const char* recipe : {"default", "paper"}) {
      const Json &curve = row.at("curves").at(recipe), &cell = row.at("ours").at(recipe);
      ASSERT_EQ(curve.at("time_s").size(), curve.at("value").size());
      EXPECT_NEAR(curve.at("time_s").back().get<double>(), cell.at("held_s").get<double>(), 0.03);
      EXPECT_EQ(cell.at("runs"), 1);
      EXPECT_LT(cell.at("root_residual_N").get<double>(), 5);
    }
  EXPECT_NE(rows[0].at("curves").at("paper"), rows[1].at("curves").at("paper"));
}

TEST(Paper, QuadraticProgramsAreAsLargeAsThePapers) {
  const Outcome outcome = run_shell(kOwn + " paper mcsim-table-4 --only 44 --only 158 --quick --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const Json& row : Json::parse(outcome.out).at("rows")) {
    EXPECT_EQ(row.at("ours").at("variables"), row.at("paper").at("variables"));
    EXPECT_LT(row.at("ours").at("reduced_variables").get<int>(), row.at("ours").at("variables").get<int>());
    EXPECT_GT(row.at("ours").at("ms").get<double>(), 0);
  }
}

TEST(Paper, PublishesTableChartAndCurves) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "docs/results");
  const Outcome outcome =
      run_shell("cd " + folder.path().string() + " && " + kOwn + " paper mcsim-table-4 --quick --publish");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(slurp(folder.path() / "docs/results/mcsim-table-4.csv")), 8U);
  EXPECT_TRUE(slurp(folder.path() / "docs/results/mcsim-table-4.svg").starts_with("<svg"));
}

TEST(Paper, ARowThatNothingStandsForSaysSo) {
  const Outcome outcome = run_shell(kOwn + " paper samcon-table-4 --only roll-backward --quick --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json row = Json::parse(outcome.out).at("rows").at(0);
  EXPECT_TRUE(row.at("ours").is_null());
  EXPECT_FALSE(row.at("meets").get<bool>());
  EXPECT_NE(row.at("note").get<std::string>().find("roll-backward"), std::string::npos);
  const Outcome tracked = run_shell(kOwn + " paper mcsim-table-1 --only limp --quick --json");
  ASSERT_EQ(tracked.status, 0) << tracked.err;
  EXPECT_TRUE(Json::parse(tracked.out).at("rows").at(0).at("ours").is_null());
}

TEST(Paper, ASignalEndsItAndKeepsWhatIsFinished) {
  // The row that needs no search is finished at once, the other is cut off, perhaps after its first seeds.
  const Outcome outcome =
      run_shell("SINEW_MOTIONS= timeout --preserve-status -s INT 3 " + kSinew +
                " paper samcon-table-4 --only roll-backward --only kip-up --seeds 900 --json");
  EXPECT_EQ(outcome.status, 128 + SIGINT) << outcome.err;
  EXPECT_EQ(outcome.err, "sinew: interrupted; 1 of 2 rows finished\n");
  const Json result = Json::parse(outcome.out);
  EXPECT_TRUE(result.at("interrupted").get<bool>());
  const Json& rows = result.at("rows");
  ASSERT_GE(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("row"), "roll-backward");
}

TEST(Paper, OfARowThatIsCutOffTheSeedsThatAreDoneAreTold) {
  // Sent when the first seed is reported.
  const TemporaryFolder folder;
  const std::string said = folder.file("said"), table = folder.file("table");
  const Outcome outcome = run_shell(kOwn + " paper samcon-table-4 --only run --seeds 900 >" + table + " 2>" +
                                    said + " & while kill -0 $! && ! grep -q '1 of 900' " + said +
                                    "; do sleep 0.05; done; kill $!; wait $!");
  EXPECT_EQ(outcome.status, 128 + SIGTERM) << slurp(said);
  EXPECT_NE(slurp(table).find("run: no clips.csv"), std::string::npos) << slurp(table);
  EXPECT_NE(slurp(table).find("cut off after"), std::string::npos) << slurp(table);
  EXPECT_NE(slurp(table).find("0 of 1 rows meet"), std::string::npos) << slurp(table);
  EXPECT_NE(slurp(said).find("interrupted; 0 of 1 rows finished"), std::string::npos) << slurp(said);
}

}  // namespace
}  // namespace sinew::testing

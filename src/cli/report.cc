#include "record/report.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/text.h"
#include "core/error.h"
#include "core/files.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<std::string> folders;
  std::string file = "report.html";
  std::string title = "Sinew";
};

// One folder of results: its figures and its picture.
struct Result {
  fs::path folder;
  Json summary;
  std::string strip_png;  // empty if there is none
};

Result read_result(const fs::path& folder) {
  Result result;
  result.folder = folder;
  const fs::path file = folder / "summary.json";
  result.summary = Json::parse(read_file(file), nullptr, false);
  if (!result.summary.is_object()) throw Error(file.string(), 0, "is no summary of sinew");
  if (fs::exists(folder / "strip.png")) result.strip_png = read_file(folder / "strip.png");
  return result;
}

std::string text_of(const Result& result, const char* key) {
  const auto it = result.summary.find(key);
  return it != result.summary.end() && it->is_string() ? it->get<std::string>() : "-";
}

// A figure in the unit that people read it in; "-" where the command did not measure it.
std::string figure(const Result& result, const char* key, double unit, int digits) {
  const auto it = result.summary.find(key);
  return it != result.summary.end() && it->is_number() ? fixed(it->get<double>() * unit, digits) : "-";
}

ReportFigure marked(const Result& result, const char* name, const char* key, double unit, double limit) {
  const std::string value = figure(result, key, unit, 1);
  const auto it = result.summary.find(key);
  if (value == "-") return {name, value};
  return {name, value, it->get<double>() < limit ? ReportFigure::Mark::kGood : ReportFigure::Mark::kBad};
}

std::string clip_name(const Result& result) {
  const std::string clip = text_of(result, "clip");
  return fs::path(clip).stem().string();
}

bool simulated(const Result& result) { return text_of(result, "engine") != "-"; }

// How a simulation ended.
std::string ending(const Result& result) {
  if (!simulated(result)) return "-";
  const auto it = result.summary.find("completed");
  const bool completed = it != result.summary.end() && it->is_boolean() && it->get<bool>();
  return completed ? "completed" : "lost at " + figure(result, "failed_at_s", 1, 2) + " s";
}

ReportSection section_of(const Result& result, const fs::path& page_folder) {
  ReportSection section;
  section.title = clip_name(result) + " on " + text_of(result, "character");
  section.subtitle = text_of(result, "command") + ", " + figure(result, "seconds", 1, 2) + " s";
  section.figures = {{"seconds", figure(result, "seconds", 1, 2)}};
  if (simulated(result)) {
    section.subtitle += ", " + text_of(result, "engine") + ", world " + text_of(result, "world");
    const bool completed = ending(result) == "completed";
    section.figures.push_back(
        {"ended", ending(result), completed ? ReportFigure::Mark::kGood : ReportFigure::Mark::kBad});
    section.figures.push_back({"pose error, rad", figure(result, "pose_error_rad", 1, 3)});
    section.figures.push_back(marked(result, "root residual, N", "root_residual_N", 1, 5));
    section.figures.push_back({"foot slide, cm/s", figure(result, "foot_slide_m_s", 100, 1)});
    section.figures.push_back(marked(result, "deepest point, cm", "max_penetration_m", 100, 0.03));
  } else {
    section.figures.push_back(marked(result, "foot slide, cm/s", "foot_slide_m_s", 100, 0.03));
    section.figures.push_back(marked(result, "deepest point, cm", "max_penetration_m", 100, 0.01));
  }
  section.figures.push_back({"times real time", figure(result, "realtime_factor", 1, 1)});
  section.strip_png = result.strip_png;

  // Everything that lies in the folder, the page of its own first.
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(result.folder))
    if (entry.is_regular_file()) files.push_back(entry.path().filename().string());
  std::sort(files.begin(), files.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a != "report.html", a) < std::pair(b != "report.html", b);
  });
  const fs::path to_folder = fs::proximate(result.folder, page_folder);
  for (const std::string& file : files) section.files.emplace_back((to_folder / file).generic_string(), "");
  return section;
}

std::string table_of(const std::vector<Result>& results) {
  std::vector<std::vector<std::string>> rows = {{"clip", "character", "engine", "seconds", "ended",
                                                 "slide cm/s", "deepest cm", "CPU s", "x real time"}};
  for (const Result& result : results)
    rows.push_back({clip_name(result), text_of(result, "character"), text_of(result, "engine"),
                    figure(result, "seconds", 1, 2), ending(result), figure(result, "foot_slide_m_s", 100, 1),
                    figure(result, "max_penetration_m", 100, 1), figure(result, "cpu_s", 1, 2),
                    figure(result, "realtime_factor", 1, 1)});
  return table(rows);
}

int run(const ReportOptions& options) {
  std::vector<Result> results;
  for (const std::string& folder : options.folders) results.push_back(read_result(folder));

  Report report;
  report.title = options.title;
  report.lead =
      "Recorded motions on characters. Where one was put onto a character, the performer stands beside it as "
      "a "
      "skeleton; where it was simulated, the motion that it follows is grey, and arrows are contact forces.";
  const fs::path page = fs::absolute(options.file);
  for (const Result& result : results) report.sections.push_back(section_of(result, page.parent_path()));
  write_file(options.file, html_report(report));
  std::cout << table_of(results) << "wrote " << options.file << "\n";
  return kOk;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("report", "collect the results of several commands on one page");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("DIR", options->folders, "folders that other commands left (-o)")
      ->required()
      ->type_name("DIR");
  command->add_option("-o,--out", options->file, "the page")->type_name("FILE")->capture_default_str();
  command->add_option("--title", options->title, "what stands above it")
      ->type_name("TEXT")
      ->capture_default_str();
  command->footer(examples("  sinew report out/*/ -o out/report.html"));
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace sinew::cli

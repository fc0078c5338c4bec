#include "cli/variations.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "cli/checkpoint_file.h"
#include "cli/commands.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "core/error.h"
#include "core/files.h"
#include "record/spread_plots.h"

namespace sinew::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// One performance that lies in its folder.
struct Variation {
  std::string folder;  // below that of all
  Json summary;
  Recording recording;
  bool completed() const { return summary.at("completed").get<bool>(); }
};

// What an earlier run of the same command left, if it got so far.
std::optional<Variation> finished(const fs::path& folder, const ControlFile& inputs) {
  std::error_code ec;
  for (const char* file : {"summary.json", "control.json", "recording.sinew"})
    if (!fs::is_regular_file(folder / file, ec)) return {};
  const fs::path control = folder / "control.json";
  const ControlFile file = decode_control(read_file(control), control.string(), character_folders());
  if (fingerprint_of_inputs(file) != fingerprint_of_inputs(inputs))
    throw Error(folder.string(), 0, "holds a performance of another search; go on without --resume");
  const Json summary = Json::parse(read_file(folder / "summary.json"), nullptr, false);
  auto recording = open_recording((folder / "recording.sinew").string());
  if (!summary.is_object() || !summary.contains("completed") || !recording) return {};
  return Variation{folder.filename().string(), summary, std::move(*recording)};
}

Variation find_one(const ControlFile& inputs, const std::string& command, const FindOptions& options,
                   SimulationFileOptions files, Progress& progress) {
  Found found = find_control(inputs, options, progress);
  found.recording.command = command;
  if (!found.lost.empty()) {
    files.notes.push_back(found.lost);
    progress.say("sinew: with seed " + std::to_string(inputs.seed) + ": " + found.lost);
  }
  OutputFolder out(options.folder);
  write_found(found, files, out, progress);
  return {options.folder.filename().string(), Json::parse(to_json(found.summary)),
          std::move(found.recording)};
}

std::vector<Recording> completed_ones(const std::vector<Variation>& all) {
  std::vector<Recording> recordings;
  for (const Variation& one : all)
    if (one.completed()) recordings.push_back(one.recording);
  return recordings;
}

// The summary of all: errors are means over those that completed, times and samples are sums over all.
Json summary_of_all(const std::vector<Variation>& all, int count) {
  Json out = all.front().summary;
  const auto recordings = completed_ones(all);
  out["completed"] = static_cast<int>(recordings.size()) >= count;
  if (!recordings.empty()) out["failed_at_s"] = nullptr;
  for (const char* key : {"pose_error_rad", "root_height_error_m", "root_tilt_error_rad", "root_drift_m",
                          "foot_slide_m_s", "torque_rms_Nm", "max_penetration_m", "root_residual_N"}) {
    double sum = 0;
    for (const Variation& one : all)
      if (one.completed()) sum += one.summary.at(key).get<double>();
    if (!recordings.empty()) out[key] = sum / static_cast<double>(recordings.size());
  }
  for (const char* key : {"cpu_s", "wall_s"}) {
    double sum = 0;
    for (const Variation& one : all) sum += one.summary.at(key).get<double>();
    out[key] = sum;
  }
  long samples = 0;
  double seconds = 0;
  for (const Variation& one : all) {
    samples += one.summary.at("samples").get<long>();
    seconds += one.summary.at("seconds").get<double>();
  }
  out["samples"] = samples;
  out["realtime_factor"] = seconds / std::max(out.at("wall_s").get<double>(), 1e-9);

  const Spread spread = spread_of(recordings);
  out["spread_rad"] = spread.pose_rad;
  out["spread_m"] = spread.root_m;
  out["variations"] = Json::array();
  for (const Variation& one : all) {
    Json line = {{"folder", one.folder}};
    for (const char* key : {"seed", "completed", "failed_at_s", "pose_error_rad", "root_drift_m",
                            "foot_slide_m_s", "torque_rms_Nm", "cpu_s", "samples"})
      line[key] = one.summary.at(key);
    out["variations"].push_back(std::move(line));
  }
  return out;
}

std::string in_words(const Json& summary, const OutputFolder& out) {
  std::vector<std::vector<std::string>> rows = {
      {"folder", "seed", "ended", "pose error rad", "drift cm", "slide cm/s", "torque N m", "CPU s"}};
  for (const Json& one : summary.at("variations")) {
    const auto figure = [&](const char* key, double unit, int digits) {
      return one.at(key).is_number() ? fixed(one.at(key).get<double>() * unit, digits) : std::string("-");
    };
    rows.push_back(
        {one.at("folder").get<std::string>(), std::to_string(one.at("seed").get<int>()),
         one.at("completed").get<bool>() ? "completed" : "lost at " + figure("failed_at_s", 1, 2) + " s",
         figure("pose_error_rad", 1, 3), figure("root_drift_m", 100, 1), figure("foot_slide_m_s", 100, 1),
         figure("torque_rms_Nm", 1, 1), figure("cpu_s", 1, 2)});
  }
  std::string files;
  for (const std::string& file : out.files()) files += " " + file;
  return table(rows) + "they differ by " + fixed(summary.at("spread_rad").get<double>(), 3) +
         " rad rms a joint axis, and the root by " + fixed(100 * summary.at("spread_m").get<double>(), 1) +
         " cm\nwrote " + wrapped((out.path() / "").string() + ":" + files, 4) + "\n";
}

// One page: how they differ, then each of them.
void write_page(const std::vector<Variation>& all, const Json& summary, OutputFolder& out) {
  const std::string title =
      short_name(summary.at("clip").get<std::string>()) + " on " + summary.at("character").get<std::string>();
  Report report;
  report.title = "sinew reconstruct: " + title + ", " + std::to_string(all.size()) + " variations";
  ReportSection spread;
  spread.title = title;
  spread.subtitle = "how the performances differ";
  spread.figures = {
      {"difference of a joint axis, degrees rms", fixed(degrees(summary.at("spread_rad").get<double>()), 1)},
      {"difference of the root, cm rms", fixed(100 * summary.at("spread_m").get<double>(), 1)}};
  for (const Plot& plot : spread_plots(completed_ones(all))) spread.plots.push_back(svg_plot(plot));
  report.sections.push_back(std::move(spread));
  for (const Variation& one : all) {
    ReportSection section;
    section.title = one.folder + ", seed " + std::to_string(one.summary.at("seed").get<int>());
    section.subtitle = one.completed() ? "completed" : "not completed";
    section.figures = {
        {"pose error, degrees", fixed(degrees(one.summary.at("pose_error_rad").get<double>()), 1)},
        {"drift, cm", fixed(100 * one.summary.at("root_drift_m").get<double>(), 0)}};
    std::error_code ec;
    const fs::path strip = out.path() / one.folder / "strip.png";
    if (fs::exists(strip, ec)) section.strip_png = read_file(strip);
    section.files.emplace_back(one.folder + "/report.html", "all of it");
    section.command = one.recording.command;
    report.sections.push_back(std::move(section));
  }
  write_file(out.add("report.html"), html_report(report));
}

}  // namespace

int find_variations(const ControlFile& inputs, int count,
                    const std::function<std::string(int seed)>& command_of, const FindOptions& options,
                    const SimulationFileOptions& files, const OutputOptions& output, Progress& progress) {
  std::error_code ec;
  if (options.resume && !fs::is_directory(options.folder / "variation-1", ec))
    throw Error(options.folder.string(), 0, "there are no variations to go on with");

  // Seeds one after another, until enough of them performed the motion.
  std::vector<Variation> all;
  const int most = 2 * count + 3;
  for (int left = count; left > 0 && static_cast<int>(all.size()) < most;) {
    ControlFile one = inputs;
    one.seed = static_cast<int>((static_cast<unsigned>(inputs.seed) + all.size()) & 0x7fffffffU);
    FindOptions here = options;
    here.folder = options.folder / ("variation-" + std::to_string(all.size() + 1));
    std::optional<Variation> done;
    if (options.resume) done = finished(here.folder, one);
    here.resume = options.resume && fs::exists(here.folder / kCheckpointFile, ec);
    all.push_back(done ? std::move(*done) : find_one(one, command_of(one.seed), here, files, progress));
    if (all.back().completed()) --left;
  }

  OutputFolder out(options.folder);
  remove_old_simulation(options.folder, inputs.clip);
  const Json summary = summary_of_all(all, count);
  if (const auto plots = spread_plots(completed_ones(all)); !plots.empty())
    write_file(out.add("variations.svg"), svg_plots(plots));
  if (files.pictures) write_page(all, summary, out);
  const std::string text = summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  write_file(out.add("summary.json"), text);
  progress.done();
  if (output.json) std::cout << text;
  if (!output.json && !output.quiet) std::cout << in_words(summary, out);
  return summary.at("completed").get<bool>() ? kOk : kNotCompleted;
}

}  // namespace sinew::cli

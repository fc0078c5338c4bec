#pragma once

#include <CLI/CLI.hpp>
#include <functional>

// The commands of `sinew`, one file each. Every add_... puts its subcommand with options, help and examples
// into the app; when the subcommand was parsed, `action` is what to run. It returns the exit status.
namespace sinew::cli {

using Action = std::function<int()>;

// Exit statuses, as docs/interface.md promises them.
inline constexpr int kOk = 0;
inline constexpr int kBadInput = 1;
inline constexpr int kUsage = 2;
inline constexpr int kNotCompleted = 3;  // simulated, but the motion was lost

void add_info(CLI::App& app, Action& action);
void add_track(CLI::App& app, Action& action);
void add_reconstruct(CLI::App& app, Action& action);
void add_replay(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_adapt(CLI::App& app, Action& action);
void add_morph(CLI::App& app, Action& action);
void add_retarget(CLI::App& app, Action& action);
void add_ride(CLI::App& app, Action& action);
void add_studio(CLI::App& app, Action& action);
void add_character(CLI::App& app, Action& action);
void add_characters(CLI::App& app, Action& action);
void add_motions(CLI::App& app, Action& action);
void add_worlds(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_paper(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);
void add_help(CLI::App& app, Action& action);

}  // namespace sinew::cli

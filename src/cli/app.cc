#include "cli/app.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "cli/common_options.h"

namespace sinew::cli {

namespace {

// Help with one word of type behind an option and its default after the description.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional()) return option->get_expected_max() > 1 ? "..." : "";
    return option->get_type_size() == 0 ? "" : " " + option->get_type_name();
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string text = option->get_description();
    return option->get_default_str().empty() ? text : text + " (" + option->get_default_str() + ")";
  }
};

// Number of letters to insert, delete or replace between two words.
size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// ", did you mean 'X'" for the nearest of the known words, if one is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  size_t distance = 3;
  for (const std::string& candidate : known) {
    const size_t d = edit_distance(word, candidate);
    if (d < distance) {
      distance = d;
      best = candidate;
    }
  }
  return best.empty() ? "" : ", did you mean '" + best + "'?";
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands(nullptr))
    if (command->get_name() == name) return command;
  return nullptr;
}

}  // namespace

void build_app(CLI::App& app, Action& action) {
  app.name("sinew");
  app.description(
      "Makes motion capture physical: puts recorded motions onto characters that can be simulated.");
  app.set_version_flag("--version", "sinew " SINEW_VERSION)->description("the version of this program");
  app.set_help_flag("-h,--help", "this text");
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(34);
  formatter->label("SUBCOMMAND", "COMMAND");
  formatter->label("Positionals", "Words");
  app.formatter(formatter);
  app.require_subcommand(0, 1);

  add_info(app, action);
  add_retarget(app, action);
  add_track(app, action);
  add_reconstruct(app, action);
  add_replay(app, action);
  add_run(app, action);
  add_adapt(app, action);
  add_morph(app, action);
  add_ride(app, action);
  add_studio(app, action);
  add_character(app, action);
  add_characters(app, action);
  add_motions(app, action);
  add_worlds(app, action);
  add_compare(app, action);
  add_paper(app, action);
  add_report(app, action);
  add_completion(app, action);
  add_help(app, action);

  for (CLI::App* command : app.get_subcommands(nullptr)) command->group("Commands");
  app.footer(
      examples("  sinew motions                                what there is to play with\n"
               "  sinew info walk.bvh                          what is in a file\n"
               "  sinew retarget walk --character human50      put a motion onto a character\n"
               "  sinew track walk                             simulate a character that follows it\n"
               "  sinew reconstruct walk                       find control that performs it\n"
               "  sinew help retarget                          all options of a command"));
}

std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error) {
  const auto parsed = app.get_subcommands();
  const CLI::App& command = parsed.empty() ? app : *parsed.front();
  std::string sentence = error.what();

  // Words that nobody expected: a mistyped command or option, or one word too many.
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::string word =
        command.remaining().empty() ? app.remaining(true).front() : command.remaining().front();
    const bool option = word.starts_with("-");
    if (option) {
      sentence = "there is no option '" + word + "'" + nearest(word, option_names(command));
    } else if (parsed.empty()) {
      sentence = "there is no command '" + word + "'" + nearest(word, command_names(app));
    } else {
      sentence = "'" + word + "' is one word too many";
    }
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool missing = sentence.find(" missing") != std::string::npos;
    sentence =
        sentence.substr(0, sentence.find(':')) + (missing ? " needs a value" : " can be given only once");
  }
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  const std::string where = parsed.empty() ? "sinew --help" : "sinew " + command.get_name() + " --help";
  return sentence + " (see `" + where + "`)";
}

void add_help(CLI::App& app, Action& action) {
  CLI::App* help = app.add_subcommand("help", "the help of a command: sinew help retarget");
  auto name = std::make_shared<std::string>();
  help->add_option("COMMAND", *name, "the command; without it: this program's own help");
  help->footer(examples("  sinew help retarget"));
  help->callback([&app, &action, name] {
    action = [&app, name] {
      const CLI::App* command = name->empty() ? &app : find_command(app, *name);
      if (command == nullptr) {
        std::cerr << "sinew: there is no command '" << *name << "'" << nearest(*name, command_names(app))
                  << " (see `sinew --help`)\n";
        return kUsage;
      }
      std::cout << app.get_formatter()->make_help(command, name->empty() ? "sinew" : "sinew " + *name,
                                                  CLI::AppFormatMode::Normal);
      return kOk;
    };
  });
}

}  // namespace sinew::cli

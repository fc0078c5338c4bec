#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "sim/engines.h"

namespace sinew::cli {

namespace {

// What may follow an option or stand as a command's own word.
enum class Follows { kNothing, kWord, kFile, kFolder, kCharacter, kMotion, kWorld, kEngine, kChoice };

struct Flag {
  std::vector<std::string> names;  // with their dashes
  std::string description;
  Follows follows = Follows::kNothing;
  std::vector<std::string> choices;
};

struct Words {
  std::string name, description;
  std::vector<Flag> flags;
  Follows operand = Follows::kNothing;
  std::vector<std::string> choices;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

// The type that the help shows also says what to complete.
Follows follows_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (option.get_expected_max() == 0) return Follows::kNothing;
  if (type == "CONTROL") return Follows::kFile;
  if (type == "DIR") return Follows::kFolder;
  if (type == "NAME|FILE.xml") return Follows::kCharacter;
  if (type == "NAME[:KEY=VALUE,...]|FILE.xml") return Follows::kWorld;
  if (type == "NAME|FILE.so") return Follows::kEngine;
  if (type == "CLIP" || type == "FILE") return Follows::kMotion;
  if (type.find('|') != std::string::npos) return Follows::kChoice;
  return Follows::kWord;
}

Words words_of(const CLI::App& command) {
  Words words{command.get_name(), command.get_description(), {}, Follows::kNothing, {}};
  for (const CLI::Option* option : command.get_options()) {
    const Follows follows = follows_of(*option);
    const auto choices =
        follows == Follows::kChoice ? split(option->get_type_name(), '|') : std::vector<std::string>();
    if (option->get_positional()) {
      words.operand = follows;
      words.choices = choices;
      continue;
    }
    Flag flag{{}, option->get_description(), follows, choices};
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    words.flags.push_back(flag);
  }
  return words;
}

std::vector<Words> all_words(const CLI::App& app) {
  std::vector<Words> all;
  for (const CLI::App* command : app.get_subcommands(nullptr)) all.push_back(words_of(*command));
  for (Words& words : all)
    if (words.name == "help") {
      words.operand = Follows::kChoice;
      for (const Words& other : all) words.choices.push_back(other.name);
    }
  return all;
}

std::string join(const std::vector<std::string>& words, const std::string& between_words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between_words) + word;
  return text;
}

// ---- bash: one function that looks at the command and at the word before the cursor.

std::string bash_reply(Follows follows, const std::vector<std::string>& choices) {
  switch (follows) {
    case Follows::kNothing:
    case Follows::kWord:
      return "COMPREPLY=()";
    case Follows::kFolder:
      return "COMPREPLY=($(compgen -d -- \"$word\"))";
    case Follows::kFile:
      return "COMPREPLY=($(compgen -f -- \"$word\"))";
    case Follows::kCharacter:
      return "COMPREPLY=($(compgen -f -W \"$(sinew characters --names 2>/dev/null)\" -- \"$word\"))";
    case Follows::kMotion:
      return "COMPREPLY=($(compgen -f -W \"$(sinew motions --names 2>/dev/null)\" -- \"$word\"))";
    case Follows::kWorld:
      return "COMPREPLY=($(compgen -f -W \"$(sinew worlds --names 2>/dev/null)\" -- \"$word\"))";
    case Follows::kEngine:
      return "COMPREPLY=($(compgen -f -W \"" + join(engine_names(), " ") + "\" -- \"$word\"))";
    case Follows::kChoice:
      return "COMPREPLY=($(compgen -W \"" + join(choices, " ") + "\" -- \"$word\"))";
  }
  return "";
}

std::string bash_script(const std::vector<Words>& all) {
  std::string names, cases;
  for (const Words& words : all) {
    names += (names.empty() ? "" : " ") + words.name;
    std::string flags, values;
    for (const Flag& flag : words.flags) {
      flags += (flags.empty() ? "" : " ") + join(flag.names, " ");
      if (flag.follows != Follows::kNothing)
        values += "        " + join(flag.names, "|") + ") " + bash_reply(flag.follows, flag.choices) +
                  "; return ;;\n";
    }
    cases += "    " + words.name + ")\n";
    if (!values.empty()) cases += "      case $before in\n" + values + "      esac\n";
    cases += "      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"" + flags +
             "\" -- \"$word\"))\n      else " + bash_reply(words.operand, words.choices) + "\n      fi ;;\n";
  }
  return "# bash completion for sinew:  source <(sinew completion bash)\n"
         "_sinew() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
         "    COMPREPLY=($(compgen -W \"" +
         names +
         " --help --version\" -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "}\n"
         "complete -o filenames -F _sinew sinew\n";
}

// ---- zsh: one _arguments call a command.

// Text inside a single-quoted _arguments specification.
std::string zsh_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string zsh_action(Follows follows, const std::vector<std::string>& choices) {
  switch (follows) {
    case Follows::kNothing:
    case Follows::kWord:
      return " ";
    case Follows::kFolder:
      return "_files -/";
    case Follows::kFile:
      return "_files";
    case Follows::kCharacter:
      return "{ compadd -- $(sinew characters --names 2>/dev/null); _files -g \"*.xml\" }";
    case Follows::kMotion:
      return "{ compadd -- $(sinew motions --names 2>/dev/null); _files }";
    case Follows::kWorld:
      return "{ compadd -- $(sinew worlds --names 2>/dev/null); _files -g \"*.xml\" }";
    case Follows::kEngine:
      return "{ compadd -- " + join(engine_names(), " ") + "; _files -g \"*.so\" }";
    case Follows::kChoice:
      return "(" + join(choices, " ") + ")";
  }
  return "";
}

std::string zsh_script(const std::vector<Words>& all) {
  std::string names, cases;
  for (const Words& words : all) {
    names += "      '" + words.name + ":" + zsh_quoted(words.description) + "'\n";
    cases += "    " + words.name + ")\n      _arguments";
    for (const Flag& flag : words.flags)
      for (const std::string& name : flag.names) {
        cases += " \\\n        '" + name + "[" + zsh_quoted(flag.description) + "]";
        if (flag.follows != Follows::kNothing) cases += ":value:" + zsh_action(flag.follows, flag.choices);
        cases += "'";
      }
    if (words.operand != Follows::kNothing)
      cases += " \\\n        '*:word:" + zsh_action(words.operand, words.choices) + "'";
    cases += " ;;\n";
  }
  return "#compdef sinew\n"
         "# zsh completion for sinew:  source <(sinew completion zsh)\n"
         "_sinew() {\n"
         "  if (( CURRENT == 2 )); then\n"
         "    local -a commands\n"
         "    commands=(\n" +
         names +
         "    )\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words; (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "compdef _sinew sinew\n";
}

// ---- fish: one line an option.

std::string fish_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return "'" + out + "'";
}

std::string fish_value(Follows follows, const std::vector<std::string>& choices) {
  switch (follows) {
    case Follows::kNothing:
      return "";
    case Follows::kWord:
      return " -x";
    case Follows::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case Follows::kFile:
      return " -r -F";
    case Follows::kCharacter:
      return " -r -F -a '(sinew characters --names 2>/dev/null)'";
    case Follows::kMotion:
      return " -r -F -a '(sinew motions --names 2>/dev/null)'";
    case Follows::kWorld:
      return " -r -F -a '(sinew worlds --names 2>/dev/null)'";
    case Follows::kEngine:
      return " -r -F -a " + fish_quoted(join(engine_names(), " "));
    case Follows::kChoice:
      return " -x -a " + fish_quoted(join(choices, " "));
  }
  return "";
}

std::string fish_script(const std::vector<Words>& all) {
  std::string script = "# fish completion for sinew:  sinew completion fish | source\n";
  for (const Words& words : all)
    script += "complete -c sinew -f -n __fish_use_subcommand -a " + words.name + " -d " +
              fish_quoted(words.description) + "\n";
  for (const Words& words : all) {
    const std::string here = "complete -c sinew -n '__fish_seen_subcommand_from " + words.name + "'";
    for (const Flag& flag : words.flags) {
      script += here;
      for (const std::string& name : flag.names)
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      script += fish_value(flag.follows, flag.choices) + " -d " + fish_quoted(flag.description) + "\n";
    }
    std::string operand = fish_value(words.operand, words.choices);
    if (operand.starts_with(" -r")) operand = operand.substr(3);
    if (operand.starts_with(" -x")) operand = " -f" + operand.substr(3);
    if (!operand.empty()) script += here + operand + "\n";
  }
  return script;
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  CLI::App* completion = app.add_subcommand("completion", "print a completion script for your shell");
  auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}))
      ->type_name("bash|zsh|fish");
  completion->footer(
      examples("  source <(sinew completion bash)              for this bash\n"
               "  sinew completion bash > ~/.local/share/bash-completion/completions/sinew\n"
               "  sinew completion fish > ~/.config/fish/completions/sinew.fish"));
  completion->callback([&app, &action, shell] {
    action = [&app, shell] {
      const std::vector<Words> all = all_words(app);
      std::cout << (*shell == "bash"  ? bash_script(all)
                    : *shell == "zsh" ? zsh_script(all)
                                      : fish_script(all));
      return kOk;
    };
  });
}

}  // namespace sinew::cli

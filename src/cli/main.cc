#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "cli/app.h"
#include "cli/commands.h"
#include "core/error.h"

namespace {

using sinew::cli::Action;

int complain(int status, const std::string& sentence) {
  std::cerr << "sinew: " << sentence << "\n";
  return status;
}

int run(int argc, char** argv) {
  CLI::App app;
  Action action;
  sinew::cli::build_app(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    // --help and --version print on standard output.
    return app.exit(request, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    return complain(sinew::cli::kUsage, sinew::cli::usage_sentence(app, error));
  }
  if (!action) {
    std::cerr << app.help();
    return sinew::cli::kUsage;
  }
  const int status = action();
  if (!std::cout.flush()) return complain(sinew::cli::kBadInput, "standard output cannot be written to");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const sinew::Error& error) {
    return complain(sinew::cli::kBadInput, error.what());
  } catch (const std::bad_alloc&) {
    return complain(sinew::cli::kBadInput, "there is not enough memory for this input");
  } catch (const std::exception& error) {
    return complain(sinew::cli::kBadInput,
                    std::string("something went wrong that should not: ") + error.what());
  } catch (...) {
    return complain(sinew::cli::kBadInput, "something went wrong that should not");
  }
}

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "cli/assets.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/interrupt_guard.h"
#include "cli/sources.h"
#include "cli/text.h"
#include "core/error.h"
#include "studio/address.h"
#include "studio/server.h"

namespace sinew::cli {

namespace {

constexpr int kUsualPort = 8731;

struct StudioCommand {
  std::string clip = "walk";
  std::string character = "human57";
  std::string world = "flat";
  std::string method = "preview";
  std::string host = "127.0.0.1";
  int port = -1;  // -1: the usual one, or any if that is taken
  std::string token;
  int threads = 0;
  bool no_browser = false;
};

// Shows the page where there is a screen; that it cannot be is no mistake: the address is printed.
void open_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  const std::string command = "xdg-open " + shell_word(address) + " >/dev/null 2>&1 &";
  if (std::system(command.c_str()) != 0) return;
}

// On the usual port, or on another where somebody sits on that.
std::unique_ptr<studio::Server> serve(studio::ServerOptions options, int port) {
  options.port = port >= 0 ? port : kUsualPort;
  try {
    return std::make_unique<studio::Server>(options);
  } catch (const Error&) {
    if (port >= 0) throw;
    options.port = 0;
    return std::make_unique<studio::Server>(options);
  }
}

int run(const StudioCommand& command) {
  studio::ServerOptions options;
  options.host = command.host;
  options.token = command.token;
  options.threads = command.threads;
  options.page = page_folder();
  if (options.page.empty())
    throw Error(
        "the studio's page was not built: install nodejs and npm, and build again (all other commands work "
        "without it)");
  options.shelves = {motion_folders(), character_folders(), assets_folder() / "controls",
                     assets_folder() / "behaviours"};
  const auto server = serve(options, command.port);
  studio::Role role;
  role.clip = command.clip;
  role.character = command.character;
  role.method = studio::method_from_name(command.method).value();
  studio::Setting setting;
  setting.world = command.world;
  server->stage().begin({role}, setting);

  // Until somebody wants it to end.
  std::cout << "The studio is open at\n  " << server->address() << "\n"
            << (studio::is_loopback(command.host)
                    ? "Only this machine can reach it. "
                    : "Everybody who knows this address and can reach this machine can use it. ")
            << "Ctrl-C closes it." << std::endl;
  if (!command.no_browser) open_browser(server->address());
  const InterruptGuard guard;
  while (!guard.interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return kOk;
}

}  // namespace

void add_studio(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("studio", "watch, push and direct simulated characters in the browser");
  auto options = std::make_shared<StudioCommand>();
  command->add_option("CLIP", options->clip, "the motion to begin with: a name from `sinew motions`")
      ->type_name("CLIP")
      ->capture_default_str();
  command
      ->add_option("-c,--character", options->character,
                   "the character to begin with, a name from `sinew characters`")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--world", options->world, "the world to begin in, a name from `sinew worlds`")
      ->type_name("NAME[:KEY=VALUE,...]")
      ->capture_default_str();
  command
      ->add_option(
          "--method", options->method,
          "preview: keeps its balance by looking ahead; paper: quadratic programs; servo: nothing balances")
      ->check(one_of({"preview", "paper", "servo"}))
      ->type_name("METHOD")
      ->capture_default_str();
  command
      ->add_option("--host", options->host,
                   "address to listen on; others than loopback let other machines in")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command
      ->add_option("--port", options->port,
                   "port to listen on; 0: any. If not said 8731, or any if that is taken")
      ->check(whole(0, 65535, "a whole number from 0 to 65535"))
      ->type_name("N");
  command->add_option("--token", options->token, "the secret in the address; if not said a new one")
      ->check(CLI::Validator(
          [](std::string& text) {
            const bool good =
                text.size() >= 16 && text.size() <= 64 &&
                text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
                    std::string::npos;
            return good ? std::string() : "must be 16 to 64 letters and digits";
          },
          ""))
      ->type_name("WORD");
  command->add_option("--threads", options->threads, "worker threads; 0: one a core")
      ->check(whole(0, 1024, "a whole number from 0 to 1024"))
      ->type_name("N");
  command->add_flag("--no-browser", options->no_browser, "print the address, open nothing");
  command->footer(
      examples("  sinew studio                            a walk, and all the rest in the browser\n"
               "  sinew studio punch -c human50           begin with another motion and character\n"
               "  sinew studio --world slope:deg=-5       downhill"));
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace sinew::cli

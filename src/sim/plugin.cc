#include "sim/plugin.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "sim/touching.h"

namespace sinew {

namespace {

// A loaded shared library; unloaded when the last one who shares it is gone.
class Library {
 public:
  explicit Library(const std::string& file) : file_(file) {
    if (!std::filesystem::exists(file)) throw Error(file, 0, "there is no such plug-in");
    // A name without a folder would be looked for where the system's libraries are.
    handle_ = dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) throw Error(file, 0, std::string("this plug-in cannot be loaded: ") + dlerror());
  }
  ~Library() { dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <typename Function>
  Function find(const char* name) const {
    void* const found = dlsym(handle_, name);
    if (!found) throw Error(file_, 0, std::string("this is no plug-in: it has no function ") + name);
    return reinterpret_cast<Function>(found);
  }

 private:
  std::string file_;
  void* handle_ = nullptr;
};

// A simulator of a plug-in together with the library that its code lives in. What a plug-in would have to
// throw is found out here, before it is asked.
class PluginSimulator final : public Simulator {
 public:
  PluginSimulator(std::shared_ptr<const Library> library, std::unique_ptr<Simulator> simulator)
      : library_(std::move(library)), simulator_(std::move(simulator)) {}

  std::string engine() const override { return simulator_->engine(); }
  const Character& character() const override { return simulator_->character(); }
  const World& world() const override { return simulator_->world(); }
  double step_s() const override { return simulator_->step_s(); }
  const State& state() const override { return simulator_->state(); }
  void set_state(const State& state) override {
    check_state(simulator_->character(), state);
    simulator_->set_state(state);
  }
  StepStatus step(const Command& command) override {
    check_command(simulator_->character(), command);
    return simulator_->step(command);
  }
  void add_force(const ExternalForce& force) override { simulator_->add_force(force); }
  std::span<const Contact> contacts() const override { return simulator_->contacts(); }
  const VecX& torques() const override { return simulator_->torques(); }
  Momentum momentum_rate() const override { return simulator_->momentum_rate(); }
  PropState prop(int index) const override { return simulator_->prop(index); }
  void set_prop(int index, const PropState& state) override { simulator_->set_prop(index, state); }
  void save(Snapshot& into) const override { simulator_->save(into); }
  void restore(const Snapshot& from) override { simulator_->restore(from); }
  std::unique_ptr<Simulator> clone() const override {
    return std::make_unique<PluginSimulator>(library_, simulator_->clone());
  }
  void reshape(const Character& character) override {
    check_same_topology(simulator_->character(), character);
    simulator_->reshape(character);
  }

 private:
  std::shared_ptr<const Library> library_;  // goes last
  std::unique_ptr<Simulator> simulator_;
};

}  // namespace

SimulatorFactory load_plugin(const std::string& file) {
  const auto library = std::make_shared<const Library>(file);

  // Other layouts of the values that pass would be misread.
  const int version = library->find<PluginVersionFunction>("sinew_plugin_version")();
  if (version != kPluginVersion)
    throw Error(file, 0,
                "this plug-in was built for version " + std::to_string(version) +
                    " of the plug-in interface, but this is version " + std::to_string(kPluginVersion) +
                    "; build it anew");

  const auto make = library->find<PluginMakeFunction>("sinew_make_simulator");
  return [file, library, make](const Character& character, const World& world,
                               const SimulatorOptions& options) -> std::unique_ptr<Simulator> {
    std::array<char, 500> error{};
    std::unique_ptr<Simulator> simulator(make(character, world, options, error.data(), error.size()));
    error.back() = '\0';
    if (!simulator) throw Error(file, 0, error[0] ? error.data() : "this plug-in made no simulator");
    return std::make_unique<PluginSimulator>(library, std::move(simulator));
  };
}

}  // namespace sinew

#include "sim/engines.h"

#include "core/error.h"
#include "sim/plugin.h"

namespace sinew {

std::vector<std::string> engine_names() { return {"mujoco", "ode"}; }

SimulatorFactory find_engine(const std::string& name_or_file) {
  if (name_or_file == "mujoco") return make_mujoco;
  if (name_or_file == "ode") return make_ode;
  if (name_or_file.ends_with(".so")) return load_plugin(name_or_file);

  std::string known;
  for (const std::string& name : engine_names()) known += (known.empty() ? "" : ", ") + name;
  throw Error("there is no engine '" + name_or_file + "'; there are " + known +
              " and plug-ins, whose names end in .so");
}

}  // namespace sinew

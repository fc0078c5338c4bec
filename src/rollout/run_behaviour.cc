#include "rollout/run_behaviour.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "character/transfer.h"
#include "core/error.h"

namespace sinew {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kManStep_s = 0.002;

std::vector<double> list(const VecX& v) { return {v.begin(), v.end()}; }

VecX vector_of(const Json& j) {
  const auto values = j.get<std::vector<double>>();
  return Eigen::Map<const VecX>(values.data(), static_cast<Eigen::Index>(values.size()));
}

double lowest(const Character& character, const VecX& q) {
  return lowest_point(character, body_poses(character, q));
}

}  // namespace

std::string encode_run(const RunBehaviour& behaviour) {
  Json parameters = Json::object();
  for (const ParameterInfo& info : run_parameter_infos())
    parameters[info.name] = {{"value", behaviour.parameters.*info.member},
                             {"unit", unit_name(info.dimension)}};
  const Json all = {{"behaviour", "run"},
                    {"character", behaviour.character},
                    {"parameters", parameters},
                    {"start", {{"q", list(behaviour.start.q)}, {"v", list(behaviour.start.v)}}}};
  return all.dump(1) + "\n";
}

RunBehaviour decode_run(const std::string& text, const std::string& where) {
  try {
    const Json all = Json::parse(text);
    if (all.at("behaviour") != "run") throw Error(where + ": this is no run");
    RunBehaviour out;
    out.character = all.at("character").get<std::string>();
    const Json& parameters = all.at("parameters");
    for (const ParameterInfo& info : run_parameter_infos())
      out.parameters.*info.member = parameters.at(info.name).at("value").get<double>();
    if (parameters.size() != run_parameter_infos().size())
      throw Error(where + ": has parameters that a run does not know");
    out.start.q = vector_of(all.at("start").at("q"));
    out.start.v = vector_of(all.at("start").at("v"));
    return out;
  } catch (const Json::exception& e) {
    throw Error(where + ": is no file of a behaviour (" + e.what() + ")");
  }
}

double run_size(const Character& character) { return leg_length(character) / kManLeg_m; }

double run_step_s(const Character& character) { return kManStep_s * std::sqrt(run_size(character)); }

namespace {

// The first joint that one has and the other has not, as the end of a sentence.
std::string odd_joint(const Character& from, const Character& to) {
  for (const Joint& joint : from.joints)
    if (find_joint(to, joint.name) < 0) return ": it lacks '" + joint.name + "'";
  for (const Joint& joint : to.joints)
    if (find_joint(from, joint.name) < 0) return ": '" + joint.name + "' is one more";
  return "";
}

}  // namespace

RunBehaviour scaled(const RunBehaviour& behaviour, const Character& from, const Character& to,
                    Scaling scaling) {
  if (behaviour.start.q.size() != to.nq() || behaviour.start.v.size() != to.nv())
    throw Error("the character '" + to.name + "' has other joints than '" + from.name +
                "', whose run this is" + odd_joint(from, to));
  RunBehaviour out = behaviour;
  out.character = to.name;
  out.parameters = scaled(behaviour.parameters, from, to, scaling);

  // The state is scaled by size in any case, or it would begin in the ground or in the air.
  const double size = leg_length(to) / leg_length(from);
  out.start.q[2] += size * lowest(from, behaviour.start.q) - lowest(to, out.start.q);
  if (scaling == Scaling::kUnscaled) return out;
  out.start.v.head<3>() *= geometric_factor(kSpeed, size);
  out.start.v.tail(to.nv() - 3) *= geometric_factor(kRate, size);
  return out;
}

}  // namespace sinew

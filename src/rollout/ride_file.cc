#include "rollout/ride_file.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "character/scaling.h"
#include "character/transfer.h"
#include "core/error.h"
#include "core/files.h"

namespace sinew {

namespace {

using Json = nlohmann::json;

constexpr double kManLeg_m = 0.75;

// The numbers of an object by name; all others are mistakes.
void read_numbers(const Json& from, const std::map<std::string, double*>& numbers, const std::string& file) {
  if (!from.is_object()) throw Error(file, 0, "expected an object with numbers");
  for (const auto& [key, value] : from.items()) {
    const auto it = numbers.find(key);
    if (it == numbers.end()) throw Error(file, 0, "there is no '" + key + "' in a ride");
    if (!value.is_number()) throw Error(file, 0, key + " must be a number");
    *it->second = value.get<double>();
  }
}

std::map<std::string, double*> numbers_of(RideParameters& p) {
  return {{"offset_cost", &p.offset_cost},
          {"heading_cost", &p.heading_cost},
          {"roll_cost", &p.roll_cost},
          {"roll_rate_cost", &p.roll_rate_cost},
          {"steering_cost", &p.steering_cost},
          {"steering_lag_s", &p.steering_lag_s},
          {"bars_stiffness", &p.bars_stiffness},
          {"bars_damping", &p.bars_damping},
          {"speed_gain", &p.speed_gain},
          {"most_crank_Nm", &p.most_crank_Nm},
          {"arm_stiffness", &p.arm_stiffness},
          {"arm_damping", &p.arm_damping},
          {"leg_stiffness", &p.leg_stiffness},
          {"leg_damping", &p.leg_damping},
          {"trunk_stiffness", &p.trunk_stiffness},
          {"trunk_damping", &p.trunk_damping}};
}

}  // namespace

RideFile read_ride_file(const std::string& path) {
  const Json json = Json::parse(read_file(path), nullptr, false);
  if (!json.is_object()) throw Error(path, 0, "is no JSON object: a ride has parameters and bicycles");
  RideFile file;
  for (const auto& [key, value] : json.items()) {
    if (key == "parameters") {
      read_numbers(value, numbers_of(file.parameters), path);
    } else if (key == "bicycles") {
      if (!value.is_object()) throw Error(path, 0, "bicycles must be an object, one for each rider");
      for (const auto& [rider, sizes] : value.items()) {
        BicycleSizes& b = file.bicycles[rider];
        read_numbers(sizes,
                     {{"wheel_radius_m", &b.wheel_radius_m},
                      {"wheel_mass_kg", &b.wheel_mass_kg},
                      {"frame_mass_kg", &b.frame_mass_kg}},
                     path);
        if (b.wheel_radius_m <= 0 || b.wheel_mass_kg <= 0 || b.frame_mass_kg <= 0)
          throw Error(path, 0, "the bicycle of " + rider + " has a size or mass that is not above 0");
      }
    } else {
      throw Error(path, 0, "there is no '" + key + "' in a ride");
    }
  }
  return file;
}

Character mounted(const Character& rider, const RideFile& file) {
  const auto it = file.bicycles.find(rider.name);
  if (it != file.bicycles.end()) return mount(rider, bicycle_for(rider, it->second));
  const double size = leg_length(rider) / kManLeg_m, mass = std::pow(size, 3);
  BicycleSizes sizes;
  sizes.wheel_radius_m *= size;
  sizes.wheel_mass_kg *= mass;
  sizes.frame_mass_kg *= mass;
  return mount(rider, bicycle_for(rider, sizes));
}

}  // namespace sinew

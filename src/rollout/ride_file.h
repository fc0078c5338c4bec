#pragma once

#include <map>
#include <string>

#include "character/rider.h"
#include "control/cyclist.h"

// assets/behaviours/ride.json: how a ride is tuned, and who rides what.
namespace sinew {

struct RideFile {
  RideParameters parameters;
  std::map<std::string, BicycleSizes> bicycles;  // by the rider's name
};

// Throws Error naming the file for what it does not know.
RideFile read_ride_file(const std::string& path);

// A rider with the bicycle that the file has for that name, or one of the man's whose size goes with the
// leg and whose mass with its cube.
Character mounted(const Character& rider, const RideFile& file);

}  // namespace sinew

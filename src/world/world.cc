#include "world/world.h"

namespace sinew {

std::vector<Pose> prop_poses(const World& world) {
  std::vector<Pose> out;
  out.reserve(world.props.size());
  for (const Prop& prop : world.props) out.push_back(prop.X_WP);
  return out;
}

}  // namespace sinew

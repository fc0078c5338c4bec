#pragma once

#include <vector>

#include "character/character.h"
#include "sim/ode/rigid_body.h"

namespace sinew::ode {

// What moves as one piece: a body with joints and all that is welded to it. Its frame is that body's.
struct Link {
  int body = 0;         // the one with the joints
  int parent = -1;      // the link that it hangs on
  MassProperties mass;  // of all pieces together
};

struct Links {
  std::vector<Link> links;   // parents before children; 0 is the root's
  std::vector<int> link_of;  // per body of the character
  std::vector<Pose> X_LB;    // per body: its pose in its link's frame
};

// Throws Error for a body that ODE cannot simulate.
Links find_links(const Character& character);

}  // namespace sinew::ode

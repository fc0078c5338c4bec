#include <character/mjcf.h>
#include <character/retarget.h>
#include <motion/load.h>
#include <sim/engines.h>

#include <iostream>

int main() {
  const sinew::Clip clip = sinew::load_clip(ASSETS "/motions/walk.json").clip;
  const sinew::Character character = sinew::load_character_file(ASSETS "/characters/human50.xml");
  const sinew::Retargeted walk = sinew::retarget(clip, character);
  std::cout << walk.reference.q.size() << " frames for " << character.nv() << " degrees of freedom\n";

  const auto simulator = sinew::find_engine(PLUGIN)(character, sinew::World{}, {});
  simulator->step(sinew::rest_command(character));
  std::cout << "after a step of the " << simulator->engine() << " simulator it is "
            << simulator->state().time_s << " s\n";
}

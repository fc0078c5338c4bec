#include <character/mjcf.h>
#include <character/retarget.h>
#include <motion/load.h>

#include <iostream>

int main() {
  const sinew::Clip clip = sinew::load_clip(ASSETS "/motions/walk.json").clip;
  const sinew::Character character = sinew::load_character_file(ASSETS "/characters/human50.xml");
  const sinew::Retargeted walk = sinew::retarget(clip, character);
  std::cout << walk.reference.q.size() << " frames for " << character.nv() << " degrees of freedom\n";
}

#pragma once

#include <string>
#include <vector>

#include "character/character.h"
#include "motion/meshes.h"

// A character from the surfaces of its parts: what a modelling program makes (Hodgins and Pollard 1997, 3.1).
namespace sinew {

// Mean density of a part of the body, kg/m^3: Dempster 1955, "Space requirements of the seated operator", as
// tabulated in Winter, "Biomechanics and Motor Control of Human Movement", Table 4.1, and used by Yeadon
// 1990, "The simulation of aerial movement II" (in whose model a clavicle is part of the shoulders).
double part_density(Part part);

// What a body was made of.
struct MeshBody {
  std::string name;
  double volume_m3 = 0, mass_kg = 0;
};
struct MeshCharacter {
  Character character;
  std::vector<MeshBody> bodies;  // as those of the character
};

// A character with the bodies and joints of `like`, from closed surfaces whose names say which part of the
// body they are (several may make one body), in the pose that `like` has when all joints are at zero; arms
// may point anywhere. `unit_m` is metres a unit of the file. Masses, centres and inertias are those of the
// surfaces at the densities above. Every joint is where it is in the box around its body of `like`; shapes
// fill the new boxes as they fill those; torque limits go with weight and length of the legs, gains with what
// they move. Which way is up, and which left, is found from where head, feet and sides are.
// Throws Error naming file and part for a surface with a hole or flipped faces, a name that means no part,
// parts that are missing, and sizes that nobody has; `where` is what all of them came from.
MeshCharacter character_from_meshes(const std::vector<NamedMesh>& meshes, const Character& like,
                                    const std::string& name, const std::string& where, double unit_m = 1);

}  // namespace sinew

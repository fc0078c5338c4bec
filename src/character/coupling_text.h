#pragma once

#include <string>
#include <string_view>

#include "character/character.h"

// Springs and chains in MJCF: <custom><text name="spring:NAME" data="a=BODY at=x,y,z b=BODY to=x,y,z
// stiffness=k damping=d"/> and <text name="chain:NAME" data="a=JOINT b=JOINT ratio=r stiffness=k
// damping=d"/>. Blanks in the names of bodies and joints cannot be written.
namespace sinew {

inline constexpr std::string_view kSpringText = "spring:", kChainText = "chain:";

// The values of data="...", for a text named after the spring or chain.
std::string spring_data(const Character& character, const PointSpring& spring);
std::string chain_data(const Character& character, const Chain& chain);

// Reads them again and adds them to the character, whose bodies and joints are there. Throws Error naming
// `file`.
void add_spring(Character& character, const std::string& name, const std::string& data,
                const std::string& file);
void add_chain(Character& character, const std::string& name, const std::string& data,
               const std::string& file);

}  // namespace sinew

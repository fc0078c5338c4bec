#pragma once

#include <string>
#include <vector>

#include "studio/role.h"

namespace sinew::studio {

// A scene that is ready to be played with one click.
struct GalleryScene {
  std::string id;  // also the name of its picture: gallery/ID.jpg of the page
  std::string title;
  std::string about;   // one sentence
  std::string source;  // whose result it shows
  std::vector<Role> roles;
  std::vector<std::string> controls;  // per role: a file of assets/controls for kControl, else empty
  Setting setting;
};

// All of them, in the order in which the page shows them. One more is one more entry here and a picture.
const std::vector<GalleryScene>& gallery();

// As the page is told of them.
std::string gallery_json();

}  // namespace sinew::studio

#include "studio/gallery.h"

#include <nlohmann/json.hpp>

namespace sinew::studio {

namespace {

Role role(const std::string& clip, const std::string& character, Method method, bool loop) {
  Role out;
  out.clip = clip;
  out.character = character;
  out.method = method;
  out.loop = loop;
  return out;
}

Setting in(const std::string& world, const std::vector<std::string>& throws = {}) {
  Setting out;
  out.world = world;
  out.throws = throws;
  return out;
}

// A man who runs and turns into another, and back.
Role metamorphosis(const std::string& becomes) {
  Role out = role("behaviour/run", "man", Method::kRun, false);
  out.becomes = becomes;
  return out;
}

constexpr char kHodgins[] = "after Hodgins and Pollard 1997";
constexpr char kDaSilva[] = "after da Silva et al. 2008";
constexpr char kLiu[] = "after Liu et al. 2010";

}  // namespace

const std::vector<GalleryScene>& gallery() {
  static const std::vector<GalleryScene> kScenes = {
      {"walk",
       "A walk",
       "Follows a looping walk and keeps its balance. Push it.",
       kDaSilva,
       {role("walk", "human57", Method::kPreview, true)},
       {""},
       in("flat")},
      {"downhill",
       "Downhill",
       "The same walk on a slope that the motion knows nothing of.",
       kDaSilva,
       {role("walk", "human57", Method::kPreview, true)},
       {""},
       in("slope:deg=-5")},
      {"seesaw",
       "Seesaw",
       "A plank tips under the feet halfway across.",
       kDaSilva,
       {role("walk", "biped18", Method::kPreview, true)},
       {""},
       in("seesaw:deg=2")},
      {"boxing",
       "Boxing with balls",
       "Punches, and takes balls to the head and the chest.",
       "after da Silva et al. 2008 and Zordan and Hodgins 2002",
       {role("punch", "human50", Method::kPreview, false)},
       {""},
       in("flat", {"body=head,mass=1,speed=7,at=0.7,from=front",
                   "body=thorax,mass=2,speed=6,at=1.5,from=front-left"})},
      {"cartwheel",
       "Cartwheel on a robot",
       "Open-loop control that a search found: no balance, no feedback.",
       kLiu,
       {role("cartwheel", "robot35", Method::kControl, false)},
       {"cartwheel-robot35"},
       in("flat")},
      {"drop",
       "Roll off a drop",
       "A forward roll goes over an edge of half a metre.",
       kLiu,
       {role("roll-forward", "human50", Method::kPreview, false)},
       {""},
       in("drop:height=0.5")},
      {"metamorphosis",
       "Running metamorphosis",
       "A man runs on while he becomes a child, and a man again.",
       kHodgins,
       {metamorphosis("child")},
       {""},
       in("flat")},
      {"slalom",
       "Slalom",
       "Arms steer, legs press the pedals: nothing of the bicycle is driven.",
       kHodgins,
       {role("behaviour/ride slalom", "man", Method::kRide, false)},
       {""},
       in("flat")},
      {"methods",
       "Three methods",
       "The same walk by preview, by quadratic programs, and by servos alone.",
       kDaSilva,
       {role("walk", "biped18", Method::kPreview, true), role("walk", "biped18", Method::kPaper, true),
        role("walk", "biped18", Method::kServo, true)},
       {"", "", ""},
       in("flat")},
  };
  return kScenes;
}

std::string gallery_json() {
  nlohmann::json out = nlohmann::json::array();
  for (const GalleryScene& scene : gallery())
    out.push_back(
        {{"id", scene.id}, {"title", scene.title}, {"about", scene.about}, {"source", scene.source}});
  return out.dump();
}

}  // namespace sinew::studio

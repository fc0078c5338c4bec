#include "character/footfalls.h"

#include <gtest/gtest.h>

#include <cmath>

#include "character/library.h"
#include "character/plants.h"

namespace sinew {
namespace {

constexpr double kFrame_s = 0.01;

// Of 100 frames; a foot and a hand of human50 touch the ground in [begin, end).
class Steps {
 public:
  Steps() : character_(load_character("human50", {SINEW_SOURCE_DIR "/assets/characters"})) {
    reference_.frame_time_s = kFrame_s;
    reference_.q.assign(100, character_.q_rest);
    reference_.point_contact.assign(100, std::vector<char>(character_.contact_points.size(), 0));
  }
  Steps& stance(bool foot, int side, size_t begin, size_t end) {
    for (const ContactGroup& group : contact_groups(character_))
      if (group.is_foot == foot && group.side == side)
        for (size_t f = begin; f < end; ++f) reference_.point_contact[f % 100][group.points[0]] = 1;
    return *this;
  }
  Steps& cyclic() {
    reference_.cyclic = true;
    return *this;
  }
  double shortest_s(double from_s, double to_s) const {
    return Footfalls(character_, reference_).shortest_s(from_s, to_s);
  }

 private:
  Character character_;
  Reference reference_;
};

TEST(Footfalls, TheShortestOfWhatIsAskedFor) {
  const Steps steps = Steps().stance(true, 0, 20, 50).stance(true, 1, 45, 55);
  EXPECT_NEAR(steps.shortest_s(0, 0.99), 0.1, 1e-9);
  EXPECT_NEAR(steps.shortest_s(0.1, 0.4), 0.3, 1e-9);
  EXPECT_TRUE(std::isinf(steps.shortest_s(0, 0.19)));
  EXPECT_TRUE(std::isinf(steps.shortest_s(0.55, 5)));
}

TEST(Footfalls, HandsOfBipedsAreNotStoodOn) {
  EXPECT_TRUE(std::isinf(Steps().stance(false, 0, 20, 25).shortest_s(0, 0.99)));
}

TEST(Footfalls, WhatIsCutOffWasLonger) {
  const Steps steps = Steps().stance(true, 0, 0, 5).stance(true, 1, 95, 100);
  EXPECT_TRUE(std::isinf(steps.shortest_s(0, 0.99)));
}

TEST(Footfalls, ACycleGoesOnForEver) {
  const Steps steps = Steps().cyclic().stance(true, 0, 90, 110).stance(true, 1, 30, 70);
  EXPECT_NEAR(steps.shortest_s(0.8, 1.2), 0.2, 1e-9);
  EXPECT_NEAR(steps.shortest_s(7.3, 7.6), 0.4, 1e-9);
  EXPECT_NEAR(steps.shortest_s(7.3, 8), 0.2, 1e-9);
  const Steps standing = Steps().cyclic().stance(true, 0, 0, 100);
  EXPECT_TRUE(std::isinf(standing.shortest_s(0, 3)));
}

}  // namespace
}  // namespace sinew

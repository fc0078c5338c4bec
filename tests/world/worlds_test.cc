// The worlds that have a name, what can be thrown into them, and their text.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "character/mjcf.h"
#include "core/error.h"
#include "world/check.h"
#include "world/library.h"

namespace sinew {
namespace {

std::string sentence_of(const std::function<void()>& doing) {
  try {
    doing();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was refused";
}

std::string refusal_of_world(const std::string& name) {
  return sentence_of([&] { make_world(name); });
}

// All values of a world, one list after the other.
void expect_equal(const World& a, const World& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.gravity, b.gravity);
  ASSERT_EQ(a.props.size(), b.props.size());
  for (size_t i = 0; i < a.props.size(); ++i) {
    const Prop &p = a.props[i], &q = b.props[i];
    EXPECT_EQ(p.name, q.name);
    EXPECT_EQ(p.drive, q.drive);
    EXPECT_EQ(p.X_WP.p, q.X_WP.p);
    EXPECT_EQ(p.X_WP.q.coeffs(), q.X_WP.q.coeffs());
    EXPECT_EQ(p.mass_kg, q.mass_kg);
    EXPECT_EQ(p.p_PC, q.p_PC);
    EXPECT_EQ(p.I_C, q.I_C);
    EXPECT_EQ(p.p_PJ, q.p_PJ);
    EXPECT_EQ(p.axis_P, q.axis_P);
    EXPECT_EQ(p.lower, q.lower);
    EXPECT_EQ(p.upper, q.upper);
    EXPECT_EQ(p.stiffness, q.stiffness);
    EXPECT_EQ(p.damping, q.damping);
    EXPECT_EQ(p.sway_m, q.sway_m);
    EXPECT_EQ(p.period_s, q.period_s);
    EXPECT_EQ(p.waiting, q.waiting);
  }
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  for (size_t i = 0; i < a.shapes.size(); ++i) {
    const WorldShape &s = a.shapes[i], &t = b.shapes[i];
    EXPECT_EQ(s.shape.name, t.shape.name);
    EXPECT_EQ(s.shape.body, t.shape.body);
    EXPECT_EQ(s.shape.type, t.shape.type);
    EXPECT_EQ(s.shape.size, t.shape.size);
    EXPECT_EQ(s.shape.X_BS.p, t.shape.X_BS.p);
    EXPECT_EQ(s.shape.X_BS.q.coeffs(), t.shape.X_BS.q.coeffs());
    EXPECT_EQ(s.shape.collides, t.shape.collides);
    EXPECT_EQ(s.shape.rgba, t.shape.rgba);
    EXPECT_EQ(s.shape.vertices, t.shape.vertices);
    EXPECT_EQ(s.friction, t.friction);
    EXPECT_EQ(s.softness_s, t.softness_s);
    EXPECT_EQ(s.give_m, t.give_m);
    EXPECT_EQ(s.ground, t.ground);
  }
  EXPECT_EQ(a.throws.size(), b.throws.size());
  EXPECT_EQ(a.pushes.size(), b.pushes.size());
}

// Each world as it is, and with each parameter at either end of its range.
TEST(Worlds, AreSensibleAtAllEndsAndReadBack) {
  ASSERT_EQ(list_worlds().size(), 14u);
  for (const WorldEntry& entry : list_worlds()) {
    std::vector<std::string> names = {entry.name};
    for (const WorldParameter& parameter : entry.parameters)
      for (const double value : {parameter.lower, parameter.upper})
        names.push_back(entry.name + ":" + parameter.name + "=" + std::to_string(value));
    for (const std::string& name : names) {
      SCOPED_TRACE(name);
      const World world = make_world(name);
      EXPECT_EQ(world.name, name);
      EXPECT_NO_THROW(check_world(world, name));
      EXPECT_FALSE(entry.meaning.empty());
      bool stands = false;
      for (const WorldShape& surface : world.shapes) stands |= surface.ground;
      EXPECT_TRUE(stands);
      expect_equal(world_from_json(to_json(world), "it"), world);
    }
  }
}

// The character that begins at the origin begins on z = 0 in every world, but where it sits or the way rises.
TEST(Worlds, BeginAtHeightZero) {
  const Character human = load_character_file(SINEW_SOURCE_DIR "/assets/characters/human50.xml");
  const std::vector<Pose> X_WB = body_poses(human, human.q_rest);
  for (const WorldEntry& entry : list_worlds()) {
    const World world = make_world(entry.name);
    EXPECT_NEAR(ground_height(world, prop_poses(world), 0, 0), 0, 1e-12) << entry.name;
    if (entry.name != "slope") {
      EXPECT_NEAR(lift_out(world, human, X_WB), 0, 1e-6) << entry.name;
    }
  }
}

TEST(Worlds, FrictionAndGravityAreCommonToAll) {
  for (const WorldEntry& entry : list_worlds()) {
    const World world = make_world(entry.name + ":friction=0.3,gravity=1.62");
    EXPECT_EQ(world.gravity, Vec3(0, 0, -1.62));
    for (const WorldShape& surface : world.shapes) EXPECT_EQ(surface.friction, 0.3) << entry.name;
  }
  EXPECT_FALSE(make_world("flat").shapes[0].friction.has_value());
  EXPECT_EQ(make_world("ice").shapes[0].friction, 0.1);
}

TEST(Worlds, PebblesFollowTheirSeedAndLeaveTheStartFree) {
  const World world = make_world("pebbles:seed=3,size=0.03");
  ASSERT_EQ(world.shapes.size(), 141u);
  double tallest = 0;
  for (size_t i = 1; i < world.shapes.size(); ++i) {
    const Shape& stone = world.shapes[i].shape;
    const double out = stone.X_BS.p.z() + stone.size[0];
    EXPECT_GT(out, 0.01);
    EXPECT_LE(out, 0.03);
    tallest = std::max(tallest, out);
    EXPECT_GE(stone.X_BS.p.head<2>().norm() - stone.size[0], 0.3);
  }
  EXPECT_GT(tallest, 0.025);
  EXPECT_EQ(to_json(world), to_json(make_world("pebbles:seed=3,size=0.03")));
  EXPECT_NE(make_world("pebbles:seed=4,size=0.03").shapes[5].shape.X_BS.p, world.shapes[5].shape.X_BS.p);
}

TEST(Worlds, BlocksAreLightRestOnTheFloorAndApart) {
  const World world = make_world("blocks:seed=5,count=40");
  ASSERT_EQ(world.props.size(), 40u);
  for (size_t i = 0; i < world.props.size(); ++i) {
    const Prop& block = world.props[i];
    const Vec3& half = world.shapes[i + 1].shape.size;
    EXPECT_GE(block.mass_kg, 0.5);
    EXPECT_LE(block.mass_kg, 2.0);
    EXPECT_NEAR(block.I_C(2, 2), block.mass_kg / 3 * (half.x() * half.x() + half.y() * half.y()), 1e-12);
    EXPECT_NEAR(block.X_WP.p.z(), half.z(), 1e-12);
    if (i > 0) {
      const double between = (block.X_WP.p - world.props[i - 1].X_WP.p).head<2>().norm();
      EXPECT_GT(between, half.head<2>().norm() + world.shapes[i].shape.size.head<2>().norm());
    }
  }
}

// The near end lies on the floor, the far end in the air, and the plank's own weight keeps it so.
TEST(Worlds, SeesawBeginsWithItsNearEndDown) {
  const World world = make_world("seesaw:at=1.2");
  const Prop& plank = world.props.at(0);
  const Shape& shape = world.shapes.back().shape;
  const Vec3 near = plank.X_WP * Vec3(-shape.size.x(), 0, -shape.size.z());
  const Vec3 far = plank.X_WP * Vec3(shape.size.x(), 0, -shape.size.z());
  EXPECT_NEAR(near.x(), 1.2, 1e-9);
  EXPECT_NEAR(near.z(), 0.002, 1e-9);
  EXPECT_GT(far.z(), 0.2);
  const Vec3 anchor = plank.X_WP * plank.p_PJ, centre = plank.X_WP * plank.p_PC;
  const double torque =
      (centre - anchor).cross(plank.mass_kg * world.gravity).dot(plank.X_WP.q * plank.axis_P);
  EXPECT_LT(torque, 0) << "gravity turns it away from its lower limit";
  EXPECT_EQ(plank.lower, 0);
  EXPECT_NEAR(plank.upper, radians(10), 1e-12);
}

TEST(Worlds, RefuseWithASentence) {
  EXPECT_EQ(refusal_of_world("moon"),
            "there is no world 'moon': there are flat, slope, ice, pebbles, beam, ramp, raise, drop, pad, "
            "platform, "
            "seesaw, blocks, chair, rocker, or a file FILE.xml");
  EXPECT_EQ(refusal_of_world("slope:angle=3"),
            "world slope has no parameter 'angle': it has deg, friction, gravity");
  EXPECT_EQ(refusal_of_world("slope:deg=45"), "world slope: deg must be a number from -30 to 30, not '45'");
  EXPECT_EQ(refusal_of_world("slope:deg="), "world slope: deg must be a number from -30 to 30, not ''");
  EXPECT_EQ(refusal_of_world("slope:deg"), "world slope: deg must be a number from -30 to 30, not ''");
  EXPECT_EQ(refusal_of_world("slope:deg=1x"), "world slope: deg must be a number from -30 to 30, not '1x'");
  EXPECT_EQ(refusal_of_world("slope:deg=nan"), "world slope: deg must be a number from -30 to 30, not 'nan'");
  EXPECT_EQ(refusal_of_world("slope:deg=1,deg=2"), "world slope: deg is given twice");
  EXPECT_EQ(refusal_of_world("slope:"), "world slope: expected key=value, found ''");
  EXPECT_EQ(refusal_of_world("slope:deg=1,"), "world slope: expected key=value, found ''");
  EXPECT_EQ(refusal_of_world("pebbles:seed=1.5"),
            "world pebbles: seed must be a whole number from 0 to 999999, not '1.5'");
  EXPECT_NE(refusal_of_world("nowhere/at/all.xml").find("nowhere/at/all.xml"), std::string::npos);
}

// Begins at rest, is periodic later, and its velocity is the derivative of its place.
TEST(Scheduled, VelocityIsTheDerivative) {
  const World world = make_world("platform:amplitude=0.2,period=1.5,deg=30");
  const Prop& slab = world.props.at(0);
  EXPECT_EQ(scheduled(slab, 0).X_WP.p, slab.X_WP.p);
  EXPECT_EQ(scheduled(slab, 0).v_WP, Vec3(Vec3::Zero()));
  EXPECT_EQ(scheduled(slab, -1).X_WP.p, slab.X_WP.p);
  constexpr double kStep = 1e-5;
  for (double t = 0.01; t < 4; t += 0.083) {
    const Vec3 slope = (scheduled(slab, t + kStep).X_WP.p - scheduled(slab, t - kStep).X_WP.p) / (2 * kStep);
    EXPECT_LT((scheduled(slab, t).v_WP - slope).norm(), 1e-7) << t;
  }
  for (double t = 1.5; t < 3; t += 0.1) {
    EXPECT_LT((scheduled(slab, t).X_WP.p - scheduled(slab, t + 1.5).X_WP.p).norm(), 1e-12);
    const Vec3 by = 0.2 * std::sin(2 * kPi * t / 1.5) * Vec3(std::cos(kPi / 6), 0.5, 0);
    EXPECT_LT((scheduled(slab, t).X_WP.p - slab.X_WP.p - by).norm(), 1e-12);
  }
}

TEST(Throws, AreReadAsTyped) {
  const Throw thrown = parse_throw("body=head,mass=3,speed=8,at=1.2,from=front-left,expected");
  EXPECT_EQ(thrown.body, "head");
  EXPECT_EQ(thrown.part, Part::kHead);
  EXPECT_EQ(thrown.mass_kg, 3);
  EXPECT_EQ(thrown.speed_m_s, 8);
  EXPECT_EQ(thrown.at_s, 1.2);
  EXPECT_LT((thrown.from - Vec3(1, 1, 0).normalized()).norm(), 1e-12);
  EXPECT_TRUE(thrown.expected);
  EXPECT_FALSE(parse_throw("body=head").expected);
  EXPECT_EQ(parse_throw("body=left_arm").part, Part::kLeftLowerArm);
  EXPECT_EQ(parse_throw("body=right_leg").part, Part::kRightShin);
  EXPECT_EQ(parse_throw("from=above").from, Vec3(Vec3::UnitZ()));
  EXPECT_LT((parse_throw("deg=-90").from + Vec3::UnitY()).norm(), 1e-12);
}

TEST(Throws, BringTheirBall) {
  World world = make_world("blocks");
  const size_t before = world.props.size();
  add_throw(world, parse_throw("mass=2"));
  add_throw(world, parse_throw("mass=16,at=2"));
  ASSERT_EQ(world.throws.size(), 2u);
  EXPECT_EQ(world.throws[0].prop, static_cast<int>(before));
  EXPECT_EQ(world.throws[1].prop, static_cast<int>(before) + 1);
  const Prop& ball = world.props[before];
  EXPECT_TRUE(ball.waiting);
  EXPECT_EQ(ball.mass_kg, 2);
  const auto radius = [&](int back) {
    return world.shapes[world.shapes.size() - static_cast<size_t>(back)].shape.size[0];
  };
  EXPECT_NEAR(radius(2), 0.106, 1e-3);
  EXPECT_NEAR(radius(1), 2 * radius(2), 1e-12);
  EXPECT_NEAR(ball.I_C(1, 1), 0.4 * 2 * radius(2) * radius(2), 1e-12);
  world.pushes.push_back(parse_push("toward=left"));
  const World back = world_from_json(to_json(world), "it");
  expect_equal(back, world);
  EXPECT_EQ(back.throws[1].mass_kg, 16);
  EXPECT_EQ(back.throws[1].prop, world.throws[1].prop);
  EXPECT_EQ(back.pushes[0].toward, Vec3(Vec3::UnitY()));
}

TEST(Pushes, AreReadAsTyped) {
  const Push push = parse_push("body=pelvis,force=200,for=0.2,at=2,toward=left");
  EXPECT_EQ(push.part, Part::kPelvis);
  EXPECT_EQ(push.force_N, 200);
  EXPECT_EQ(push.for_s, 0.2);
  EXPECT_EQ(push.at_s, 2);
  EXPECT_EQ(push.toward, Vec3(Vec3::UnitY()));
}

TEST(Disturbances, RefuseWithASentence) {
  const auto thrown = [](const std::string& text) { return sentence_of([&] { parse_throw(text); }); };
  const auto pushed = [](const std::string& text) { return sentence_of([&] { parse_push(text); }); };
  EXPECT_EQ(thrown("mass=0"), "throw: mass must be a number from 0.01 to 200, not '0'");
  EXPECT_EQ(thrown("speed=1e3"), "throw: speed must be a number from 0.1 to 60, not '1e3'");
  EXPECT_EQ(thrown("at=-1"), "throw: at must be a number from 0 to 10000, not '-1'");
  EXPECT_EQ(thrown("wight=3"), "throw has no 'wight': it has body, mass, speed, at, from, deg, expected");
  EXPECT_EQ(thrown("expected=no"),
            "throw has no 'expected=no': it has body, mass, speed, at, from, deg, expected");
  EXPECT_EQ(thrown("from=front,deg=3"), "throw: from and deg say the same; give one of them");
  EXPECT_NE(thrown("from=front-back").find("not 'front-back'"), std::string::npos);
  EXPECT_NE(thrown("from=").find("not ''"), std::string::npos);
  EXPECT_NE(thrown("body=tail").find("there is no body 'tail': there are pelvis, abdomen, "),
            std::string::npos);
  EXPECT_NE(thrown("body=tail").find("right_leg"), std::string::npos);
  EXPECT_EQ(thrown(""), "throw: expected key=value, found ''");
  EXPECT_EQ(pushed("force=2e5"), "push: force must be a number from 0 to 100000, not '2e5'");
  EXPECT_EQ(pushed("for=0"), "push: for must be a number from 0.0001 to 60, not '0'");
  EXPECT_EQ(pushed("from=left"), "push has no 'from': it has body, force, for, at, toward, deg");
}

TEST(WorldJson, RefusesWhatMakesNoSense) {
  const std::string good = to_json(make_world("seesaw"));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return sentence_of([&] { world_from_json(text, "some.file"); });
  };
  EXPECT_NE(with("\"sinew_world\":1", "\"sinew_world\":99").find("version 99"), std::string::npos);
  EXPECT_NE(with("\"hinge\"", "\"glue\"").find("'glue' is no word"), std::string::npos);
  EXPECT_NE(with("\"type\":\"plane\"", "\"type\":7").find("some.file: cannot be read"), std::string::npos);
  EXPECT_NE(with("\"prop\":0", "\"prop\":5").find("make no sense"), std::string::npos);
  EXPECT_NE(with("\"mass_kg\":", "\"mass_kg\":-").find("make no sense"), std::string::npos);
  EXPECT_NE(with("[0.0,0.0,-9.81]", "[0.0,0.0,-1e300]").find("gravity"), std::string::npos);
  EXPECT_NE(with("[0.0,0.0,-9.81]", "[0.0,null,-9.81]").find("some.file"), std::string::npos);
  EXPECT_NE(with("{", "").find("some.file: cannot be read as a world"), std::string::npos);
  EXPECT_NE(sentence_of([] { world_from_json("[]", "it"); }).find("it: cannot"), std::string::npos);
  EXPECT_NE(sentence_of([] { world_from_json("", "it"); }).find("it: cannot"), std::string::npos);
}

}  // namespace
}  // namespace sinew

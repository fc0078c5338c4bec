#include "sim/touching.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"

namespace sinew {

namespace {

// A ball around a shape, in the world.
struct Ball {
  Vec3 p;
  double radius = 0;
};

// Long shapes as rows of balls: close enough to say whether two bodies overlap where they are joined.
std::vector<Ball> balls_of(const Shape& shape, const Pose& X_WB) {
  const Pose X_WS = X_WB * shape.X_BS;
  const bool longish = shape.type == ShapeType::kCapsule || shape.type == ShapeType::kCylinder;
  if (longish) {
    constexpr int kBalls = 9;
    std::vector<Ball> out;
    for (int i = 0; i < kBalls; ++i)
      out.push_back({X_WS * Vec3(0, 0, shape.size[1] * (2.0 * i / (kBalls - 1) - 1)), shape.size[0]});
    return out;
  }
  if (shape.type == ShapeType::kSphere) return {{X_WS.p, shape.size[0]}};
  if (shape.type == ShapeType::kMesh) {
    std::vector<Ball> out;
    for (const Vec3& p : shape.vertices) out.push_back({X_WS * p, 0.01});
    return out;
  }
  // Boxes and ellipsoids: nine balls of the smallest half size on a grid inside.
  std::vector<Ball> out{{X_WS.p, shape.size.minCoeff()}};
  const double r = shape.size.minCoeff();
  for (int i = 0; i < 8; ++i) {
    const Vec3 side(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    const double reach = shape.type == ShapeType::kBox ? 1.0 : 0.57;
    out.push_back({X_WS * side.cwiseProduct(reach * shape.size - Vec3::Constant(reach * r)), r});
  }
  return out;
}

bool overlap(const std::vector<Ball>& a, const std::vector<Ball>& b) {
  for (const Ball& x : a)
    for (const Ball& y : b)
      if ((x.p - y.p).norm() < x.radius + y.radius) return true;
  return false;
}

// Parent and child: the joint between them holds them apart.
bool joined(const Character& character, int a, int b) {
  const auto parent = [&](int body) { return character.bodies[static_cast<size_t>(body)].parent; };
  return parent(a) == b || parent(b) == a;
}

}  // namespace

std::vector<ShapePair> self_pairs(const Character& character) {
  const std::vector<Pose> X_WB = body_poses(character, character.q_rest);
  std::vector<std::vector<Ball>> balls;
  for (const Shape& shape : character.shapes)
    balls.push_back(shape.collides ? balls_of(shape, X_WB[static_cast<size_t>(shape.body)])
                                   : std::vector<Ball>{});

  // Bodies that overlap as they stand would push each other apart for ever.
  const auto n = static_cast<int>(character.shapes.size());
  std::set<std::pair<int, int>> apart;
  for (const auto& [a, b] : character.excluded) apart.insert(std::minmax(a, b));
  const auto bodies = [&](int a, int b) {
    return std::minmax(character.shapes[static_cast<size_t>(a)].body,
                       character.shapes[static_cast<size_t>(b)].body);
  };
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b)
      if (overlap(balls[static_cast<size_t>(a)], balls[static_cast<size_t>(b)])) apart.insert(bodies(a, b));

  std::vector<ShapePair> out;
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b) {
      const auto [p, q] = bodies(a, b);
      const bool both = character.shapes[static_cast<size_t>(a)].collides &&
                        character.shapes[static_cast<size_t>(b)].collides;
      if (both && p != q && !joined(character, p, q) && !apart.contains({p, q})) out.push_back({a, b});
    }
  // Those of the same two bodies together.
  std::stable_sort(out.begin(), out.end(), [&](const ShapePair& x, const ShapePair& y) {
    return std::pair(bodies(x.a, x.b)) < std::pair(bodies(y.a, y.b));
  });
  return out;
}

State standing_state(const Character& character, const World& world) {
  State state{0, character.q_rest, VecX::Zero(character.nv())};
  state.q[2] += lift_out(world, character, body_poses(character, state.q));
  return state;
}

void check_state(const Character& character, const State& state) {
  if (state.q.size() != character.nq() || state.v.size() != character.nv())
    throw Error("a state of another character cannot be given to " + character.name);
  if (!state.q.allFinite() || !state.v.allFinite() || !std::isfinite(state.time_s))
    throw Error("a state that is not finite cannot be simulated");
}

void check_command(const Character& character, const Command& command) {
  const int nv = character.nv();
  bool fits = command.q_target.size() == character.nq();
  for (const VecX* x : {&command.v_target, &command.kp, &command.kd, &command.torque, &command.limit})
    fits = fits && x->size() == nv;
  if (!fits) throw Error("a command for another character cannot be given to " + character.name);
  if ((command.limit.array() < 0).any())
    throw Error("a command for " + character.name + " has a torque limit below 0");
}

void check_same_topology(const Character& a, const Character& b) {
  const auto same = [](const auto& x, const auto& y, const auto& equal) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), equal);
  };
  const bool bodies = same(a.bodies, b.bodies, [](const Body& x, const Body& y) {
    return x.parent == y.parent && x.joint_count == y.joint_count;
  });
  const bool joints =
      same(a.joints, b.joints, [](const Joint& x, const Joint& y) { return x.type == y.type; });
  const bool shapes = same(a.shapes, b.shapes, [](const Shape& x, const Shape& y) {
    return x.type == y.type && x.body == y.body && x.collides == y.collides;
  });
  if (!bodies || !joints || !shapes)
    throw Error(a.name + " cannot turn into " + b.name +
                ": they have not the same bodies, joints and shapes");
}

double friction(const Shape& character_shape, const WorldShape& world_shape) {
  return world_shape.friction.value_or(character_shape.friction);
}

double friction(const Shape& a, const Shape& b) { return std::min(a.friction, b.friction); }

}  // namespace sinew

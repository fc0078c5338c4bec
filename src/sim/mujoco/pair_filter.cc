#include "sim/mujoco/pair_filter.h"

#include <algorithm>

namespace sinew {

namespace {

Vec3 vec3(const mjtNum* x) { return Vec3(x[0], x[1], x[2]); }

template <typename T>
std::vector<T> copied(const T* from, int pairs, int width = 1) {
  return {from, from + static_cast<ptrdiff_t>(pairs) * width};
}

// Rows first ... first + count of a list go to row `to` of the model's.
template <typename T>
void put(const std::vector<T>& list, int first, int count, int width, T* model, int to) {
  std::copy_n(list.data() + static_cast<ptrdiff_t>(first) * width, static_cast<ptrdiff_t>(count) * width,
              model + static_cast<ptrdiff_t>(to) * width);
}

}  // namespace

PairFilter::PairFilter(const mjModel& model)
    : dim_(copied(model.pair_dim, model.npair)),
      geom1_(copied(model.pair_geom1, model.npair)),
      geom2_(copied(model.pair_geom2, model.npair)),
      signature_(copied(model.pair_signature, model.npair)),
      solref_(copied(model.pair_solref, model.npair, mjNREF)),
      solimp_(copied(model.pair_solimp, model.npair, mjNIMP)),
      margin_(copied(model.pair_margin, model.npair)),
      gap_(copied(model.pair_gap, model.npair)),
      friction_(copied(model.pair_friction, model.npair, 5)) {
  for (int i = 0; i < model.npair; ++i) {
    const int a = side_of(model, model.pair_geom1[i]), b = side_of(model, model.pair_geom2[i]);
    if (groups_.empty() || groups_.back().a != a || groups_.back().b != b) groups_.push_back({i, 0, a, b});
    ++groups_.back().count;
  }
  measure(model);
}

int PairFilter::side_of(const mjModel& model, int geom) {
  Side side;
  side.body = model.geom_bodyid[geom];
  side.geom = side.body == 0 ? geom : -1;
  side.plane = model.geom_type[geom] == mjGEOM_PLANE;
  const auto same = [&](const Side& other) { return other.body == side.body && other.geom == side.geom; };
  const auto at = std::find_if(sides_.begin(), sides_.end(), same);
  if (at != sides_.end()) return static_cast<int>(at - sides_.begin());
  sides_.push_back(side);
  return static_cast<int>(sides_.size()) - 1;
}

void PairFilter::measure(const mjModel& model) {
  middles_.resize(sides_.size());
  for (Side& side : sides_) {
    const int first = side.geom >= 0 ? side.geom : model.body_geomadr[side.body];
    const int count = side.geom >= 0 ? 1 : model.body_geomnum[side.body];
    side.p.setZero();
    for (int g = first; g < first + count; ++g) side.p += vec3(model.geom_pos + 3 * g) / count;
    side.radius = 0;
    for (int g = first; g < first + count; ++g)
      side.radius =
          std::max(side.radius, (vec3(model.geom_pos + 3 * g) - side.p).norm() + model.geom_rbound[g]);
  }
}

void PairFilter::find_middles(const mjData& data) {
  for (size_t i = 0; i < sides_.size(); ++i) {
    const Side& side = sides_[i];
    const mjtNum* R = data.xmat + 9 * static_cast<ptrdiff_t>(side.body);
    middles_[i] = vec3(data.xpos + 3 * static_cast<ptrdiff_t>(side.body)) +
                  Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R) * side.p;
  }
}

bool PairFilter::near(const Group& group, const mjData& data) const {
  const auto i = static_cast<size_t>(group.a), j = static_cast<size_t>(group.b);
  const Side &a = sides_[i], &b = sides_[j];
  if (!a.plane && !b.plane) {
    const double reach = a.radius + b.radius;
    return (middles_[i] - middles_[j]).squaredNorm() < reach * reach;
  }

  // A plane's third axis is its normal.
  const Side& plane = a.plane ? a : b;
  const mjtNum* R = data.geom_xmat + 9 * static_cast<ptrdiff_t>(plane.geom);
  const Vec3 normal(R[2], R[5], R[8]);
  const Vec3 p = vec3(data.geom_xpos + 3 * static_cast<ptrdiff_t>(plane.geom));
  return normal.dot(middles_[a.plane ? j : i] - p) < (a.plane ? b : a).radius;
}

int PairFilter::apply(mjModel& model, const mjData& data) {
  find_middles(data);
  int to = 0;
  size_t place = 0;
  for (size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    if (!near(group, data)) continue;
    // What stands where it stood the last time is there, as long as all before it is.
    if (place < placed_.size() && placed_[place] == g) {
      ++place;
      to += group.count;
      continue;
    }
    placed_.resize(place);
    placed_.push_back(g);
    ++place;
    put(dim_, group.first, group.count, 1, model.pair_dim, to);
    put(geom1_, group.first, group.count, 1, model.pair_geom1, to);
    put(geom2_, group.first, group.count, 1, model.pair_geom2, to);
    put(signature_, group.first, group.count, 1, model.pair_signature, to);
    put(solref_, group.first, group.count, mjNREF, model.pair_solref, to);
    put(solimp_, group.first, group.count, mjNIMP, model.pair_solimp, to);
    put(margin_, group.first, group.count, 1, model.pair_margin, to);
    put(gap_, group.first, group.count, 1, model.pair_gap, to);
    put(friction_, group.first, group.count, 5, model.pair_friction, to);
    to += group.count;
  }
  return to;
}

}  // namespace sinew

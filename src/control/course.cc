#include "control/course.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr double kStraight_m = 10;  // before a slalom, over which its width grows
constexpr double kGates_m = 25, kAside_m = 1.5;

double smooth(double x) {
  const double t = std::clamp(x, 0.0, 1.0);
  return t * t * t * (10 + t * (6 * t - 15));
}

// A piece of the turning course.
struct Leg {
  double length_m;
  double angle;  // rad to the left
  double speed_m_s;
};

// Turns begin and end gently: the share of a piece over which curvature comes and goes.
constexpr double kEaseIn = 0.3;

// The length over which the speed changes.
constexpr double kChange_m = 20;

// From 0 up to 1 and back, with an area of 1 - kEaseIn.
double swell(double share) { return std::min(smooth(share / kEaseIn), smooth((1 - share) / kEaseIn)); }

const std::vector<Leg>& legs() {
  static const std::vector<Leg> kLegs = {{30, 0, 5}, {28, kPi / 2, 5}, {20, 0, 4}, {24, -kPi / 2, 3},
                                         {50, 0, 8}, {60, kPi / 2, 8}, {50, 0, 6}, {40, -kPi, 4},
                                         {25, 0, 5}, {50, kPi, 5},     {30, 0, 5}};
  return kLegs;
}

}  // namespace

Course::Course(double length_m, const std::function<double(double)>& curvature,
               const std::function<double(double)>& speed_m_s) {
  const auto count = static_cast<size_t>(std::ceil(length_m / kSpacing_m)) + 1;
  places_.reserve(count);
  Place place;
  for (size_t i = 0; i < count; ++i) {
    const double s = kSpacing_m * static_cast<double>(i);
    place.curvature = curvature(s);
    place.speed_m_s = speed_m_s(s);
    places_.push_back(place);

    // To the next place along the arc between: the heading in its middle.
    const double turn = kSpacing_m * curvature(s + 0.5 * kSpacing_m);
    const double middle = place.heading + 0.5 * turn;
    place.x += kSpacing_m * std::cos(middle);
    place.y += kSpacing_m * std::sin(middle);
    place.heading += turn;
  }
}

Course::Place Course::at(double s) const {
  const double u = s / kSpacing_m;
  if (u <= 0 || u >= static_cast<double>(places_.size() - 1)) {
    Place end = u <= 0 ? places_.front() : places_.back();
    const double beyond = u <= 0 ? s : s - length_m();
    end.x += beyond * std::cos(end.heading);
    end.y += beyond * std::sin(end.heading);
    end.curvature = 0;
    return end;
  }
  const auto i = static_cast<size_t>(u);
  const double share = u - static_cast<double>(i);
  const Place &a = places_[i], &b = places_[i + 1];
  const auto mix = [&](double from, double to) { return from + share * (to - from); };
  return {mix(a.x, b.x), mix(a.y, b.y), mix(a.heading, b.heading), mix(a.curvature, b.curvature),
          mix(a.speed_m_s, b.speed_m_s)};
}

double Course::nearest(const Vec3& p_W, double guess) const {
  double s = guess;
  for (int i = 0; i < 4; ++i) {
    const Place here = at(s);
    const double along =
        (p_W.x() - here.x) * std::cos(here.heading) + (p_W.y() - here.y) * std::sin(here.heading);
    s += along;
    if (std::abs(along) < 1e-6) break;
  }
  return s;
}

double Course::offset(const Vec3& p_W, double s) const {
  const Place here = at(s);
  return (p_W.y() - here.y) * std::cos(here.heading) - (p_W.x() - here.x) * std::sin(here.heading);
}

Course straight_course(double length_m, double speed_m_s) {
  return Course(
      length_m, [](double) { return 0.0; }, [=](double) { return speed_m_s; });
}

Course slalom_course(double length_m, double speed_m_s) {
  // y = a sin(2 pi (x - x0) / 25) with an a that grows; its curvature at the distances along it.
  const auto y = [](double x) {
    const double from = x - kStraight_m;
    return from <= 0 ? 0 : kAside_m * smooth(from / kGates_m) * std::sin(2 * kPi * from / kGates_m);
  };
  constexpr double kStep = 0.02;
  std::vector<double> along{0}, bend{0};
  for (double x = 0; along.back() < length_m; x += kStep) {
    const double slope = (y(x + kStep) - y(x)) / kStep;
    const double second = (y(x + kStep) - 2 * y(x) + y(x - kStep)) / (kStep * kStep);
    along.push_back(along.back() + kStep * std::hypot(1.0, slope));
    bend.push_back(second / std::pow(1 + slope * slope, 1.5));
  }
  const auto curvature = [&](double s) {
    const auto it = std::upper_bound(along.begin(), along.end(), s);
    return bend[std::min(static_cast<size_t>(it - along.begin()), bend.size() - 1)];
  };
  return Course(length_m, curvature, [=](double) { return speed_m_s; });
}

Course turning_course(double length_m, double speed_m_s) {
  // Which piece a distance lies in, again and again, and how far in it.
  const auto find = [](double s) {
    size_t i = 0;
    while (s > legs()[i].length_m) s -= legs()[i].length_m, i = (i + 1) % legs().size();
    return std::pair(i, s);
  };
  const auto curvature = [&](double s) {
    const auto [i, in] = find(s);
    const Leg& leg = legs()[i];
    return leg.angle * swell(in / leg.length_m) / (leg.length_m * (1 - kEaseIn));
  };
  const auto speed = [&](double s) {
    if (speed_m_s > 0) return speed_m_s;
    const auto [i, in] = find(s);
    const double before = s > legs().front().length_m
                              ? legs()[(i + legs().size() - 1) % legs().size()].speed_m_s
                              : legs()[i].speed_m_s;
    return before + (legs()[i].speed_m_s - before) * smooth(in / kChange_m);
  };
  return Course(length_m, curvature, speed);
}

}  // namespace sinew

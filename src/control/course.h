#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/math.h"

namespace sinew {

// A line on the ground to follow, with the speed at each place. It begins at the origin along +X.
class Course {
 public:
  // A place of it: distance along it from the beginning.
  struct Place {
    double x = 0, y = 0;
    double heading = 0;    // rad, from X to Y
    double curvature = 0;  // 1/m, positive to the left
    double speed_m_s = 0;
  };

  // From its curvature and speed as functions of the distance; goes on straight beyond its length.
  Course(double length_m, const std::function<double(double s)>& curvature,
         const std::function<double(double s)>& speed_m_s);

  Place at(double s) const;
  // The distance along the course that is nearest to a point, near a guess.
  double nearest(const Vec3& p_W, double guess) const;
  // How far a point is to the left of the place at s.
  double offset(const Vec3& p_W, double s) const;
  double length_m() const { return kSpacing_m * static_cast<double>(places_.size() - 1); }

 private:
  static constexpr double kSpacing_m = 0.05;
  std::vector<Place> places_;
};

// Straight on.
Course straight_course(double length_m, double speed_m_s);
// Between gates 12.5 m apart: 1.5 m to either side over 25 m (Hodgins and Pollard 1997, Figure 11), after a
// straight beginning.
Course slalom_course(double length_m, double speed_m_s);
// Turns of a quarter and of a half circle to both sides with straights between, at speeds that change from 3
// to 8 m/s (or one speed, if it is above 0): "straight riding, turning, and speed changes" (section 4.3.2).
Course turning_course(double length_m, double speed_m_s);

}  // namespace sinew

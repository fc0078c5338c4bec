#include "qp/qp.h"

#include <algorithm>
#include <limits>

namespace sinew {

QpProblem make_qp(int variables, int rows) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {MatX::Zero(variables, variables),
          VecX::Zero(variables),
          MatX::Zero(rows, variables),
          VecX::Constant(rows, -kInfinity),
          VecX::Constant(rows, kInfinity),
          VecX::Constant(variables, -kInfinity),
          VecX::Constant(variables, kInfinity),
          VecX()};
}

const char* to_string(QpStatus status) {
  switch (status) {
    case QpStatus::kOptimal:
      return "optimal";
    case QpStatus::kRelaxed:
      return "relaxed";
    case QpStatus::kInfeasible:
      return "infeasible";
    case QpStatus::kNotConvex:
      return "not convex";
    case QpStatus::kIterationLimit:
      return "iteration limit";
    case QpStatus::kInaccurate:
      return "inaccurate";
    case QpStatus::kBadNumber:
      return "bad number";
  }
  return "unknown";
}

double QpResiduals::largest() const {
  return std::max(std::max(stationarity, primal), std::max(dual, complementarity));
}

}  // namespace sinew

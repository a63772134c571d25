#include "analysis/points/pyramid.h"

#include <cmath>

namespace kith::points {
Result<std::vector<Level>> PyramidLevels(int coarsest, int finest, double delta, Metric metric, double epsilon) {
  if (coarsest < 0 || finest > 12 || coarsest > finest)
    return InvalidArgument("the levels of a pyramid lie between 0 and 12, the coarsest first");
  if (!(delta > 0 && std::isfinite(delta))) return InvalidArgument("delta must be a positive number");
  if (!(epsilon > 0 && std::isfinite(epsilon))) return InvalidArgument("epsilon must be a positive number");
  std::vector<Level> levels;
  double sum = 0;
  for (int l = coarsest; l <= finest; ++l) {
    Level level{l, 0, 0, 0};
    level.sensitivity = HatSensitivity2(delta, level.cells(), metric);
    level.epsilon = std::cbrt(static_cast<double>(level.nodes()) * level.sensitivity * level.sensitivity);
    sum += level.epsilon;
    levels.push_back(level);
  }
  for (Level& level : levels) {
    level.epsilon = epsilon * (level.epsilon / sum) * (1 - 1e-15 * static_cast<double>(levels.size()));
    level.scale = level.sensitivity / level.epsilon;
  }
  return levels;
}

}  // namespace kith::points

#include "published/secret.h"

#include <algorithm>

#include "base/check.h"

namespace kith::published {

std::size_t GridPoints(std::span<const Axis> axes) {
  std::size_t points = 1;
  for (const Axis& axis : axes) points *= axis.size();
  return points;
}

namespace {

Axis Coordinates(std::span<const Atoms> laws, std::size_t k) {
  Axis axis;
  for (const Atoms& law : laws) {
    for (const Atom& atom : law) axis.push_back(atom.at[k]);
  }
  std::sort(axis.begin(), axis.end());
  axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
  return axis;
}

std::size_t Position(const std::vector<Axis>& axes, const std::vector<double>& at) {
  std::size_t position = 0;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto found = std::lower_bound(axes[k].begin(), axes[k].end(), at[k]);
    position = position * axes[k].size() + static_cast<std::size_t>(found - axes[k].begin());
  }
  return position;
}

}  // namespace

Result<Secret> OnGrid(std::size_t record, std::vector<double> prior, std::span<const Atoms> laws) {
  KITH_CHECK(!laws.empty() && !laws[0].empty());
  Secret secret{record, std::move(prior), {}, {}};
  const std::size_t dimension = laws[0][0].at.size();
  double points = 1;  // as a number that cannot wrap
  for (std::size_t k = 0; k < dimension; ++k) {
    secret.axes.push_back(Coordinates(laws, k));
    points *= static_cast<double>(secret.axes.back().size());
  }
  if (points > static_cast<double>(kMostGridPoints)) {
    return InvalidArgument("the answers have too many different coordinates to try every output", "query",
                           "ask for fewer numbers at once, or merge values");
  }
  for (const Atoms& law : laws) {
    std::vector<double>& on_grid = secret.given.emplace_back(GridPoints(secret.axes), 0.0);
    for (const Atom& atom : law) {
      KITH_CHECK(atom.at.size() == dimension);
      on_grid[Position(secret.axes, atom.at)] += atom.p;
    }
  }
  return secret;
}

}  // namespace kith::published

// Figure 9 (a): how well noisy k-means centroids sort people who were not used to compute them.
// Source: Liu, Chakraborty, Mittal 2016, section VII-B1 (4/5 of the data for the centroids, 1/5 to sort).
#pragma once
#include "experiment/figure.h"
#include "experiment/methods.h"

namespace kith::experiment {

/// Points in the unit cube, one after another.
struct Cloud {
  std::vector<double> points;
  std::size_t dimension = 2;

  std::size_t size() const { return points.size() / dimension; }
};

/// The largest share of places where two labellings with names below `clusters` agree, over all ways to rename.
/// Requires: as many labels in both, at least one; clusters <= 16.
double Agreement(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b, std::size_t clusters);

/// Accuracy: agreement with the exact centroids of the same training part, on the test part. The published methods add
/// noise to those centroids for fixed clusters, which is not private; kith's methods take noisy Lloyd steps.
/// Fails: kCancelled; kInvalidArgument if there are fewer than ten points per cluster; as World.
Result<Figure> Fig9a(const Cloud& cloud, std::size_t clusters, Noise& noise, const Settings& settings,
                     const CancelFlag& cancel);

}  // namespace kith::experiment

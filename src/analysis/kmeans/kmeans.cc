#include "analysis/kmeans/kmeans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/number_column.h"

namespace kith {
namespace {

using kmeans::Place;

// Cells of a grid in each direction, by the number of columns: some hundred in all, so that rows outweigh noise in
// them.
constexpr std::size_t kSides[] = {0, 64, 20, 7, 4};
constexpr std::size_t kCellsPerCluster = 4;
constexpr double kGrid = 1;          // its share, in shares of everything else
constexpr double kCell = 3;          // a grid cell counts from this many times its scale on
constexpr double kLastRound = 2;     // its share, in shares of the others: its noise stays in the answer
constexpr double kInertia = 0.3;     // share of the inertia, in shares of a round but the last
constexpr double kFewest = 2;        // a mean needs this many times the count's scale
constexpr double kAside = 1.0 / 16;  // how far from a centre another one is put
constexpr int kSquaresExponent = -20;
constexpr Int128 kMaxSteps = Int128{1} << 30;

std::optional<Error> OutOfRange(const KmeansOptions& options) {
  if (options.columns.empty() || options.columns.size() > KmeansOptions::kMaxColumns) {
    return InvalidArgument(fmt::format("k-means takes 1 to {} columns", KmeansOptions::kMaxColumns), {}, "name them")
        .For("kmeans.columns");
  }
  if (options.clusters < 2 || options.clusters > KmeansOptions::kMaxClusters) {
    return InvalidArgument(fmt::format("k-means makes 2 to {} clusters", KmeansOptions::kMaxClusters), {},
                           "for the middle of everything ask: SELECT avg(x), avg(y)");
  }
  if (options.steps && (*options.steps < 1 || *options.steps > KmeansOptions::kMaxSteps))
    return InvalidArgument(fmt::format("k-means takes 1 to {} Lloyd rounds", KmeansOptions::kMaxSteps), {},
                           "leave the number of steps out")
        .For("kmeans.steps");
  if (std::set<std::string>(options.columns.begin(), options.columns.end()).size() != options.columns.size())
    return InvalidArgument("a column is named twice", {}, "name each once");
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Kmeans>> Kmeans::Make(const KmeansOptions& options, const Policy& policy) {
  if (const auto error = OutOfRange(options)) return *error;
  std::vector<Axis> axes;
  std::vector<std::string> values;
  for (const std::string& name : options.columns) {
    const auto column = NumberColumnOf(name, policy);
    if (!column) return column.error();
    values.push_back(column->value);
    axes.push_back({name, column->middle, column->high - column->low, 0, 0, 0});
  }
  auto rows = PlanRows(values, options.where, policy);
  if (!rows) return rows.error();
  if (std::none_of(rows->charged.begin(), rows->charged.end(), [](bool cell) { return cell; })) {
    return Unsupported("nothing in these columns is secret: everybody can compute this without kith", {},
                       "name a secret column");
  }
  for (std::size_t j = 0; j < axes.size(); ++j) {
    axes[j].unit = rows->values[j].lattice.step() / axes[j].width;
    axes[j].low = static_cast<double>(rows->values[j].low) * axes[j].unit;
    axes[j].high = static_cast<double>(rows->values[j].high) * axes[j].unit;
    if (2 * rows->max_rows * rows->values[j].Largest() > Sensitivity::kMax) {
      return Unsupported("one unit could change a cluster by more than kith can hide", axes[j].name,
                         "declare tighter bounds, or a smaller max_rows, in the policy");
    }
  }
  return std::unique_ptr<Kmeans>(new Kmeans(options, std::move(axes), std::move(*rows)));
}

Kmeans::Kmeans(const KmeansOptions& options, std::vector<Axis> axes, Rows rows)
    : options_(options), axes_(std::move(axes)), rows_(std::move(rows)) {
  Place low, high;
  for (const Axis& axis : axes_) {
    low.push_back(axis.low);
    high.push_back(axis.high);
  }
  start_ = kmeans::Spread(options_.clusters, low, high);
  if (axes_.size() < std::size(kSides)) {
    const double cells = std::pow(static_cast<double>(kSides[axes_.size()]), static_cast<double>(axes_.size()));
    if (cells >= static_cast<double>(kCellsPerCluster * options_.clusters)) side_ = kSides[axes_.size()];
  }
  steps_ = options_.steps.value_or(side_ > 0 ? 1 : KmeansOptions::kDefaultSteps);
  // If the clusters were equal cubes that fill the box, no row would be farther from its centre than half a diagonal.
  const auto dimensions = static_cast<double>(axes_.size());
  const double square = dimensions / 4 * std::pow(static_cast<double>(options_.clusters), -2 / dimensions);
  for (squares_.exponent = kSquaresExponent;; ++squares_.exponent) {
    largest_square_ = static_cast<Int128>(std::ceil(square / squares_.step()));
    if (rows_.max_rows * largest_square_ <= kMaxSteps) break;
  }
  // A mean errs by (noise of the sum - offset * noise of the count) / size, where the offset is that of the mean from
  // the middle of the range. With L1 sensitivities 1 and 2 (in scaled units), and offsets whose square is 1/12, those
  // of a uniform law, the variance is least if the count has (d/3)^(1/3) times the share of a sum.
  const double count = std::cbrt(dimensions / 3);
  if (side_ > 0) weights_.push_back({kGrid * (static_cast<double>(steps_ - 1) + kLastRound + kInertia)});
  for (std::size_t step = 0; step < steps_; ++step) {
    const bool last = step + 1 == steps_;
    const double share = (last ? kLastRound : 1) / (count + dimensions);
    std::vector<double> weights(axes_.size() + 1, share);
    weights[0] = count * share;
    weights_.push_back(std::move(weights));
  }
  weights_.push_back({kInertia});
}

std::string Kmeans::Normalised() const {
  return fmt::format("kmeans of {} into {} in {} steps{}", rows_.normalised, options_.clusters, steps_,
                     side_ > 0 ? fmt::format(" from a grid of {} in each direction", side_) : "");
}

bool Kmeans::HasSize(const NoisyRound& round, std::size_t cluster) const {
  return round.At(cluster, 0) > kFewest * round.scales[0];
}

bool Kmeans::HasMean(const NoisyRound& round, std::size_t cluster) const {
  if (!HasSize(round, cluster)) return false;
  for (std::size_t j = 0; side_ > 0 && j < axes_.size(); ++j) {
    const double scale = round.scales[j + 1] / axes_[j].width / round.At(cluster, 0);
    if (scale > 0.5 / static_cast<double>(side_)) return false;
  }
  return true;
}

std::vector<Place> Kmeans::OfGrid(const NoisyRound& grid) const {
  std::vector<double> counts;
  for (std::size_t cell = 0; cell < grid.noisy.size(); ++cell) counts.push_back(grid.At(cell, 0));
  Place low, high;
  for (const Axis& axis : axes_) {
    low.push_back(axis.low);
    high.push_back(axis.high);
  }
  return kmeans::OfGrid(options_.clusters, side_, counts, kCell * grid.scales[0], low, high);
}

// Two centres at one place would leave one of them without rows forever.
void Kmeans::Separate(std::vector<Place>& centres) const {
  for (std::size_t c = 1; c < centres.size(); ++c) {
    const auto end = centres.begin() + static_cast<std::ptrdiff_t>(c);
    for (int tries = 0; tries < 64 && std::find(centres.begin(), end, centres[c]) != end; ++tries) {
      const std::size_t j = (c + static_cast<std::size_t>(tries)) % axes_.size();
      const double moved = centres[c][j] + kAside;
      centres[c][j] = moved <= axes_[j].high ? moved : centres[c][j] - 3 * kAside / 2;
    }
  }
}

std::vector<Place> Kmeans::Next(const std::vector<Place>& centres, const NoisyRound& round, bool last) const {
  std::vector<Place> next = centres;
  std::size_t largest = 0;
  for (std::size_t c = 0; c < centres.size(); ++c) {
    if (round.At(c, 0) > round.At(largest, 0)) largest = c;
    for (std::size_t j = 0; HasMean(round, c) && j < axes_.size(); ++j) {
      const double mean = round.At(c, j + 1) / axes_[j].width / round.At(c, 0);
      next[c][j] = std::clamp(mean, axes_[j].low, axes_[j].high);
    }
  }
  for (std::size_t c = 0, moved = 0; !last && side_ == 0 && c < centres.size(); ++c) {
    if (HasMean(round, c) || !HasMean(round, largest)) continue;
    const std::size_t j = moved / 2 % axes_.size();
    const double aside = (moved++ % 2 == 0 ? 1 : -1) * kAside;
    next[c] = next[largest];
    next[c][j] = std::clamp(next[c][j] + aside, axes_[j].low, axes_[j].high);
  }
  if (!last) Separate(next);
  return next;
}

std::vector<Place> Kmeans::CentresBefore(std::span<const NoisyRound> before) const {
  const std::size_t first = first_step(), end = first + steps_;
  std::vector<Place> centres = first > 0 && !before.empty() ? OfGrid(before[0]) : start_;
  for (std::size_t r = first; r < std::min(before.size(), end); ++r) centres = Next(centres, before[r], r + 1 == end);
  return centres;
}

}  // namespace kith

// k-means by noisy Lloyd rounds: each round assigns every row to the nearest centre, and only noisy counts and sums of
// the clusters leave the engine; the next centres are made of those. Rows are compared in scaled coordinates, in which
// every column's declared range has length 1. With up to four columns a first round counts the rows in the cells of a
// grid, and the Lloyd rounds start from k-means of the noisy cells (Su, Cao, Li, Bertino, Jin 2016: the hybrid); with
// more of them, where cells would be empty or coarse, from places spread evenly over the box.
//
// The centres of exact k-means cannot be released with little noise: one record can move them across the whole range.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/kmeans/start.h"
#include "policy/policy.h"
#include "query/rows.h"

namespace kith {

struct KmeansOptions {
  std::vector<std::string> columns;  // whole or real numbers with declared bounds
  std::size_t clusters = 0;
  std::optional<std::size_t> steps;  // nothing: one after a start from a grid, otherwise kDefaultSteps
  std::string where;                 // a condition as in SQL; may be empty

  static constexpr std::size_t kDefaultSteps = 4;
  static constexpr std::size_t kMaxClusters = 256, kMaxSteps = 50, kMaxColumns = 64;
};

class Kmeans final : public Analysis {
 public:
  /// Fails: kInvalidArgument (no column, a column twice, without bounds or no number, clusters or steps out of range),
  /// kUnsupportedQuery (a condition that kith does not know; nothing in it is secret).
  static Result<std::unique_ptr<Kmeans>> Make(const KmeansOptions& options, const Policy& policy);

  std::string Normalised() const override;
  const std::vector<std::vector<double>>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return rows_.charged; }
  /// Ensures [KMEANS-1]: replacing one unit's record changes the counts of all clusters together by at most their
  /// sensitivity, and so each column's sums, and the counts of the grid's cells; and the inertia by its own.
  Result<Plan> Round(std::span<const NoisyRound> before) const override;
  /// One row for each cluster: number, size, centre. The details have the inertia and the path of the centres.
  Result<Findings> Conclude(std::span<const NoisyRound> rounds) const override;

  /// What a round's noisy answer makes of the centres: means, kept inside the box. A cluster whose noisy size is below
  /// its noise has no mean: its centre moves next to the largest cluster's, or stays if this is the last round. After a
  /// grid it stays in any case, and so does one whose mean would be less exact than half a cell.
  std::vector<kmeans::Place> Next(const std::vector<kmeans::Place>& centres, const NoisyRound& round, bool last) const;
  /// The centres before the round number `before.size()`, in scaled coordinates.
  std::vector<kmeans::Place> CentresBefore(std::span<const NoisyRound> before) const;

  struct Axis {  // one column: scaled = steps * unit; 0 is at `middle`
    std::string name;
    double middle = 0, width = 0;
    double unit = 0;
    double low = 0, high = 0;  // scaled
  };
  const std::vector<Axis>& axes() const { return axes_; }
  /// Grid cells in each direction; 0: there is no round for a grid.
  std::size_t side() const { return side_; }

 private:
  Kmeans(const KmeansOptions& options, std::vector<Axis> axes, Rows rows);
  sql::Statement Distances(const std::vector<kmeans::Place>& centres) const;
  sql::Statement StepOf(const std::vector<kmeans::Place>& centres) const;
  sql::Statement InertiaOf(const std::vector<kmeans::Place>& centres) const;
  sql::Statement GridOf() const;
  Result<Plan> GridRound() const;
  std::vector<kmeans::Place> OfGrid(const NoisyRound& grid) const;
  std::size_t first_step() const { return side_ > 0 ? 1 : 0; }  // its round
  Result<Plan> InertiaRound(std::span<const NoisyRound> before) const;
  bool HasSize(const NoisyRound& round, std::size_t cluster) const;
  bool HasMean(const NoisyRound& round, std::size_t cluster) const;
  void Separate(std::vector<kmeans::Place>& centres) const;
  std::vector<Value> RowOf(const NoisyRound& last, const kmeans::Place& centre, std::size_t cluster) const;
  std::vector<std::optional<double>> BarsOf(const NoisyRound& last, const kmeans::Place& centre,
                                            std::size_t cluster) const;
  JsonValue Details(std::span<const NoisyRound> rounds) const;

  KmeansOptions options_;
  std::size_t side_ = 0, steps_ = 0;
  std::vector<Axis> axes_;
  Rows rows_;
  Lattice squares_;            // on which squared distances are counted
  Int128 largest_square_ = 0;  // of a row, in lattice steps; rows farther away count as this far
  std::vector<kmeans::Place> start_;
  std::vector<std::vector<double>> weights_;
};

}  // namespace kith

// Counts on one or several levels of a grid, by hat functions or in cells, each with its part of the price.
#pragma once
#include <optional>

#include "analysis/points/counts.h"
#include "analysis/points/study.h"

namespace kith::points {

class GridStudy final : public Study {
 public:
  /// `several`: a pyramid, or one level. Without `finest` it is chosen by the number of points (depth.h): the public
  /// one, or else a noisy one that takes a fiftieth of the price.
  /// Fails: kUnsupportedQuery (cells where losses must be by distance, or a lattice too coarse for it),
  /// kInvalidArgument (one unit could change more than can be hidden).
  static Result<std::unique_ptr<Study>> Make(Positions positions, Ladder ladder, std::optional<int> finest,
                                             bool several);

  std::string Normalised() const override;
  const std::vector<double>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return positions_.charged(); }
  bool LosesByDistance() const override { return positions_.ByDistance(); }
  /// Counts in cells change by two, wherever a point goes.
  bool HidesAnyChange() const override { return ladder_.basis() == Basis::kCells; }
  Result<StudyOutline> Outline(std::span<const PlainUnits> shares) const override;
  /// Ensures [POINTS-8]: the loss between neighbours is at most the sum of the shares.
  Result<Findings> Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const override;

  struct Level {
    int log2_cells = 0;
    int shift = 0;             // counts are released in steps of 2^shift
    double step = 0;           // points in one such step
    std::int64_t moves = 0;    // how far neighbours' counts can be apart, in these steps, by moves
    std::int64_t appears = 0;  // by a point that appears or disappears; 0 if none can
  };
  /// Of a grid that was asked for: what is released. Otherwise: what can be chosen from.
  const std::vector<Level>& levels() const { return levels_; }
  /// The levels of a grid as fine as this, and their parts of a share. Ensures [POINTS-11]: the parts add up to no
  /// more.
  struct Plan {
    std::vector<Level> levels;
    std::vector<PlainUnits> shares;
  };
  Plan PlanFor(int finest, PlainUnits share) const;
  /// The finest level for this many points.
  int FinestFor(double points, PlainUnits share) const;
  /// The bounds of a level. Ensures [POINTS-6].
  static Result<Level> LevelOf(const Positions& positions, const Ladder& ladder, int log2_cells);
  /// Of each count: whether a point that appears or disappears can change it.
  std::vector<bool> NearSources(int log2_cells) const;

 private:
  GridStudy(Positions positions, Ladder ladder) : positions_(std::move(positions)), ladder_(ladder) {}
  bool Chosen() const { return !asked_; }
  double WeightOf(const Level& level) const;
  std::string LevelName(const Level& level) const;
  Result<StudyOutline> OutlineChosen(std::span<const PlainUnits> shares) const;
  Result<NoisePart> PartOfLevel(const Level& level, PlainUnits share) const;
  Result<NoisyLevel> Release(const Level& level, const std::vector<Int128>& exact, PlainUnits share,
                             BitSource& bits) const;
  bool HoldsSums() const;
  std::vector<double> ForSums(const Fit& fit) const;  // the counts that sums are made of
  Findings Conclude(const std::vector<NoisyLevel>& noisy, std::int64_t points) const;
  std::vector<std::string> Claims() const;
  JsonValue Details(const std::vector<NoisyLevel>& noisy, const Fit& fit, std::optional<double> total) const;

  Positions positions_;
  Ladder ladder_;
  bool asked_ = true;    // the number of grid cells
  bool several_ = true;  // levels
  std::vector<Level> levels_;
  std::vector<double> weights_;
};

}  // namespace kith::points

// Counts on one or several levels of a grid, by hat functions or in cells, each with its part of the price.
#pragma once
#include "analysis/points/counts.h"
#include "analysis/points/study.h"

namespace kith::points {

class GridStudy final : public Study {
 public:
  /// Levels `coarsest` .. `finest`. Fails: kUnsupportedQuery (cells where losses must be by distance, or a lattice too
  /// coarse for it), kInvalidArgument (one unit could change more than can be hidden).
  static Result<std::unique_ptr<Study>> Make(Positions positions, Ladder ladder, int coarsest, int finest);

  std::string Normalised() const override;
  const std::vector<double>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return positions_.charged(); }
  bool LosesByDistance() const override { return positions_.ByDistance(); }
  Result<StudyOutline> Outline(std::span<const PlainUnits> shares) const override;
  /// Ensures [POINTS-8]: the loss between neighbours is at most the sum of the shares.
  Result<Findings> Run(const Session& engine, std::span<const PlainUnits> shares, BitSource& bits,
                       const CancelFlag& cancel) const override;

  struct Level {
    int log2_cells = 0;
    int shift = 0;             // counts are released in steps of 2^shift
    double step = 0;           // points in one such step
    std::int64_t moves = 0;    // how far neighbours' counts can be apart, in these steps, by moves
    std::int64_t appears = 0;  // by a point that appears or disappears; 0 if none can
  };
  const std::vector<Level>& levels() const { return levels_; }
  /// The bounds of a level. Ensures [POINTS-6].
  static Result<Level> LevelOf(const Positions& positions, const Ladder& ladder, int log2_cells);
  /// Of each count: whether a point that appears or disappears can change it.
  std::vector<bool> NearSources(int log2_cells) const;

 private:
  GridStudy(Positions positions, Ladder ladder) : positions_(std::move(positions)), ladder_(ladder) {}
  std::string LevelName(const Level& level) const;
  Result<NoisyLevel> Release(const Level& level, const std::vector<Int128>& exact, PlainUnits share,
                             BitSource& bits) const;
  Findings Conclude(const std::vector<NoisyLevel>& noisy, std::int64_t points) const;
  JsonValue Details(const std::vector<NoisyLevel>& noisy, const Fit& fit, std::optional<double> total) const;

  Positions positions_;
  Ladder ladder_;
  std::vector<Level> levels_;
  std::vector<double> weights_;
};

}  // namespace kith::points

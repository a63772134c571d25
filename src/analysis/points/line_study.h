// One dimension, with a metric unit and without sources: what changes little when a point moves a little. Prefix
// counts, means of groups of sorted points, quantiles.
// Source: docs/theory/mechanisms.md#points.  Claims: claims/points.md
#pragma once
#include "analysis/points/study.h"
#include "mechanism/noise.h"

namespace kith::points {

class LineStudy final : public Study {
 public:
  /// Fails: kInvalidArgument (cells, groups or quantiles out of range), kUnsupportedQuery (no metric unit, sources, or
  /// prefix counts where losses must be by distance).
  static Result<std::unique_ptr<Study>> Make(Positions positions, Method method, const PointsOptions& options);

  std::string Normalised() const override;
  const std::vector<double>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return positions_.charged(); }
  bool LosesByDistance() const override { return positions_.ByDistance(); }
  Result<StudyOutline> Outline(std::span<const PlainUnits> shares) const override;
  /// Ensures [POINTS-9]: the loss between neighbours is at most the share.
  Result<Findings> Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const override;

  /// How many points are at each position: all that is read of the data.
  using Histogram = std::vector<std::int64_t>;
  /// The exact numbers that get noise: prefix counts, sums of groups, or sums of the positions around ranks (each rank
  /// once, no point twice).
  std::vector<std::int64_t> Exact(const Histogram& histogram, std::int64_t points) const;
  /// How far apart neighbours' numbers are, in L1.
  std::int64_t sensitivity() const { return sensitivity_; }

 private:
  LineStudy(Positions positions, Method method) : positions_(std::move(positions)), method_(method) {}
  Result<Noise> LawFor(PlainUnits share) const;
  std::vector<std::int64_t> Ranks(std::int64_t points) const;
  /// The points whose mean represents a quantile: first and last rank.
  struct Window {
    std::int64_t first = 0, last = 0;
    std::int64_t size() const { return last - first + 1; }
  };
  std::vector<Window> Windows(std::int64_t points) const;
  Findings Cumulative(const std::vector<double>& noisy, const Noise& law, double points) const;
  Findings Groups(const std::vector<double>& noisy, const Noise& law, std::int64_t points) const;
  Findings Quantiles(const std::vector<double>& noisy, double bar, std::int64_t points) const;
  struct CurvePoint {
    double x = 0, count = 0;
    double misfit = 0;  // about how far the count may be off, apart from its noise
    double rough = 0;   // and a count halfway to the next point, by how much neighbours differ
  };
  JsonValue Curve(const std::vector<CurvePoint>& points, double deviation) const;
  double InColumn(double position) const { return positions_.axes()[0].InColumn(position); }

  Positions positions_;
  Method method_;
  std::size_t cells_ = 0, groups_ = 0;
  std::vector<double> quantiles_;
  std::int64_t sensitivity_ = 0;
  std::vector<double> weights_ = {1};
};

}  // namespace kith::points

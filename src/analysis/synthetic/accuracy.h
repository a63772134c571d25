// How far a drawn table is from the data, and how sure that is. Internal to this folder.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/int128.h"
#include "mechanism/noise.h"

namespace kith::synthetic {

/// Counts of one table that got discrete Laplace noise.
struct NoisyTable {
  double sum = 0;         // of its noisy counts
  std::size_t cells = 0;  // each with its own noise
  double scale = 0;       // of the noise; 0: none
};

/// How many rows there are, and how far that is off.
struct CountedRows {
  double rows = 0, error = 0;
};

/// All tables together, each by its variance. Requires: the tables count the same rows, and which tables these are does
/// not depend on their noise. Ensures [SYNTH-4]: with this confidence `rows` is off by at most `error`.
CountedRows RowsOf(std::span<const NoisyTable> tables, double confidence);

/// The L1 distance of exact counts from those of the drawn rows, scaled to `rows` rows from as many as were drawn.
class Apart {
 public:
  explicit Apart(double rows);
  void Add(std::span<const std::int64_t> exact, std::span<const std::int64_t> drawn);

  Int128 sum() const { return sum_; }
  /// How much of it is due to rounding, at most: known without the data.
  double rounding() const { return rounding_; }
  /// The whole number of rows at which counts are compared.
  double rows() const { return rows_; }

 private:
  double rows_, rounding_ = 0;
  Int128 sum_ = 0;
};

/// A total variation, from 0 to 1.
struct Variation {
  double value = 0, error_95 = 0;
  bool nothing = false;  // the bar covers all that is possible
};

/// Half of the 5 % is for the noise of the distance, and half for that of the number of rows.
inline constexpr double kEachPart = 0.975;

/// The mean total variation over this many tables, by their noisy distance. `counted`: at a confidence of kEachPart.
/// Ensures [SYNTH-4]: the bar holds with 95 % probability, if there is a row.
Variation VariationOf(const Apart& apart, Int128 noisy, const Noise& noise, const CountedRows& counted,
                      std::size_t tables);

}  // namespace kith::synthetic

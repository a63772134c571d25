// Finite laws of an answer before noise, given each value of one record: what every exact formula here starts from.
// Double arithmetic throughout this folder, not rounded to the safe side: it computes published formulas and
// comparators, and audits them; no released noise scale comes from here.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"

namespace kith::published {

/// Coordinates that an answer can take, increasing.
using Axis = std::vector<double>;

/// Rows of equal length.
using Matrix = std::vector<std::vector<double>>;

/// A point that has probability p.
struct Atom {
  std::vector<double> at;
  double p = 0;
};
using Atoms = std::vector<Atom>;

/// What an answer can reveal about one record: the law of the answer given each value that the record can have.
struct Secret {
  std::size_t record = 0;
  std::vector<double> prior;  // of each value; empty where only conditional laws are declared
  std::vector<Axis> axes;     // one for each coordinate of the answer
  std::vector<std::vector<double>>
      given;  // one law for each value, on the grid of the axes; the last axis varies fastest
};

/// Answers are laid on the grid of all their coordinates; it may have at most this many points.
inline constexpr std::size_t kMostGridPoints = std::size_t{1} << 20;

std::size_t GridPoints(std::span<const Axis> axes);

/// Lays laws out on one grid: laws[t] is that of the answer given value t.
/// Requires: at least one law, at least one atom in each, all points of the same dimension.
/// Fails: kInvalidArgument if the grid has more than kMostGridPoints.
Result<Secret> OnGrid(std::size_t record, std::vector<double> prior, std::span<const Atoms> laws);

}  // namespace kith::published

// What to measure so that all questions of a table are answered well: the matrix mechanism with marginals and blocks of
// ordered columns. Everything follows from the questions and the policy; no data are read. docs/theory/workload.md
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "workload/chain.h"
#include "workload/table_view.h"

namespace kith::workload {

/// What counting the cells that some columns distinguish would take.
struct Sensitivity {
  double change = 0;  // of all cells together, by what the budget counts; 0: a public fact, which costs nothing
};

/// One table of counts, each with its own noise.
struct Measured {
  Levels levels;
  double share = 0;      // of the budget of its group; of public facts: 0
  double variance = 0;   // of the noise of a cell; 0: exact
  double precision = 0;  // product of block sizes / variance

  bool exact() const { return variance == 0; }
};

/// A question of a group, as the choice needs it.
struct Wanted {
  const TableQuestion* question = nullptr;
  std::vector<double> alone;  // of each statistic: the variance of a cell if it is asked by itself
  double weight = 1;
};

struct Strategy {
  std::vector<Chain> chains;  // of all attributes
  std::vector<Measured> measured;
};

/// The precision that the measured tables have together of each part of a question; remembers what was asked for.
class Precisions {
 public:
  explicit Precisions(std::vector<Measured> measured) : measured_(std::move(measured)) {}
  double At(const Levels& part);
  const std::vector<Measured>& measured() const { return measured_; }

 private:
  std::vector<Measured> measured_;
  std::map<Levels, double> known_;
};

/// Squared lengths of a sum's rows, side by side; equal ones are listed once.
struct Shape {
  struct SideShape {
    std::size_t attribute = 0;
    std::vector<double> mean;               // over all rows: per level
    std::vector<std::vector<double>> rows;  // different ones: per level
    std::vector<std::size_t> first;         // a row of the side for each of them
  };
  std::vector<SideShape> sides;
  double outside = 1;  // the values of all other columns: every one of them counts
};
Shape ShapeOf(const Sum& sum, const std::vector<Chain>& chains);

/// Of the least-squares answer: the mean over all rows, and the largest with the rows of the sides that have it.
struct Variances {
  double mean = 0, largest = 0;
  std::vector<std::size_t> rows;
};
Variances VariancesOf(const Shape& shape, const Levels& top, Precisions& precisions);

/// What a set of attributes can be measured at; nothing: not at all.
using Probe = std::function<std::optional<Sensitivity>(const std::vector<bool>& attributes)>;

/// The tables and shares (dyadic, at most 1 together) with the smallest weighted sum of variances, each relative to
/// that of the question by itself, as far as a search finds it. Variances are those of continuous noise for a budget of
/// 1. `chains`: those to use; nullptr: the best of several. Nothing: no candidate answers all. Requires: attributes of
/// `view` that questions do not read may be there.
std::optional<Strategy> ChooseStrategy(const TableView& view, const std::vector<Wanted>& wanted, const Probe& probe,
                                       const std::vector<Chain>* chains = nullptr);

}  // namespace kith::workload

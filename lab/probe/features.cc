#include "probe/features.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

namespace kith::probe {
namespace {

constexpr std::size_t kMostAlone = 12;     // answers that are used one by one
constexpr std::size_t kMostPaired = 5;     // answers that are used in pairs
constexpr std::size_t kMostTogether = 64;  // answers that are weighed together
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

using Half = std::span<const Outcome>;

double Number(const Outcome& outcome, std::size_t index) {
  return index < outcome.numbers.size() ? outcome.numbers[index] : kMissing;
}

// Edges that divide the values of both sides into about `cells` parts of equal weight.
std::vector<double> Edges(Half left, Half right, std::size_t index, std::size_t cells) {
  std::vector<double> values, edges;
  for (const Half half : {left, right}) {
    for (const Outcome& outcome : half) {
      if (!std::isnan(Number(outcome, index))) values.push_back(Number(outcome, index));
    }
  }
  std::sort(values.begin(), values.end());
  for (std::size_t k = 1; k < cells && !values.empty(); ++k) edges.push_back(values[k * values.size() / cells]);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::size_t CellOf(const std::vector<double>& edges, double value) {
  if (std::isnan(value)) return edges.size() + 1;  // its own cell
  return static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), value) - edges.begin());
}

// How much likelier each cell was on the left, in the first half.
class Weights {
 public:
  Weights(Half left, Half right, std::vector<std::size_t> indices, std::size_t cells_each)
      : indices_(std::move(indices)) {
    std::size_t cells = 1;
    for (const std::size_t index : indices_) {
      edges_.push_back(Edges(left, right, index, cells_each));
      cells *= edges_.back().size() + 2;
    }
    std::vector<double> seen_left(cells, 0.5), seen_right(cells, 0.5);
    for (const Outcome& outcome : left) ++seen_left[Cell(outcome)];
    for (const Outcome& outcome : right) ++seen_right[Cell(outcome)];
    for (std::size_t c = 0; c < cells; ++c) weight_.push_back(std::log(seen_left[c] / seen_right[c]));
  }

  double operator()(const Outcome& outcome) const { return weight_[Cell(outcome)]; }

 private:
  std::size_t Cell(const Outcome& outcome) const {
    std::size_t cell = 0;
    for (std::size_t k = 0; k < indices_.size(); ++k) {
      cell = cell * (edges_[k].size() + 2) + CellOf(edges_[k], Number(outcome, indices_[k]));
    }
    return cell;
  }
  std::vector<std::size_t> indices_;
  std::vector<std::vector<double>> edges_;
  std::vector<double> weight_;
};

// The slope of the first answer over the second one on the left: what is left after it shows noise that was used twice,
// even at different scales.
double Slope(Half half, std::size_t i, std::size_t j) {
  double n = 0, mean_i = 0, mean_j = 0, both = 0, own = 0;
  for (const Outcome& outcome : half) {
    const double a = Number(outcome, i), b = Number(outcome, j);
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    ++n;
    const double step = b - mean_j;
    mean_i += (a - mean_i) / n;
    mean_j += step / n;
    both += step * (a - mean_i);
    own += step * (b - mean_j);
  }
  return own > 0 && std::isfinite(both / own) ? both / own : 0;
}

void AddPair(Half left, Half right, std::size_t i, std::size_t j, std::vector<Feature>& features) {
  const std::string a = "answer " + std::to_string(i + 1), b = "answer " + std::to_string(j + 1);
  features.push_back(
      {"pair of answers", a + " minus " + b, [i, j](const Outcome& o) { return Number(o, i) - Number(o, j); }});
  features.push_back(
      {"pair of answers", a + " plus " + b, [i, j](const Outcome& o) { return Number(o, i) + Number(o, j); }});
  const double slope = Slope(left, i, j);
  features.push_back({"pair of answers", a + " minus " + std::to_string(slope) + " times " + b,
                      [i, j, slope](const Outcome& o) { return Number(o, i) - slope * Number(o, j); }});
  const auto weights = std::make_shared<const Weights>(left, right, std::vector{i, j}, std::size_t{10});
  features.push_back(
      {"pair of answers", "weight of " + a + " and " + b, [weights](const Outcome& o) { return (*weights)(o); }});
}

}  // namespace

double LowestDigit(double value) {
  if (value == 0 || !std::isfinite(value)) return kMissing;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const auto digits = static_cast<std::uint64_t>(std::ldexp(std::abs(mantissa), 53));
  return exponent - 53 + std::countr_zero(digits);
}

std::vector<Feature> Features(Half left, Half right) {
  std::size_t numbers = 0;
  for (const Half half : {left, right}) {
    for (const Outcome& outcome : half) numbers = std::max(numbers, outcome.numbers.size());
  }
  std::vector<Feature> features;
  features.push_back(
      {"shape", "how many numbers", [](const Outcome& o) { return static_cast<double>(o.numbers.size()); }});
  for (std::size_t i = 0; i < std::min(numbers, kMostAlone); ++i) {
    const std::string name = "answer " + std::to_string(i + 1);
    features.push_back({"single answer", name, [i](const Outcome& o) { return Number(o, i); }});
    features.push_back({"low-order digits", "lowest binary digit of " + name,
                        [i](const Outcome& o) { return LowestDigit(Number(o, i)); }});
  }
  for (std::size_t i = 0; i < std::min(numbers, kMostPaired); ++i) {
    for (std::size_t j = i + 1; j < std::min(numbers, kMostPaired); ++j) AddPair(left, right, i, j, features);
  }
  if (numbers < 2) return features;
  std::vector<Weights> each;
  for (std::size_t i = 0; i < std::min(numbers, kMostTogether); ++i) each.emplace_back(left, right, std::vector{i}, 16);
  features.push_back({"all answers", "weight of all answers", [each = std::move(each)](const Outcome& o) {
                        double sum = 0;
                        for (const Weights& weight : each) sum += weight(o);
                        return sum;
                      }});
  return features;
}

}  // namespace kith::probe

// The objective of objective perturbation,
//   J(w) = sum of loss(side_i * w.x_i) + (pull / 2) |w|^2 + push.w   on the box |w_j| <= kBox,
// its gradient with a proved bound on what rounding did to it, and its curvature. Templates over the arithmetic:
// double, or a wider type where double is not enough. Internal to the solver. Claims: claims/learn.md (LEARN-2 has the
// proof of the bound)
#pragma once
#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "analysis/learn/examples.h"
#include "analysis/learn/loss_shape.h"
#include "base/int128.h"

namespace kith::learn {

/// No weight is larger: so everything computed has a bound known beforehand.
inline constexpr double kBox = 1024;

struct Problem {
  const Examples& examples;
  Loss loss;
  double pull = 0;           // > 0
  std::vector<Int128> push;  // one for each weight, in steps
  int push_exponent = 0;     // a step is 2^push_exponent
};

/// What a pass over all rows finds.
template <class Real>
struct Seen {
  std::vector<Real> gradient;
  double error = 0;  // no less than the L2 distance of `gradient` from the true one at w
  double value = 0;  // of J, roughly: only the search looks at it
};

template <class Real>
class Objective {
 public:
  explicit Objective(const Problem& problem) : problem_(problem) {
    // A weight whose push is beyond this is on its side of the box whatever the rows are: a larger push is the same.
    const double enough = problem.pull * kBox + static_cast<double>(problem.examples.size());
    const auto most = static_cast<Int128>(std::ldexp(enough * (1 + 1e-9), -problem.push_exponent)) + 2;
    const Real step = ldexp(Real(1), problem.push_exponent);
    for (const Int128 push : problem.push) push_.push_back(Whole(std::clamp(push, -most, most)) * step);
  }

  const Problem& problem() const { return problem_; }

  Seen<Real> At(const std::vector<Real>& w) const {
    const std::size_t rows = problem_.examples.size();
    const std::size_t parts = rows < kRowsOfAPart ? 1 : std::clamp(std::thread::hardware_concurrency(), 1u, 16u);
    std::vector<Sums> sums(parts, Sums(w.size()));
    std::vector<std::thread> threads;
    for (std::size_t part = 1; part < parts; ++part)
      threads.emplace_back([&, part] { AddRows(w, rows * part / parts, rows * (part + 1) / parts, sums[part]); });
    AddRows(w, 0, rows / parts, sums[0]);
    for (std::thread& thread : threads) thread.join();
    for (std::size_t part = 1; part < parts; ++part) {
      for (std::size_t j = 0; j < w.size(); ++j) {
        sums[0].Add(j, sums[part].high[j]);
        sums[0].Add(j, sums[part].low[j]);
      }
      sums[0].value += sums[part].value;
    }
    return Complete(w, sums[0], rows / kBlock + 3 * parts);
  }

 private:
  static constexpr std::size_t kBlock = 256, kRowsOfAPart = 1 << 16;

  // Sums, with the errors of their additions.
  struct Sums {
    explicit Sums(std::size_t size) : high(size, Real(0)), low(size, Real(0)) {}
    void Add(std::size_t j, const Real& more) {
      const Real sum = high[j] + more;
      const Real part = sum - high[j];
      low[j] += (high[j] - (sum - part)) + (more - part);
      high[j] = sum;
    }
    std::vector<Real> high, low;
    double value = 0;
  };

  static double Rough(const Real& x) { return static_cast<double>(x); }

  static Real Whole(Int128 x) {
    const bool negative = x < 0;
    const auto size = static_cast<UInt128>(negative ? -x : x);
    const Real whole =
        Real(static_cast<std::uint64_t>(size >> 64)) * ldexp(Real(1), 64) + Real(static_cast<std::uint64_t>(size));
    return negative ? Real(-whole) : whole;
  }

  Real MarginOf(const std::vector<Real>& w, std::size_t row) const {
    const auto& attributes = problem_.examples.shape().attributes();
    const std::int16_t* values = problem_.examples.At(row);
    Real margin = 0;
    for (std::size_t k = 0; k < attributes.size(); ++k) {
      const Attribute& a = attributes[k];
      margin += a.categories == 0 ? Real(w[a.first] * (values[k] / double{Examples::kOne}))
                                  : w[a.first + static_cast<std::size_t>(values[k])];
    }
    return problem_.examples.Side(row) < 0 ? Real(-margin) : margin;
  }

  void AddRows(const std::vector<Real>& w, std::size_t begin, std::size_t end, Sums& sums) const {
    const auto& attributes = problem_.examples.shape().attributes();
    std::vector<Real> block(w.size());
    for (std::size_t row = begin; row < end;) {
      std::fill(block.begin(), block.end(), Real(0));
      double value = 0;
      for (const std::size_t last = std::min(end, row + kBlock); row < last; ++row) {
        const Real margin = MarginOf(w, row);
        value += LossAt(problem_.loss, Rough(margin));
        Real slope = Slope<Real>(problem_.loss, margin);
        if (problem_.examples.Side(row) > 0) slope = -slope;
        const std::int16_t* values = problem_.examples.At(row);
        for (std::size_t k = 0; k < attributes.size(); ++k) {
          const Attribute& a = attributes[k];
          if (a.categories == 0)
            block[a.first] += slope * (values[k] / double{Examples::kOne});
          else
            block[a.first + static_cast<std::size_t>(values[k])] += slope;
        }
      }
      for (std::size_t j = 0; j < w.size(); ++j) sums.Add(j, block[j]);
      sums.value += value;
    }
  }

  // Adds what does not depend on rows, and the bound of LEARN-2.
  Seen<Real> Complete(const std::vector<Real>& w, const Sums& sums, std::size_t additions) const {
    Seen<Real> seen;
    double w_square = 0, push_square = 0, linear = 0;
    for (std::size_t j = 0; j < w.size(); ++j) {
      seen.gradient.push_back(problem_.pull * w[j] + push_[j] + (sums.high[j] + sums.low[j]));
      w_square += Rough(w[j]) * Rough(w[j]);
      push_square += Rough(push_[j]) * Rough(push_[j]);
      linear += Rough(push_[j]) * Rough(w[j]);
    }
    seen.value = sums.value + problem_.pull / 2 * w_square + linear;
    const auto& attributes = problem_.examples.shape().attributes();
    double largest_margin = 0;
    for (const Attribute& a : attributes) {
      double largest = 0;
      for (std::size_t j = a.first; j < a.first + a.weights(); ++j) largest = std::max(largest, std::abs(Rough(w[j])));
      largest_margin += largest;
    }
    const auto terms = static_cast<double>(attributes.size()), n = static_cast<double>(problem_.examples.size());
    const double u = Rough(std::numeric_limits<Real>::epsilon()) / 2;
    const double twice = static_cast<double>(additions) * u;  // the error of summed errors is of second order
    const double of_a_row = CurvatureOf(problem_.loss) * (terms + 1) * largest_margin + kSlopeErrors<Real> + kBlock + 8;
    seen.error =
        1.01 *
        (u * (of_a_row * n * std::sqrt(terms) + 8 * (problem_.pull * std::sqrt(w_square) + std::sqrt(push_square))) +
         2 * twice * twice * n * std::sqrt(terms));
    return seen;
  }

  const Problem& problem_;
  std::vector<Real> push_;
};

}  // namespace kith::learn

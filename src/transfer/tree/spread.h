// What a part of a tree can reveal about one record: a bound for every pair of its values. Used by chains and trees.
// Source: docs/theory/transfer.md#tree.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace kith {

/// T(x, y): by how much log E[K | X = x] may exceed log E[K | X = y]. Zero on the diagonal.
class Spread {
 public:
  Spread() = default;
  /// `apart` for every two different values.
  Spread(std::size_t values, double apart);

  std::size_t values() const { return values_; }
  double operator()(std::size_t x, std::size_t y) const { return bounds_[x * values_ + y]; }
  double& operator()(std::size_t x, std::size_t y) { return bounds_[x * values_ + y]; }
  double Largest() const;

  /// Both together, rounded up. Requires: as many values.
  void Add(const Spread& other);
  /// Adds `loss` for every two different values.
  void Add(double loss);
  bool AtMost(const Spread& other) const;
  /// Every bound between different values a little larger: by the given part of itself and of `loss`.
  Spread Widened(double part, double loss) const;

 private:
  std::size_t values_ = 0;
  std::vector<double> bounds_;
};

/// How r_T is found for records of three and more values. For two values there is a closed form.
enum class SeveralValues {
  kLinearProgramme,  // exactly; up to four values by trying all kernels that can be best
  kLargest,          // as if every bound were the largest one: looser, fast
};

/// r_T: the largest log E_p[K] / E_q[K] over kernels with K(x) <= e^{T(x, y)} K(y).
/// `error` bounds the relative error of the probabilities handed in.
/// Ensures [TREE-2]: not below the true value.
double SpreadLoss(const Spread& spread, std::span<const double> p, std::span<const double> q, double error,
                  SeveralValues how);

}  // namespace kith

// Symmetric matrices of doubles: systems of equations and eigenvalues. By Eigen, which each file that includes it takes
// five seconds longer to compile: so one file does.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

namespace kith {

class SymmetricMatrix {
 public:
  /// Zeros.
  explicit SymmetricMatrix(std::size_t size) : size_(size), numbers_(size * size, 0.0) {}
  std::size_t size() const { return size_; }
  /// The numbers of row i and column j, and of row j and column i. i <= j: only those are kept, row by row.
  double& operator()(std::size_t i, std::size_t j) { return numbers_[i * size_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return numbers_[i * size_ + j]; }

 private:
  std::size_t size_;
  std::vector<double> numbers_;
};

/// The triangle of a positive definite matrix, with which systems of equations are solved.
class Cholesky {
 public:
  /// Nothing: the matrix is not positive definite, as far as doubles can tell.
  static std::optional<Cholesky> Of(const SymmetricMatrix& matrix);

  /// The x for which matrix * x = right.
  std::vector<double> Solve(std::vector<double> right) const;

 private:
  explicit Cholesky(std::size_t size) : size_(size), numbers_(size * size) {}

  std::size_t size_;
  std::vector<double> numbers_;  // the lower triangle, row by row
};

/// Eigenvalues, each within a few roundings of the largest one.
class Spectrum {
 public:
  explicit Spectrum(const SymmetricMatrix& matrix);

  /// Number k from below, k = 0, 1, ... Not a number if the matrix has numbers that are not finite.
  double At(std::size_t k) const;
  double Least() const { return At(0); }
  double Largest() const { return At(values_.size() - 1); }

 private:
  std::vector<double> values_;  // ascending
};

}  // namespace kith

// Symmetric matrices of doubles: systems of equations and eigenvalues. A library of templates would do the same, and
// take each file that includes it five seconds longer to compile.
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
  explicit Cholesky(const SymmetricMatrix& matrix);
  double* Row(std::size_t i) { return numbers_.data() + i * size_; }
  const double* Row(std::size_t i) const { return numbers_.data() + i * size_; }
  bool Factor();
  void FindTwoColumns(std::size_t i, std::size_t j);
  static constexpr std::size_t kTogether = 4;  // rows

  std::size_t size_;
  std::vector<double> numbers_;  // row by row; only the lower triangle has meaning
};

/// Single eigenvalues, each within a few roundings of the largest one.
class Spectrum {
 public:
  explicit Spectrum(SymmetricMatrix matrix);

  /// Number k from below, k = 0, 1, ... Not a number if the matrix has numbers that are not finite.
  double At(std::size_t k) const;
  double Least() const { return At(0); }
  double Largest() const { return At(diagonal_.size() - 1); }

 private:
  /// How many eigenvalues are below x.
  std::size_t Below(double x) const;

  // A tridiagonal matrix with the same eigenvalues; beside_[i] is between rows i and i + 1, squared.
  std::vector<double> diagonal_, beside_squared_;
  double bound_ = 0;  // no eigenvalue is larger in size
};

}  // namespace kith

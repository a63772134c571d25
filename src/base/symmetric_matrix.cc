#include "base/symmetric_matrix.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

namespace kith {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index IndexOf(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// Its lower triangle; the rest is 0.
Matrix LowerOf(const SymmetricMatrix& matrix) {
  Matrix lower = Matrix::Zero(IndexOf(matrix.size()), IndexOf(matrix.size()));
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = i; j < matrix.size(); ++j) lower(IndexOf(j), IndexOf(i)) = matrix(i, j);
  }
  return lower;
}

}  // namespace

std::optional<Cholesky> Cholesky::Of(const SymmetricMatrix& matrix) {
  const Matrix lower = LowerOf(matrix);
  if (!lower.allFinite()) return std::nullopt;
  const Eigen::LLT<Matrix, Eigen::Lower> factored(lower);
  if (factored.info() != Eigen::Success) return std::nullopt;
  Cholesky made(matrix.size());
  Eigen::Map<Matrix> kept(made.numbers_.data(), lower.rows(), lower.cols());
  kept = factored.matrixL();
  if (!kept.allFinite()) return std::nullopt;
  return made;
}

std::vector<double> Cholesky::Solve(std::vector<double> right) const {
  const Eigen::Map<const Matrix> lower(numbers_.data(), IndexOf(size_), IndexOf(size_));
  Eigen::Map<Eigen::VectorXd> x(right.data(), IndexOf(size_));
  lower.triangularView<Eigen::Lower>().solveInPlace(x);
  lower.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
  return right;
}

Spectrum::Spectrum(const SymmetricMatrix& matrix) : values_(matrix.size(), std::numeric_limits<double>::quiet_NaN()) {
  const Matrix lower = LowerOf(matrix);
  if (!lower.allFinite()) return;
  const Eigen::SelfAdjointEigenSolver<Matrix> solved(lower, Eigen::EigenvaluesOnly);  // reads the lower triangle
  if (solved.info() != Eigen::Success) return;
  for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = solved.eigenvalues()[IndexOf(k)];
}

double Spectrum::At(std::size_t k) const { return values_[k]; }

}  // namespace kith

#include "base/symmetric_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace kith {
namespace {

// B B' + 0.1, with numbers between -1 and 1 in B.
SymmetricMatrix RandomPositive(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> b(size * size);
  for (double& x : b) x = static_cast<double>(random() % 2001) / 1000 - 1;
  SymmetricMatrix matrix(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) {
      matrix(i, j) = i == j ? 0.1 : 0;
      for (std::size_t k = 0; k < size; ++k) matrix(i, j) += b[i * size + k] * b[j * size + k];
    }
  }
  return matrix;
}

std::vector<double> Times(const SymmetricMatrix& matrix, const std::vector<double>& x) {
  std::vector<double> product(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) product[i] += matrix(std::min(i, j), std::max(i, j)) * x[j];
  }
  return product;
}

// Sizes on both sides of those at which rows are taken together.
TEST(SymmetricMatrix, SystemsAreSolved) {
  for (const std::size_t size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 34, 35, 36, 37, 66, 101}) {
    const SymmetricMatrix matrix = RandomPositive(size, size);
    std::vector<double> x(size);
    for (std::size_t k = 0; k < size; ++k) x[k] = std::cos(static_cast<double>(k));
    const auto solver = Cholesky::Of(matrix);
    ASSERT_TRUE(solver) << size;
    const std::vector<double> found = solver->Solve(Times(matrix, x));
    for (std::size_t k = 0; k < size; ++k) EXPECT_NEAR(found[k], x[k], 1e-10) << size << " " << k;
  }
}

TEST(SymmetricMatrix, OnlyPositiveDefiniteOnesHaveATriangle) {
  SymmetricMatrix matrix(6);
  for (std::size_t k = 0; k < 6; ++k) matrix(k, k) = 2;
  EXPECT_TRUE(Cholesky::Of(matrix));
  for (const double wrong :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    SymmetricMatrix other = matrix;
    other(4, 4) = wrong;
    EXPECT_FALSE(Cholesky::Of(other)) << wrong;
  }
  matrix(1, 5) = 2.5;
  EXPECT_FALSE(Cholesky::Of(matrix));
}

// Of a path, 2 on the diagonal and -1 beside it, they are 2 - 2 cos(k pi / (n + 1)); turned by a reflection, all of its
// numbers are used.
TEST(SymmetricMatrix, EigenvaluesOfAPath) {
  for (const std::size_t size : {1, 2, 3, 4, 7, 30}) {
    const double n = static_cast<double>(size);
    const auto path = [](std::size_t i, std::size_t j) { return i == j ? 2.0 : i + 1 == j || j + 1 == i ? -1.0 : 0.0; };
    const auto mirror = [n](std::size_t i, std::size_t j) { return (i == j ? 1 : 0) - 2 / n; };  // 1 - 2 v v', |v| = 1
    SymmetricMatrix plain(size), turned(size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = i; j < size; ++j) {
        plain(i, j) = path(i, j);
        for (std::size_t a = 0; a < size; ++a) {
          for (std::size_t b = 0; b < size; ++b) turned(i, j) += mirror(i, a) * path(a, b) * mirror(b, j);
        }
      }
    }
    const Spectrum of_plain(plain), of_turned(turned);
    for (std::size_t k = 0; k < size; ++k) {
      const double exact = 2 - 2 * std::cos(static_cast<double>(k + 1) * std::numbers::pi / (n + 1));
      EXPECT_NEAR(of_plain.At(k), exact, 1e-14) << size << " " << k;
      EXPECT_NEAR(of_turned.At(k), exact, 1e-13) << size << " " << k;
    }
    EXPECT_EQ(of_plain.Least(), of_plain.At(0));
    EXPECT_EQ(of_plain.Largest(), of_plain.At(size - 1));
  }
}

TEST(SymmetricMatrix, EigenvaluesThatAreEqualZeroOrNotThere) {
  SymmetricMatrix ones(5);
  EXPECT_EQ(Spectrum(ones).Least(), 0);
  EXPECT_EQ(Spectrum(ones).Largest(), 0);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = i; j < 5; ++j) ones(i, j) = 1;
  }
  const Spectrum spectrum(ones);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(spectrum.At(k), 0, 1e-14);
  EXPECT_NEAR(spectrum.Largest(), 5, 1e-14);
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    ones(1, 4) = wrong;
    EXPECT_TRUE(std::isnan(Spectrum(ones).Least())) << wrong;
    EXPECT_TRUE(std::isnan(Spectrum(ones).Largest())) << wrong;
  }
}

}  // namespace
}  // namespace kith

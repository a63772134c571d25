#include "published/prefix_errors.h"

#include <gtest/gtest.h>

namespace kith::published {
namespace {

// Root mean square errors at a loss of 1, and at mu for (1, 1e-6), which is 0.2368.
TEST(Prefix, ErrorsAreThoseOfTheTheory) {
  const auto few = ErrorsOfPrefixSums(1024, 1, 0.2368).value(), many = ErrorsOfPrefixSums(65536, 1, 0.2368).value();
  EXPECT_NEAR(few.laplace_cells, 64, 0.1);
  EXPECT_NEAR(few.simple_tree, 31.5, 0.05);
  EXPECT_LT(few.tree, 21.6);
  EXPECT_NEAR(few.normal_cells, 135, 0.5);
  EXPECT_NEAR(few.toeplitz, 18.6, 0.05);
  EXPECT_NEAR(many.laplace_cells, 512, 0.5);
  EXPECT_NEAR(many.simple_tree, 62, 0.05);
  EXPECT_LT(many.tree, 40);
  EXPECT_NEAR(many.normal_cells, 1081, 1);
  EXPECT_NEAR(many.toeplitz, 26.5, 0.05);
}

}  // namespace
}  // namespace kith::published

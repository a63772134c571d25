// A check that cannot fail is not a check.
#include "tests/support/xml.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace kith::test {
namespace {

TEST(Xml, WellFormedTextPasses) { ExpectWellFormed("<!DOCTYPE html>\n<a b=\"1\"><c/>ε</a>"); }

TEST(Xml, FaultsAreSeen) {
  EXPECT_NONFATAL_FAILURE(ExpectWellFormed("<a><b></a>"), "mismatched tag");
  EXPECT_NONFATAL_FAILURE(ExpectWellFormed("<a>&nbsp;</a>"), "undefined entity");
  EXPECT_NONFATAL_FAILURE(ExpectWellFormed("<a>\xff</a>"), "invalid token");
  EXPECT_NONFATAL_FAILURE(ExpectWellFormed(""), "no element");
}

}  // namespace
}  // namespace kith::test

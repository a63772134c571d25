#include "app/cli/advice.h"

#include <gtest/gtest.h>

namespace kith::cli {
namespace {

TEST(AdviceTest, NamesTheFlagOfAParameter) {
  const Error error = InvalidArgument("a question needs a price", "", "offer an epsilon").For("price");
  EXPECT_EQ(ErrorText(error), "a question needs a price\n  try: offer an epsilon (--epsilon 0.1 or --error 50)");
  EXPECT_EQ(ErrorText(InvalidArgument("too many", "here").For("top.k")), "too many\n  at: here\n  try: -k");
}

TEST(AdviceTest, SaysWhereToLookItUp) {
  EXPECT_EQ(ErrorText(BudgetExhausted("too much", "", "offer at most 1").For("price.epsilon")),
            "too much\n  try: offer at most 1 (--epsilon; see kith budget)");
  EXPECT_EQ(ErrorText(Unsupported("no", "", "offer an epsilon").For("price.epsilon")),
            "no\n  try: offer an epsilon (--epsilon; see kith explain)");
}

TEST(AdviceTest, LeavesOtherErrorsAsTheyAre) {
  const Error error = StorageError("the disk is full", "/", "make room");
  EXPECT_EQ(ErrorText(error), error.Text());
  EXPECT_EQ(AdviceFor("no.such.parameter"), "");
}

}  // namespace
}  // namespace kith::cli

#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace kith {
namespace {

struct Thing {
  int number = 7;
};

Result<Thing> Value() { return Thing(); }
Result<Thing> Failure() { return StorageError("the disk is full", "here", "free some space"); }

TEST(ResultTest, HasAValueOrSaysWhyNot) {
  const auto value = Value(), failure = Failure();
  EXPECT_TRUE(value.has_value());
  EXPECT_TRUE(value);
  EXPECT_FALSE(failure.has_value());
  EXPECT_FALSE(failure);
  EXPECT_EQ(failure.error().code, Code::kStorage);
  EXPECT_EQ(failure.error().Text(), "the disk is full\n  at: here\n  try: free some space");
}

TEST(ResultTest, TakesWhatConvertsToItsValue) {
  const auto name = []() -> Result<std::string> { return "text"; };
  const auto owner = []() -> Result<std::unique_ptr<const std::string>> {
    return std::make_unique<std::string>("text");
  };
  EXPECT_EQ(*name(), "text");
  EXPECT_EQ(**owner(), "text");
  EXPECT_EQ(name()->size(), 4u);
}

TEST(ResultTest, PassesAnErrorOnToResultsOfAnyType) {
  const auto passed = []() -> Result<int> {
    const auto failure = Failure();
    return failure.error();
  }();
  const Result<void> nothing = passed.error();
  EXPECT_EQ(passed.error().what, "the disk is full");
  EXPECT_EQ(nothing.error().next, "free some space");
  EXPECT_TRUE(Result<void>());
}

TEST(ResultTest, AnErrorThatWasMovedFromIsStillAnError) {
  auto failure = Failure();
  const auto moved = std::move(failure);
  EXPECT_FALSE(failure);  // NOLINT(bugprone-use-after-move): a result must not become a value by it
  EXPECT_EQ(moved.error().what, "the disk is full");
  const auto again = std::move(failure), copy = failure;
  EXPECT_FALSE(again);
  EXPECT_FALSE(copy);
  Result<void> nothing = InternalError("x"), other = std::move(nothing);
  EXPECT_FALSE(nothing);
  EXPECT_FALSE(other);
  nothing = Result<void>();
  EXPECT_TRUE(nothing);
}

TEST(ResultTest, TheValueOfAnErrorIsABug) {
  const auto failure = Failure();
  const Result<void> nothing = failure.error();
  EXPECT_THROW((void)failure.value(), std::bad_expected_access<Error>);
  EXPECT_THROW(nothing.value(), std::bad_expected_access<Error>);
  EXPECT_EQ(Value().value().number, 7);
}

TEST(ResultTest, AnotherValueInsteadOfAnError) {
  const Result<double> half = 0.5, none = InternalError("x");
  EXPECT_EQ(half.value_or(0), 0.5);
  EXPECT_EQ(none.value_or(0), 0.0);
  EXPECT_EQ(Result<std::string>(InternalError("x")).value_or("other"), "other");
}

}  // namespace
}  // namespace kith

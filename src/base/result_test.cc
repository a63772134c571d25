#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace kith {
namespace {

// Counts how often a value is alive, and says whether it was moved from.
struct Counted {
  static inline int alive = 0;
  bool moved = false;

  Counted() { ++alive; }
  Counted(const Counted& other) : moved(other.moved) { ++alive; }
  Counted(Counted&& other) noexcept : moved(other.moved) {
    other.moved = true;
    ++alive;
  }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&& other) noexcept {
    moved = other.moved;
    other.moved = true;
    return *this;
  }
  ~Counted() { --alive; }
};

Result<Counted> Value() { return Counted(); }
Result<Counted> Failure() { return StorageError("the disk is full", "here", "free some space"); }

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

TEST(ResultTest, EveryValueIsDestroyedOnce) {
  {
    auto one = Value(), two = Failure(), copy = one;
    EXPECT_EQ(Counted::alive, 2);
    const auto moved = std::move(one);
    EXPECT_TRUE(one->moved);
    EXPECT_FALSE(moved->moved);
    EXPECT_EQ(Counted::alive, 3);
    copy = two;  // a value becomes an error
    EXPECT_EQ(Counted::alive, 2);
    two = Value();  // an error becomes a value
    EXPECT_EQ(Counted::alive, 3);
    two = Value();
    EXPECT_EQ(Counted::alive, 3);
    EXPECT_FALSE(copy);
    EXPECT_TRUE(two);
  }
  EXPECT_EQ(Counted::alive, 0);
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

TEST(ResultTest, AResultMovesInsideAVector) {
  std::vector<Result<std::string>> results;
  for (int i = 0; i < 20; ++i) {
    if (i % 2 == 0)
      results.emplace_back(std::string(30, 'x'));
    else
      results.emplace_back(InternalError("odd"));
  }
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].has_value(), i % 2 == 0) << i;
  EXPECT_EQ(results[1].error().what, "odd");
  EXPECT_EQ(*results[18], std::string(30, 'x'));
}

TEST(ResultTest, TheValueOfAnErrorIsABugThatSaysWhatWentWrong) {
  const auto failure = Failure();
  const Result<void> nothing = failure.error();
  EXPECT_THROW((void)failure.value(), std::logic_error);
  EXPECT_THROW(nothing.value(), std::logic_error);
  try {
    (void)failure.value();
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("the disk is full"), std::string::npos);
  }
  EXPECT_FALSE(Value().value().moved);
}

TEST(ResultTest, AnotherValueInsteadOfAnError) {
  const Result<double> half = 0.5, none = InternalError("x");
  EXPECT_EQ(half.value_or(0), 0.5);
  EXPECT_EQ(none.value_or(0), 0.0);
  EXPECT_EQ(Result<std::string>(InternalError("x")).value_or("other"), "other");
}

}  // namespace
}  // namespace kith

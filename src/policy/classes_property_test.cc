// The class of a cell against what is declared for the units in it, over random declarations.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

#include "tests/support/policies.h"

namespace kith {
namespace {

using ClassOf = std::function<std::size_t(const Policy&, std::size_t cell)>;

double Odds(const GroupClass& c) { return c.odds_ratio.value_or(std::numeric_limits<double>::infinity()); }

// How a value in the data reads (policy.h): declared values as themselves, anything else as NULL or, if required, as
// the first one.
Value Reading(const Column& column, const std::optional<std::string>& data) {
  for (const auto& value : column.values) {
    if (data && ToText(value) == *data) return value;
  }
  return column.required ? column.values.front() : Value();
}

// Units whose cell has a weaker class than the odds ratio that the curator stated for them; the largest where it is not
// known.
int Weaker(const Policy& policy, const ClassOf& class_of) {
  const Column& column = *policy.unit_table().Find(*policy.dependence.strength_column);
  const auto& classes = std::get<Group>(policy.dependence.model).classes;
  std::vector<std::optional<std::string>> data = {std::nullopt, "undeclared"};
  for (const auto& c : classes) data.emplace_back(c.label);
  int weaker = 0;
  for (const auto& datum : data) {
    double declared = 0;
    double largest = 0;
    for (const auto& c : classes) {
      largest = std::max(largest, Odds(c));
      if (datum == c.label) declared = Odds(c);
    }
    const double needed = declared > 0 ? declared : largest;
    for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) {
      for (std::size_t k = 0; k < policy.cells.columns().size(); ++k) {
        if (policy.cells.columns()[k].name != column.name) continue;
        if (policy.cells.At(cell, k) != Reading(column, datum)) continue;
        weaker += Odds(classes[class_of(policy, cell)]) < needed ? 1 : 0;
      }
    }
  }
  return weaker;
}

// A policy whose strength column and odds ratios are drawn; refused ones are drawn again.
Policy Draw(std::mt19937_64& bits) {
  while (true) {
    const std::size_t count = 1 + bits() % 4;
    std::string values, odds;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      values += (i == 0 ? "'" : ", '") + name + "'";
      const auto ratio = 1 + bits() % 5;
      odds += (i == 0 ? "" : ", ") + name + " = " + (ratio == 5 ? "inf" : std::to_string(ratio));
    }
    std::string before, after;
    if (bits() % 2 == 0) before = "ward = { values = [1, 2], public = true }\n";
    if (bits() % 2 == 0) after = "old = { type = 'boolean', public = true, required = true }\n";
    const std::string required = bits() % 2 == 0 ? ", required = true" : "";
    const auto policy = Policy::Parse(
        "[data]\ntables.t = 't.csv'\n[unit]\ntable = 't'\nrow = true\npresence = 'secret'\n[columns.t]\n" + before +
            "kind = { public = true, values = [" + values + "]" + required + " }\n" + after +
            "[dependence]\nsource = 'public'\nkind = 'group'\nby = 'g'\nsize = 3\nodds_ratio = { kind = { " + odds +
            " } }\n[budget]\nepsilon = 1\nledger = 'l'\n",
        "p.toml");
    if (policy) return *policy;
    EXPECT_NE(policy.error().what.find("not have the strongest"), std::string::npos) << policy.error().Text();
  }
}

constexpr int kRuns = 500;

TEST(ClassesProperty, NoUnitGetsAWeakerClass_POLICY1) {
  std::mt19937_64 bits(0x636c61737365);  // "classe"
  for (int run = 0; run < kRuns; ++run) {
    ASSERT_EQ(Weaker(Draw(bits), [](const Policy& p, std::size_t cell) { return p.ClassOf(cell); }), 0) << run;
  }
}

TEST(ClassesProperty, TheCheckAboveSeesNullInTheFirstClass) {
  const ClassOf faulty = [](const Policy& policy, std::size_t cell) {
    for (std::size_t k = 0; k < policy.cells.columns().size(); ++k) {
      const bool strength = policy.cells.columns()[k].name == *policy.dependence.strength_column;
      if (strength && policy.cells.At(cell, k) == Value()) return std::size_t{0};
    }
    return policy.ClassOf(cell);
  };
  std::mt19937_64 bits(0x636c61737365);
  int caught = 0;
  for (int run = 0; run < kRuns; ++run) caught += Weaker(Draw(bits), faulty) > 0 ? 1 : 0;
  EXPECT_GT(caught, kRuns / 10);
}

}  // namespace
}  // namespace kith

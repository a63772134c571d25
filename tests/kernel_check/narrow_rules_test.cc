// What rules once took for granted, and random statements or a reader found to be false.
#include <gtest/gtest.h>

#include "kernel/check/check.h"
#include "policy/policy.h"

namespace kith::testing {
namespace {

using sql::Name;

check::Facts FactsOf(const std::string& unit, const std::string& flags) {
  const auto policy = Policy::Parse(
      "[data]\nfrozen = true\ntables.t = \"t.parquet\"\n[unit]\ntable = \"t\"\nkey = \"id\"\n" + unit +
          "[columns.t]\nid = { type = \"integer\" }\ng = { values = [\"a\", \"b\"], public = " + flags +
          " }\nx = { lower = 1, upper = 2 }\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\n"
          "epsilon = 1.0\nledger = \"l\"\n",
      "narrow.toml");
  return check::FactsOf(policy.value()).value();
}

sql::Source Limited(std::int64_t rows, std::set<std::string> constant) {
  const sql::Terms order = {sql::Column("t", "g"), sql::Column("t", "x")};
  return sql::Rows(sql::Limited({.columns = {"id", "g", "x"},
                                 .constant = std::move(constant),
                                 .from = sql::Table("t", "t"),
                                 .key = sql::Column("t", "id"),
                                 .order = order,
                                 .rows = rows,
                                 .number = "place",
                                 .of_unit_table = false}),
                   "t");
}

Result<check::Found> Find(const sql::Select& select, const check::Facts& facts, std::size_t keys) {
  check::Claim claim;
  claim.keys = keys;
  claim.numbers.assign(1, {Sensitivities::None(), {}, {}});
  return check::FindChange(sql::Selected(select), facts, claim);
}

const sql::Term kX = sql::Within(sql::Column("t", "x"), 1, 2, false);

// From which row a column is read is a secret: all rows of a unit may leave one group for another.
TEST(KernelCheckNarrow, AColumnOfOneRowIsSecretWhereRowsDiffer_KERNEL1) {
  sql::Select rows;
  rows.from = Limited(2, {"g"});
  rows.items = {{sql::Position(sql::Column("t", "g"), {std::string("a"), std::string("b")}, Type::kText, 2), "k"},
                {kX, "v"}};
  const auto found = Find({.items = {{Name("k")}, {sql::Sum(Name("v")), "s"}},
                           .from = sql::Rows(sql::Selected(rows), "r"),
                           .group_by = {Name("k")}},
                          FactsOf("max_rows = 2\npresence = \"secret\"\n", "\"per row\""), 1);
  ASSERT_TRUE(found);
  EXPECT_GE(found->numbers[0].change.l1, 8);
}

// max(g) of the rows of a group that pass a filter is NULL or g, by who is there.
TEST(KernelCheckNarrow, WhetherAGroupHasRowsThatPassIsSecretWherePresenceIs_KERNEL1) {
  sql::Select rows;
  rows.from = Limited(1, {});
  rows.items = {{sql::Column("t", "g"), "g0"}, {sql::In(sql::Column("t", "g"), {std::string("a")}, Type::kText), "f0"}};
  const sql::Select groups = {.items = {{Name("g0")}, {sql::Where(sql::Max(Name("g0")), Name("f0")), "m"}},
                              .from = sql::Rows(sql::Selected(rows), "r"),
                              .group_by = {Name("g0")}};
  const sql::Select numbers = {
      .items = {{sql::Case({sql::Suffix(Name("m"), " IS NULL"), sql::Number(-5), sql::Number(5)}), "v"}},
      .from = sql::Rows(sql::Selected(groups), "r")};
  const auto found = Find({.items = {{sql::Sum(Name("v")), "s"}}, .from = sql::Rows(sql::Selected(numbers), "q")},
                          FactsOf("presence = \"secret\"\nmax_rows = 1\n", "true"), 0);
  ASSERT_TRUE(found);
  EXPECT_GE(found->numbers[0].change.l1, 10);
}

// Rows of a unit are numbered in this order, then in two orders that end with those numbers, and the two are added up.
Result<check::Found> InTwoOrders(sql::Terms order) {
  const sql::Term id = sql::Column("t", "id"), g = sql::Column("t", "g"), x = sql::Column("t", "x");
  const sql::Term n = sql::Column("t", "n");
  sql::Select numbered;
  numbered.from = Limited(3, {});
  numbered.items = {{id, "id"}, {g, "g"}, {x, "x"}, {sql::Window("row_number", id, std::move(order)), "n"}};
  sql::Select ordered;
  ordered.from = sql::Rows(sql::Selected(numbered), "t");
  ordered.items = {
      {id, "u"}, {sql::Window("row_number", id, {x, n}), "o0"}, {sql::Window("row_number", id, {g, n}), "o1"}};
  sql::Select both;
  both.from = sql::Rows(sql::Selected(ordered), "r");
  both.items = {{sql::Infix(" - ", {Name("o0"), Name("o1")}), "d"}};
  return Find(
      {.items = {{sql::Sum(sql::Within(Name("d"), -2, 2, false)), "s"}}, .from = sql::Rows(sql::Selected(both), "r")},
      FactsOf("max_rows = 3\npresence = \"secret\"\n", "\"per row\""), 0);
}

// Rows that differ must not tie, or it is chance what one order says of a row beside what the other says of it.
TEST(KernelCheckNarrow, TwoOrdersNeedPlacesAmongWholeRows_KERNEL1) {
  const sql::Term g = sql::Column("t", "g"), x = sql::Column("t", "x");
  EXPECT_TRUE(InTwoOrders({g, x}));
  EXPECT_FALSE(InTwoOrders({g}));
  EXPECT_FALSE(InTwoOrders({x}));
}

// An engine takes any number but 0 for true: a filter by -5 leaves all rows in, and NOT of it is false.
TEST(KernelCheckNarrow, ANumberBelowZeroIsTrue_KERNEL1) {
  const auto found = [](std::int64_t by) {
    sql::Select rows;
    rows.from = Limited(1, {});
    rows.items = {{kX, "v"}, {sql::Number(by), "f"}};
    return Find(
        {.items = {{sql::Where(sql::Sum(Name("v")), Name("f")), "s"}}, .from = sql::Rows(sql::Selected(rows), "r")},
        FactsOf("presence = \"secret\"\nmax_rows = 1\n", "true"), 0);
  };
  ASSERT_TRUE(found(-5));
  EXPECT_GE(found(-5)->numbers[0].change.l1, 1);
  EXPECT_EQ(found(-5)->numbers[0].change.l1, found(1)->numbers[0].change.l1);
  ASSERT_TRUE(found(0));
  EXPECT_EQ(found(0)->numbers[0].change.l1, 0);
}

// Large whole numbers meet in one real: units that do are no groups of one unit each.
TEST(KernelCheckNarrow, AKeyAsARealIsNoKey_KERNEL1) {
  const check::Facts facts = FactsOf("presence = \"secret\"\nmax_rows = 1\n", "true");
  const auto find = [&](const sql::Term& key, const std::string& name) {
    sql::Select rows;
    rows.from = Limited(1, {});
    rows.items = {{key, "u"}, {sql::Column("t", name), "v"}};
    const sql::Select units = {
        .items = {{sql::Sum(Name("v")), "s"}}, .from = sql::Rows(sql::Selected(rows), "r"), .group_by = {Name("u")}};
    return Find(
        {.items = {{sql::Sum(sql::Within(Name("s"), 0, 2, false)), "s"}}, .from = sql::Rows(sql::Selected(units), "q")},
        facts, 0);
  };
  EXPECT_TRUE(find(sql::Column("t", "id"), "x"));
  EXPECT_FALSE(find(sql::Cast(sql::Column("t", "id"), sql::Stored::kReal), "x"));
  // Names are compared letter by letter in some rules.
  EXPECT_FALSE(find(sql::Column("t", "id"), "X"));
}

}  // namespace
}  // namespace kith::testing

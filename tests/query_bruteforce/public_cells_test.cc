// What public cells are good for: questions about different wards charge different people, so that a budget for one
// question pays for one in each ward. A planner that charges everyone could afford only the first.
#include <gtest/gtest.h>

#include <algorithm>

#include "query/plan.h"

namespace kith::testing {
namespace {

Policy Clinic() {
  return Policy::Parse(R"(
[data]
frozen = true
tables.people = "people.parquet"
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "public"
[columns.people]
id = { type = "integer" }
ward = { values = ["A", "B", "C"], public = true, required = true }
ill = { values = ["no", "yes"] }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1.0
ledger = "people.ledger"
)",
                       "clinic.toml")
      .value();
}

/// What each cell has left, in plain loss; a question pays in every cell it charges, or not at all.
class Account {
 public:
  Account(std::size_t cells, std::int64_t budget) : left_(cells, budget) {}
  bool Pay(const std::vector<bool>& charged, std::int64_t price) {
    for (std::size_t cell = 0; cell < left_.size(); ++cell)
      if (charged.at(cell) && left_[cell] < price) return false;
    for (std::size_t cell = 0; cell < left_.size(); ++cell)
      if (charged[cell]) left_[cell] -= price;
    return true;
  }

 private:
  std::vector<std::int64_t> left_;
};

const std::int64_t kWhole = PlainUnits::kOne;

std::vector<bool> ChargedBy(const std::string& sql) { return PlanQuestion(sql, Clinic()).value().charged; }

TEST(PublicCells, MakeQuestionsAffordableThatWouldNotBeOtherwise) {
  const std::vector<bool> a = ChargedBy("SELECT count(*) FROM people WHERE ward = 'A' AND ill = 'yes'");
  const std::vector<bool> b = ChargedBy("SELECT count(*) FROM people WHERE ward = 'B' AND ill = 'yes'");
  const std::vector<bool> all = ChargedBy("SELECT count(*) FROM people WHERE ill = 'yes'");
  EXPECT_EQ(a, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(b, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(all, (std::vector<bool>{true, true, true}));

  Account account(3, kWhole);
  EXPECT_TRUE(account.Pay(a, kWhole));
  EXPECT_TRUE(account.Pay(b, kWhole));     // affordable only because ward B was not charged
  EXPECT_FALSE(account.Pay(a, 1));         // ward A has nothing left
  EXPECT_FALSE(account.Pay(all, kWhole));  // nor has a question about everyone
  EXPECT_TRUE(account.Pay(ChargedBy("SELECT count(*) FROM people WHERE ward = 'C' AND ill = 'no'"), kWhole));
  EXPECT_TRUE(account.Pay(ChargedBy("SELECT ward, count(*) FROM people GROUP BY ward"), kWhole));  // public: free
}

TEST(PublicCells, WithoutThemTheSecondQuestionIsRefused) {
  const std::vector<bool> everyone(3, true);  // what a planner without cells charges for the same two questions
  Account account(3, kWhole);
  EXPECT_TRUE(account.Pay(everyone, kWhole));
  EXPECT_FALSE(account.Pay(everyone, kWhole));
}

}  // namespace
}  // namespace kith::testing

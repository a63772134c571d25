// Random questions that were accepted, with their policies and plans.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "query/plan.h"
#include "query/staged_question.h"
#include "tests/query_bruteforce/random_questions.h"

namespace kith::testing {

struct Case {
  Policy policy;
  std::string sql;
  Plan plan;
  Policy seen = {};                      // by the question: its table of units is a table
  std::vector<std::string> groups = {};  // columns that make groups of units, with a row for each
  bool about_groups = false;             // all units of a group of [unit] within may change at once
  // Of a question that uses a number of an earlier stage: how it was planned. `sql` has the number itself.
  std::string staged_sql = {};
  std::shared_ptr<const Policy> staged_policy = {};
};

/// The next accepted question of the kind that `ask` takes from the maker. Throws if one is refused as anything but
/// unsupported.
template <class Ask>
Case NextCase(Dice& dice, const Ask& ask, std::size_t& refused, int per_row = 0) {
  for (;;) {
    auto policy = Policy::Parse(RandomPolicy(dice, per_row), "random.toml");
    if (!policy) throw std::runtime_error(policy.error().Text());
    QuestionMaker maker(*policy, dice);
    const std::string sql = ask(maker);
    auto plan = PlanQuestion(sql, *policy);
    if (plan) {
      Policy seen = SeenBy(ParseQuestion(sql), *policy);
      return {*std::move(policy), sql, *std::move(plan), std::move(seen)};
    }
    if (plan.error().code != Code::kUnsupportedQuery) throw std::runtime_error(sql + "\n" + plan.error().Text());
    ++refused;
  }
}

/// The same with one of its numbers as that of an earlier stage, planned without it, and its SQL made with it. `off`:
/// how far the number is beyond the range that it should have been cut to; 0: within.
template <class Ask>
Case NextStagedCase(Dice& dice, const Ask& ask, std::size_t& refused, double off = 0) {
  static const std::regex kNumber("(^|[^A-Za-z0-9_.'])([0-9]+(\\.[0-9]+)?)(?![A-Za-z0-9_.'])");
  for (;;) {
    Case c = NextCase(dice, ask, refused);
    std::vector<std::smatch> numbers;
    for (std::sregex_iterator at(c.sql.begin(), c.sql.end(), kNumber), end; at != end; ++at) numbers.push_back(*at);
    if (numbers.empty()) continue;
    const std::smatch& chosen = numbers[dice.Below(numbers.size())];
    const bool whole = !chosen[3].matched;
    const double number = std::stod(chosen[2]);
    StageConstant constant{0, 0, whole ? ColumnType::kInteger : ColumnType::kReal};
    constant.low = number - static_cast<double>(dice.Below(4)) + off;
    constant.high = number + static_cast<double>(dice.Below(12)) + off;
    constant.may_null = dice.Chance(30);
    c.staged_sql = c.sql;
    c.staged_sql.replace(static_cast<std::size_t>(chosen.position(2)), chosen[2].str().size(), constant.Name());
    c.staged_policy = WithConstants(c.policy, {constant});
    const auto staged = StagedQuestion::Make(c.staged_sql, *c.staged_policy, {constant});
    if (!staged) {  // LIMIT, or a divisor that may be 0
      ++refused;
      continue;
    }
    const Value value = whole ? Value(static_cast<std::int64_t>(number)) : Value(number);
    if (off == 0 && !(constant.Cut(value) == value)) throw std::runtime_error("a number of the range is cut");
    c.plan = staged->At({value});
    return c;
  }
}

/// Question, policy in short, statistics: for messages.
inline std::string About(const Case& c) {
  std::string text = c.sql + "\n" + (c.staged_sql.empty() ? "" : c.staged_sql + "\n");
  text += c.policy.unit.presence == Presence::kPublic ? "presence public" : "presence secret";
  text += ", max_rows " + std::to_string(c.policy.unit.max_rows) + (c.policy.unit.key ? " by key" : " by row");
  for (const Column& column : c.policy.unit_table().columns) {
    text += "; " + column.name +
            (column.per_row     ? " per row"
             : column.is_public ? " public"
                                : "") +
            (column.required ? " required" : "") + (column.constant ? " constant" : "");
    if (column.lower) text += " [" + std::to_string(*column.lower) + ", " + std::to_string(*column.upper) + "]";
  }
  for (const Statistic& s : c.plan.statistics)
    text += "\n" + s.name + ": " + std::to_string(s.change.l1().steps()) + " steps of 2^" +
            std::to_string(s.lattice.exponent) + ", " + s.reason;
  return text;
}

/// Bounds that fit each other, cut to what L1 allows: planted faults.
inline Sensitivities ChangeOf(std::int64_t l1, std::int64_t l2_squared, std::int64_t groups) {
  if (l1 == 0) return Sensitivities::None();
  return Sensitivities::Make(l1, std::clamp<std::int64_t>(l2_squared, 1, l1 * l1),
                             std::clamp<std::int64_t>(groups, 1, l1))
      .value();
}

inline void HalveSensitivities(Plan& plan) {
  for (Statistic& s : plan.statistics) s.change = Sensitivities::OfL1(s.change.l1().steps() / 2).value();
}

}  // namespace kith::testing

#include "tests/golden/golden_mutants.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include "tests/golden/golden_check.h"

namespace kith::testing {
namespace {

using PolicyChange = std::function<void(Policy&)>;
using PlanChange = std::function<void(Plan&)>;

PolicyChange OnColumns(std::function<void(Column&)> change) {
  return [change = std::move(change)](Policy& policy) {
    for (Table& table : policy.tables)
      for (Column& column : table.columns) change(column);
  };
}

bool HasDomain(const Column& column) { return !column.values.empty() || column.lower; }

const std::map<std::string, PolicyChange>& PolicyMutants() {
  static const std::map<std::string, PolicyChange> mutants = {
      {"all_public", OnColumns([](Column& c) { c.is_public = true; })},
      {"all_secret", OnColumns([](Column& c) { c.is_public = false; })},
      {"public_keys", OnColumns([](Column& c) { c.is_public = c.is_public || !c.values.empty(); })},
      {"never_null", OnColumns([](Column& c) { c.required = HasDomain(c); })},
      {"nullable", OnColumns([](Column& c) { c.required = false; })},
      {"none_constant", OnColumns([](Column& c) { c.constant = false; })},
      {"all_constant", OnColumns([](Column& c) { c.constant = !c.is_public; })},
      {"rows_as_units", OnColumns([](Column& c) { c.per_row = false; })},
      {"one_row", [](Policy& p) { p.unit.max_rows = 1; }},
      {"one_row_of_others",
       [](Policy& p) {
         for (Table& table : p.tables) table.max_rows = table.OfUnits() ? 1 : 0;
       }},
      {"owners_alone",
       [](Policy& p) {
         for (Table& table : p.tables) table.other.reset();
       }},
      // Rows that name a unit in one data set, without those of the other.
      {"named_once",
       [](Policy& p) {
         for (Table& table : p.tables) table.max_other /= 2;
       }},
      {"cells_kept", [](Policy& p) { p.cells = Cells::Of(p.unit_table(), p.dependence.strength_column.value_or("")); }},
      {"presence_public", [](Policy& p) { p.unit.presence = Presence::kPublic; }},
      {"wide_bounds", OnColumns([](Column& c) {
         if (c.lower) c.lower = *c.lower - 1000;
         if (c.upper) c.upper = *c.upper + 1000;
       })},
      {"undeclared_kept", OnColumns([](Column& c) {
         std::vector<Value> values = c.values;
         if (!values.empty() && c.type == ColumnType::kText)
           for (const char* value : {"maybe", "D", "other"}) values.emplace_back(std::string(value));
         if (!values.empty() && c.type == ColumnType::kInteger) values.emplace_back(std::int64_t{9});
         c.values = std::move(values);
       })},
  };
  return mutants;
}

const std::map<std::string, PlanChange>& PlanMutants() {
  static const std::map<std::string, PlanChange> mutants = {
      {"half_sensitivity",
       [](Plan& p) {
         for (Statistic& s : p.statistics) s.change = Sensitivities::OfL1(s.change.l1().steps() / 2).value();
       }},
      {"charge_all", [](Plan& p) { p.charged.assign(p.charged.size(), true); }},
      {"charge_nobody", [](Plan& p) { p.charged.assign(p.charged.size(), false); }},
      {"unordered", [](Plan& p) { p.order_by.clear(); }},
      {"unlimited",
       [](Plan& p) {
         p.limit.reset();
         p.offset = 0;
       }},
  };
  return mutants;
}

/// NaN and infinities sort above every number in DuckDB, so clamping alone makes them the upper bound.
TinyTable NonFiniteAsLarge(TinyTable table) {
  for (Row& row : table.rows)
    for (Datum& value : row)
      if (!std::isfinite(value.number)) value = RealDatum(1e9L);
  return table;
}

/// Charges are counted in the real policy's cells: without public columns there is one cell, which represents all.
Result<Plan> PlanOfChanged(const Record& record, const Policy& policy, const PolicyChange& change) {
  Policy changed = policy;
  change(changed);
  const auto& columns = changed.unit_table().columns;
  const bool no_cells = std::none_of(columns.begin(), columns.end(), [](const Column& c) { return c.is_public; });
  if (no_cells) changed.cells = Cells();
  Result<Plan> plan = PlanOf(record, changed);
  if (plan && no_cells) plan->charged.assign(policy.cells.size(), plan->charged.at(0));
  return plan;
}

/// All occurrences of "A" in the question become "B" for a mutant "replace A with B".
std::string Replaced(const std::string& mutant, std::string question) {
  const std::size_t with = mutant.find(" with ");
  if (with == std::string::npos) throw std::runtime_error("a mutant is 'replace A with B'");
  const std::string from = mutant.substr(8, with - 8);
  const std::string to = mutant.substr(with + 6);
  for (std::size_t at = question.find(from); at != std::string::npos; at = question.find(from, at + to.size()))
    question.replace(at, from.size(), to);
  return question;
}

/// Asked with the lower ends of what the numbers of earlier stages can be.
Record AtLowest(Record record) {
  for (ExpectedStage& stage : record.stages) {
    stage.value =
        stage.type == "integer" ? std::to_string(static_cast<std::int64_t>(stage.low)) : std::to_string(stage.low);
  }
  return record;
}

}  // namespace

MutantView Mutate(const std::string& mutant, const Record& record, const Policy& policy, const TinyTable& table) {
  if (mutant == "overlook") {
    const std::string& seen = record.instead.empty() ? record.question : record.instead;
    return {PlanQuestion(seen, policy), table};
  }
  if (mutant == "nonfinite_kept") return {PlanOf(record, policy), NonFiniteAsLarge(table)};
  if (mutant == "known_numbers") return {PlanQuestion(record.question, policy), table};
  if (mutant == "lowest_numbers") return {PlanOf(AtLowest(record), policy), table};
  if (mutant.rfind("replace ", 0) == 0) {
    Record replaced = record;
    replaced.question = Replaced(mutant, record.question);
    replaced.staged = Replaced(mutant, record.staged);
    return {PlanOf(replaced, policy), table};
  }
  if (const auto change = PolicyMutants().find(mutant); change != PolicyMutants().end()) {
    return {PlanOfChanged(record, policy, change->second), table};
  }
  const auto change = PlanMutants().find(mutant);
  if (change == PlanMutants().end()) throw std::runtime_error("unknown mutant " + mutant);
  Result<Plan> plan = PlanOf(record, policy);
  if (plan) change->second(*plan);
  return {std::move(plan), table};
}

bool IsPairMutant(const std::string& mutant) { return mutant == "raw_text" || mutant == "one_text"; }

std::vector<std::string> MutantPairDifferences(const std::string& mutant, const Record& record, const Policy& policy) {
  Result<Plan> first = PlanQuestion(record.question, policy);
  Result<Plan> second = PlanQuestion(record.other, policy);
  if (first) first->normalised = mutant == "raw_text" ? record.question : "";
  if (second) second->normalised = mutant == "raw_text" ? record.other : "";
  return PairDifferences(record, first, second);
}

}  // namespace kith::testing

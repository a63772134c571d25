#include "analysis/cutoff/cutoff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/derived/derived.h"
#include "analysis/error_bar.h"
#include "policy/per_row.h"
#include "sql/quote.h"

namespace kith {
namespace {

/// A table of the units whose rows beyond a limit are left out.
struct Limited {
  std::string table, key;
  std::int64_t max_rows = 1;
};

std::optional<Limited> LimitedTable(const Policy& policy, const std::string& name) {
  const Unit& unit = policy.unit;
  if (name == unit.table) {
    if (!unit.key || unit.other_key || RowsArePublic(policy)) return std::nullopt;
    return Limited{name, *unit.key, unit.max_rows};
  }
  const Table* table = policy.FindTable(name);
  if (table == nullptr || !table->OfUnits()) return std::nullopt;
  return Limited{name, *table->key, table->max_rows};
}

std::vector<std::string> LimitedTables(const Policy& policy) {
  std::vector<std::string> names;
  if (LimitedTable(policy, policy.unit.table)) names.push_back(policy.unit.table);
  for (const Table& table : policy.tables) {
    if (table.name != policy.unit.table && LimitedTable(policy, table.name)) names.push_back(table.name);
  }
  return names;
}

std::string QuestionText(const Limited& limited) {
  return fmt::format("rows of {} beyond {} of each {}, ", QuotedName(limited.table), limited.max_rows,
                     QuotedName(limited.key));
}

std::string Units(double count) { return count == 1 ? "1 unit" : Grouped(std::max(count, 0.0)) + " units"; }

/// The same policy with room for the rows that do not count. Whose rows they are, and what else is secret, is the same.
Policy WithRoom(Policy policy, const Limited& limited, std::int64_t at_most) {
  if (limited.table == policy.unit.table) policy.unit.max_rows = limited.max_rows + at_most;
  for (Table& table : policy.tables) {
    if (table.name == limited.table && table.OfUnits()) table.max_rows = limited.max_rows + at_most;
  }
  return policy;
}

}  // namespace

std::optional<std::string> CutoffQuestion(const Policy& policy, const std::string& table) {
  const auto limited = LimitedTable(policy, table);
  return limited ? std::optional(QuestionText(*limited)) : std::nullopt;
}

Result<std::unique_ptr<Cutoff>> Cutoff::Make(const CutoffOptions& options, const Policy& policy) {
  CutoffOptions chosen = options;
  if (chosen.table.empty()) {
    const auto tables = LimitedTables(policy);
    if (tables.size() > 1)
      return InvalidArgument(fmt::format("rows of several tables can be left out: {}", fmt::join(tables, ", ")), {},
                             "name one of them")
          .For("cutoff.table");
    chosen.table = tables.empty() ? policy.unit.table : tables.front();
  }
  const auto limited = LimitedTable(policy, chosen.table);
  if (!limited) {
    if (chosen.table == policy.unit.table)
      return Unsupported(fmt::format("no row of {} is left out of answers", chosen.table), {},
                         "name another table of the units");
    return InvalidArgument(fmt::format("{} is not a table of the units", chosen.table), {},
                           "name a table whose rows belong to units")
        .For("cutoff.table");
  }
  if (policy.stream || policy.unit.distance)
    return Unsupported("rows that max_rows leaves out are counted only where units have neither steps nor places", {},
                       "the curator sees them in the report of an import");
  if (chosen.at_most == 0) chosen.at_most = CutoffOptions::kTimes * limited->max_rows;
  constexpr std::int64_t kMost = 1'000'000;
  if (chosen.at_most < 1 || chosen.at_most > kMost - limited->max_rows)
    return InvalidArgument(fmt::format("at most {} rows of one unit can be counted", kMost - limited->max_rows), {},
                           "choose a smaller bound: a larger one means more noise")
        .For("cutoff.at_most");
  // An ordinary question, under a policy that has room for these rows.
  auto question = AskFor(
      fmt::format("SELECT count(*) FILTER (WHERE n > {0}) AS cut_units, sum(greatest(n - {0}, 0)) AS cut_rows FROM "
                  "(SELECT count(*) AS n FROM {1} GROUP BY {2}) AS each",
                  limited->max_rows, QuotedName(limited->table), QuotedName(limited->key)),
      0, 2, WithRoom(policy, *limited, chosen.at_most));
  if (!question) return question.error();
  Plan plan = std::move(question->plan);
  plan.charged.assign(plan.charged.size(), true);
  plan.notes = {
      {NoteKind::kMethod,
       fmt::format("units: those with more than {} {} of {}; rows: those beyond, of which at most {} of one "
                   "unit are counted: there may be more",
                   limited->max_rows, limited->max_rows == 1 ? "row" : "rows", limited->table, chosen.at_most)}};
  return std::unique_ptr<Cutoff>(
      new Cutoff(std::move(chosen), limited->key, limited->max_rows, std::move(plan), std::move(question->statistics)));
}

std::string Cutoff::Normalised() const {
  return QuestionText({options_.table, key_, max_rows_}) + fmt::format("at most {} of each", options_.at_most);
}

Result<Plan> Cutoff::Round(std::span<const NoisyRound>) const { return plan_; }

Result<Findings> Cutoff::Conclude(std::span<const NoisyRound> rounds) const {
  Findings findings;
  findings.columns = {"table", "max_rows", "units", "rows", "at_most"};
  FindingsRow row;
  row.AddKey(options_.table).AddKey(max_rows_);
  for (const std::size_t k : statistics_) row.Add(rounds[0].At(0, k), ErrorBar(rounds[0], k, 0.95));
  row.AddKey(options_.at_most);
  std::move(row).Into(findings);
  findings.notes = plan_.notes;
  findings.claims = {"CUTOFF-1", "PLAN-1", "UNIT-1"};
  return findings;
}

std::string CutoffText(const CutoffNumbers& bought) {
  const bool units = bought.units > bought.units_95, rows = bought.rows > bought.rows_95;
  const std::string most = fmt::format("at most about {}", Units(std::ceil(bought.units + bought.units_95)));
  if (!units && !rows) return fmt::format("no sign that rows of {} are left out ({})", bought.table, most);
  const std::string who =
      units ? fmt::format("about {} ± {} units", Grouped(bought.units), Grouped(bought.units_95)) : most;
  const std::string about = fmt::format("about {} ± {}", Grouped(bought.rows), Grouped(bought.rows_95));
  return fmt::format(
      "rows that do not count: {} have more than {} {} of {}; {} (at most {} of each unit are counted "
      "here, so the true number can be larger)",
      who, bought.max_rows, bought.max_rows == 1 ? "row" : "rows", bought.table,
      rows ? fmt::format("at least {} of their rows are in no answer", about)
           : fmt::format("how many of their rows are in no answer is lost in the noise, {}", about),
      bought.at_most);
}

}  // namespace kith

#include "release/guarantee.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/check/alarm.h"
#include "base/check.h"
#include "loss/loss_kinds.h"
#include "policy/facts.h"
#include "policy/track.h"
#include "release/curator_state.h"
#include "release/one_sided/one_sided.h"
#include "release/strata.h"

namespace kith {

namespace {

std::string NeighboursOfStream(const Policy& policy) {
  if (policy.unit.distance) return TrackNeighboursText(*policy.unit.distance, policy.stream->window);
  const bool secret = policy.unit.presence == Presence::kSecret;
  if (std::holds_alternative<Chain>(policy.dependence.model)) {
    return fmt::format("replace one unit's record at one step{}; public columns are kept",
                       secret ? ", absence included" : "");
  }
  return fmt::format("replace all that one unit does in at most {} consecutive steps{}; public columns are kept",
                     policy.stream->window, secret ? ", its presence included" : " (when it is present is public)");
}

// What two databases that are compared agree in.
std::string KeptText(const Policy& policy) {
  std::vector<std::string> of_rows;
  for (const Column& column : policy.unit_table().columns) {
    if (column.per_row) of_rows.push_back(column.name);
  }
  if (of_rows.empty()) return "public columns are kept";
  return fmt::format("public columns are kept, and how many rows there are with which {}", fmt::join(of_rows, " and "));
}

/// Many chains: the record is one row of one of them.
bool IsPanel(const Policy& policy) { return policy.dependence.by && Kind(policy.dependence.model) == "chain"; }

std::string NeighboursOfPanel(const Policy& policy) {
  const bool secret = policy.unit.presence == Presence::kSecret;
  return fmt::format("replace the values of one row{}, not all rows of one {}; public columns are kept",
                     secret ? ", its absence included" : "", *policy.dependence.by);
}

// Rows of others that name the unit are part of its record.
std::string NamedIn(const Policy& policy) {
  std::string text;
  for (const Table& table : policy.tables) {
    if (table.other) text += fmt::format(", with all rows of {} that name it in {}", table.name, *table.other);
  }
  return text;
}

}  // namespace

std::string NeighboursOf(const Policy& policy) {
  if (policy.stream) return NeighboursOfStream(policy);
  if (IsPanel(policy)) return NeighboursOfPanel(policy);
  if (policy.unit.distance) return NeighboursText(*policy.unit.distance);
  if (policy.unit.other_key) {
    return fmt::format("replace all rows that name one person in {} or {}, absence included", *policy.unit.key,
                       *policy.unit.other_key);
  }
  if (policy.counts_presence) {
    return fmt::format(
        "add or remove one unit's record, for presence, which is limited; replace it, for every other loss{}; {}",
        NamedIn(policy), KeptText(policy));
  }
  if (policy.HasMoreTables()) {
    std::vector<std::string> tables = {policy.unit.table};
    for (const Table& table : policy.tables) {
      if (table.OfUnits()) tables.push_back(table.name);
    }
    return fmt::format("replace one unit's rows in {}{}{}; {}", fmt::join(tables, " and "),
                       policy.unit.presence == Presence::kSecret
                           ? ", absence included"
                           : fmt::format(" (who is in {} is public)", policy.unit.table),
                       NamedIn(policy), KeptText(policy));
  }
  return fmt::format("replace one unit's record{}; {}",
                     policy.unit.presence == Presence::kSecret ? ", absence included" : "", KeptText(policy));
}

namespace {

// The total counts every answer at what it loses for one move; those that bound any change lose it once for every move.
void AddMoves(const Distance& distance, const Totals& totals, bool stream, Guarantee& g) {
  PlainUnits any, by_move;
  for (std::size_t cell = 0; cell < totals.any.size(); ++cell) {
    any = std::max(any, totals.any[cell]);
    by_move = std::max(by_move, totals.spent[cell] - totals.any[cell]);
  }
  // A lipschitz model is charged only by moves, and independent records lose what is charged.
  const double of_any = any.epsilon(), of_move = any.count() == 0 ? g.dependent : by_move.epsilon();
  // In a stream every charge counts as one for moves, and the total is that of a stay.
  g.moves = stream ? TrackMovesText(distance, of_move) : MovesText(distance, of_move, of_any);
  const auto steps = StandardStepsOf(distance).replace;
  if (steps)
    g.standard = static_cast<double>(*steps) * of_move + of_any;
  else if (of_move == 0)
    g.standard = of_any;
}

std::string Assumption(const Policy& policy, const Totals& totals, const std::string& of_model) {
  std::string text = of_model;
  if (IsPanel(policy))
    text += fmt::format(
        "; a chain is the rows of one {0}, and what is protected is the values of one row, not those of all rows of "
        "one {0}",
        *policy.dependence.by);
  text = WithConfidence(policy, std::move(text));
  const auto promises = PromisesMadeBy(policy, {totals.moved, totals.by_cell, totals.before, totals.version});
  if (!promises.empty()) text += "; promised by the policy: " + fmt::format("{}", fmt::join(promises, "; "));
  return text;
}

}  // namespace

std::string WithConfidence(const Policy& policy, std::string of_model) {
  if (!policy.dependence.confidence) return of_model;
  return of_model +
         fmt::format(", with {:.10g} % confidence in the declared strength", 100 * *policy.dependence.confidence);
}

std::string AlarmUnder(const std::vector<AlarmLine>& alarms, const Dependence& declared) {
  if (alarms.empty()) return {};
  const std::string declaration = declared.Declaration();
  std::string last;
  for (const AlarmLine& alarm : alarms) {
    const auto found = check::AlarmFrom(alarm.found);
    if (alarm.about != declaration && !(found && check::Contradicts(*found, declared))) continue;
    last = fmt::format(
        "ALARM: a check found that the data contradict the declared dependence ({}). The dependent loss printed here "
        "rests on what is declared and may be too small; the plain loss does not. This stays until stronger ties are "
        "declared for these groups.",
        found ? found->found : alarm.found);
  }
  return last;
}

void SetPlain(const Policy& policy, double plain, double presence, Guarantee& guarantee) {
  guarantee.plain = plain;
  guarantee.plain_content = plain;
  guarantee.plain_presence = policy.unit.presence == Presence::kSecret ? std::optional(presence) : std::nullopt;
}

Guarantee MakeGuarantee(const Policy& policy, const Transferred& dependent, const Totals& totals) {
  Guarantee g{.counts_presence = policy.counts_presence,
              .dependent = dependent.dependent,
              .bound = dependent.bound,
              .adversary = dependent.adversary,
              .assumption = Assumption(policy, totals, dependent.assumption),
              .source = policy.dependence.source,
              .confidence = policy.dependence.confidence,
              .alarm = totals.alarm,
              .level = policy.unit.key.value_or("row"),
              .neighbours = NeighboursOf(policy),
              .version = totals.version,
              .generation = totals.generation,
              .unproven = UnprovenOn(policy.dependence.model),
              .audit = dependent.audit,
              .one_sided = OneSidedWarning(totals.released)};
  KITH_CHECK(g.unproven.empty() || policy.dependence.accept_unproven);
  SetPlain(policy, Largest(totals.spent).epsilon(), Largest(totals.OfPresence()).epsilon(), g);
  if (policy.unit.distance) AddMoves(*policy.unit.distance, totals, policy.stream.has_value(), g);
  return g;
}

namespace {

// One for each class of the dependence that has cells, in its order.
Result<std::vector<Guarantee::Stratum>> StrataOf(const Policy& policy, const Accountant& account,
                                                 const Totals& totals) {
  std::vector<Guarantee::Stratum> strata;
  if (!policy.HasStrata()) return strata;
  const std::string& column = *policy.dependence.strength_column;
  const auto& group = std::get<Group>(policy.dependence.model);
  std::vector<std::vector<Value>> values(group.classes.size());
  for (const CellColumn& cells : policy.cells.columns()) {
    if (cells.name != column) continue;
    for (const Value& value : cells.values) values[policy.ClassOfValue(value)].push_back(value);
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    strata.push_back({.name = StratumName(column, values[k]), .size = group.SizeOf(k)});
    std::optional<std::size_t> first;
    for (std::size_t cell = 0; cell < totals.spent.size(); ++cell) {
      if (policy.ClassOf(cell) != k) continue;
      strata.back().plain = std::max(strata.back().plain, totals.spent[cell].epsilon());
      if (!first) first = cell;
    }
    if (!first) continue;
    const auto dependent = account.DependentOf(*first, totals);
    if (!dependent) return dependent.error();
    strata.back().dependent = dependent->dependent;
  }
  return strata;
}

}  // namespace

namespace {

// Of everything under the caps, however much was used. The pure total is next to it where there is one.
Result<Guarantee> CappedGuarantee(const Policy& policy, const Accountant& account, const Totals& totals,
                                  const Transferred& dependent) {
  const auto capped = account.Capped(*totals.gaussian);
  if (!capped) return capped.error();
  Guarantee g = MakeGuarantee(policy, dependent, totals);
  if (totals.gaussian->pure) g.pure = Guarantee::Pure{g.plain, g.dependent};
  SetPlain(policy, capped->plain, capped->plain, g);
  g.plain_delta = capped->plain_delta;
  g.dependent = policy.epsilon_total;
  g.delta = capped->delta;
  g.bound = capped->bound;
  for (const auto& [epsilon, delta] : capped->curve) g.curve.push_back({epsilon, delta});
  const auto root = [](const std::vector<std::int64_t>& all) {
    const std::int64_t most = std::min(*std::max_element(all.begin(), all.end()), Loss::Largest(LossKind::kMu));
    return std::sqrt(Loss::Of(LossKind::kMu, most).value().value(LossKind::kMu));
  };
  g.mu_cap = root(totals.gaussian->caps.mu);
  g.mu_spent = root(totals.gaussian->mu);
  g.audit.reset();
  return g;
}

}  // namespace

Result<Guarantee> GuaranteeOf(const Policy& policy, const Accountant& account, const Totals& totals) {
  const auto dependent = account.Dependent(totals);
  if (!dependent) return dependent.error();
  if (totals.gaussian) return CappedGuarantee(policy, account, totals, *dependent);
  const auto households = account.Households(totals);
  if (!households) return households.error();
  Guarantee guarantee = MakeGuarantee(policy, *dependent, totals);
  auto strata = StrataOf(policy, account, totals);
  if (!strata) return strata.error();
  guarantee.strata = std::move(*strata);
  if (*households) {
    const bool secret = policy.unit.presence == Presence::kSecret;
    guarantee.household = Guarantee::Household{
        .level = *policy.unit.within,
        .size = policy.unit.size,
        .plain = (*households)->plain.epsilon(),
        .dependent = (*households)->dependent,
        .neighbours = fmt::format("replace the records of all persons of one household{}; {}",
                                  secret ? ", their absence included" : "", KeptText(policy)),
        .cap = policy.dependence.of_households ? std::optional(policy.epsilon_total) : policy.household_epsilon};
  }
  return guarantee;
}

}  // namespace kith

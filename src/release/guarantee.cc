#include "release/guarantee.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "release/one_sided/one_sided.h"
#include "release/strata.h"

namespace kith {
namespace {

std::string NeighboursOfStream(const Policy& policy) {
  const bool secret = policy.unit.presence == Presence::kSecret;
  if (std::holds_alternative<Chain>(policy.dependence.model)) {
    return fmt::format("replace one unit's record at one step{}; public columns are kept",
                       secret ? ", absence included" : "");
  }
  return fmt::format("replace all that one unit does in at most {} consecutive steps{}; public columns are kept",
                     policy.stream->window, secret ? ", its presence included" : " (when it is present is public)");
}

}  // namespace

std::string NeighboursOf(const Policy& policy) {
  if (policy.stream) return NeighboursOfStream(policy);
  if (policy.unit.distance) return NeighboursText(*policy.unit.distance);
  if (policy.unit.other_key) {
    return fmt::format("replace all rows that name one person in {} or {}, absence included", *policy.unit.key,
                       *policy.unit.other_key);
  }
  return policy.unit.presence == Presence::kSecret
             ? "replace one unit's record, absence included; public columns are kept"
             : "replace one unit's record; public columns are kept";
}

namespace {

// The total counts every answer at what it loses for one move; those that bound any change lose it once for every move.
void AddMoves(const Distance& distance, const Totals& totals, Guarantee& g) {
  PlainUnits any, by_move;
  for (std::size_t cell = 0; cell < totals.any.size(); ++cell) {
    any = std::max(any, totals.any[cell]);
    by_move = std::max(by_move, totals.spent[cell] - totals.any[cell]);
  }
  // A lipschitz model is charged by moves alone, and independent records lose what is charged.
  const double of_any = any.epsilon(), of_move = any.count() == 0 ? g.dependent : by_move.epsilon();
  g.moves = MovesText(distance, of_move, of_any);
  const auto steps = StandardStepsOf(distance).replace;
  if (steps)
    g.standard = static_cast<double>(*steps) * of_move + of_any;
  else if (of_move == 0)
    g.standard = of_any;
}

std::string Assumption(const Policy& policy, const Totals& totals, const std::string& of_model) {
  std::string text = of_model;
  if (policy.dependence.confidence) {
    text += fmt::format(", with {:.10g} % confidence in the declared strength", 100 * *policy.dependence.confidence);
  }
  if (policy.fixed_public_columns)
    text += "; no unit's public columns changed between versions of the data (promised by the policy)";
  else if (totals.moved && policy.unit.within)
    text += "; no person changed the household between versions of the data";
  else if (totals.moved && policy.dependence.by)
    text += "; no unit changed its group between versions of the data";
  return text;
}

}  // namespace

void SetPlain(const Policy& policy, double plain, Guarantee& guarantee) {
  guarantee.plain = plain;
  guarantee.plain_content = plain;
  guarantee.plain_presence = policy.unit.presence == Presence::kSecret ? std::optional(plain) : std::nullopt;
}

Guarantee MakeGuarantee(const Policy& policy, const Transferred& dependent, const Totals& totals) {
  Guarantee g;
  const auto largest = std::max_element(totals.spent.begin(), totals.spent.end());
  SetPlain(policy, largest == totals.spent.end() ? 0 : largest->epsilon(), g);
  g.level = policy.unit.key.value_or("row");
  g.dependent = dependent.dependent;
  g.bound = dependent.bound;
  g.adversary = dependent.adversary;
  g.assumes = Assumption(policy, totals, dependent.assumes);
  g.source = policy.dependence.source;
  g.confidence = policy.dependence.confidence;
  g.version = totals.version;
  g.generation = totals.generation;
  g.neighbours = NeighboursOf(policy);
  if (policy.unit.distance) AddMoves(*policy.unit.distance, totals, g);
  g.unproven = UnprovenOn(policy.dependence.model);
  KITH_CHECK(g.unproven.empty() || policy.dependence.accept_unproven);
  g.audit = dependent.audit;
  g.one_sided = OneSidedWarning(totals.released);
  return g;
}

namespace {

// One for each class of the dependence that has cells, in its order.
Result<std::vector<Guarantee::Stratum>> StrataOf(const Policy& policy, const Account& account, const Totals& totals) {
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

Result<Guarantee> GuaranteeOf(const Policy& policy, const Account& account, const Totals& totals) {
  const auto dependent = account.Dependent(totals);
  if (!dependent) return dependent.error();
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
        .neighbours = fmt::format("replace the records of all persons of one household{}; public columns are kept",
                                  secret ? ", their absence included" : ""),
        .cap = policy.dependence.of_households ? std::optional(policy.epsilon_total) : policy.household_epsilon};
  }
  return guarantee;
}

}  // namespace kith

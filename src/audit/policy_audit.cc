#include "audit/policy_audit.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "policy/per_row.h"
#include "policy/stay.h"

namespace kith {
namespace {

/// Between any two places of a metric unit's region, and between present and absent where that is secret; 1 otherwise.
double StepsOfAnyChange(const Policy& policy) {
  if (!policy.unit.distance) return 1;
  const StandardSteps steps = StandardStepsOf(*policy.unit.distance);
  if (!steps.replace) return INFINITY;
  if (policy.unit.distance->sources.kind == Sources::Kind::kNone) return static_cast<double>(*steps.replace);
  return steps.appear ? static_cast<double>(std::max(*steps.replace, *steps.appear)) : INFINITY;
}

/// Rounded up.
Result<PlainUnits> UnitsFor(double plain) {
  auto units = PlainUnits::Floor(plain);
  if (units && units->epsilon() < plain && units->count() < PlainUnits::kMax)
    units = PlainUnits::Of(units->count() + 1);
  return units;
}

/// Persons who depend only on others of their household lose no more than the household does: a separate reading, and
/// the most that anybody loses wherever placed.
Result<void> AddHousehold(const Policy& policy, const Accountant& account, const Totals& now, const Totals& after,
                          PolicyAudit& report) {
  if (!policy.unit.within || std::holds_alternative<Independent>(policy.dependence.model)) return {};
  const auto before = account.Households(now);
  if (!before) return before.error();
  const auto then = account.Households(after);
  if (!then) return then.error();
  if (!*before || !*then) return {};
  const double has = (*before)->dependent, would = (*then)->dependent;
  for (audit::StratumLeak& stratum : report.leak.strata)
    stratum.readings.push_back({"household", has, would, report.guarantee.adversary, true});
  for (audit::Place& place : report.leak.places) {
    place.now = std::min(place.now, has);
    place.after = std::min(place.after, would);
  }
  return {};
}

/// The dependent loss as certificates state it, and bits for any change of a unit.
Result<void> TakeCertifiedLoss(const Policy& policy, const Accountant& account, const BudgetReport& budget,
                               PolicyAudit& report) {
  Totals now, after;
  now.moved = after.moved = budget.moved;
  for (const auto& cell : budget.cells) {
    const auto household = UnitsFor(cell.plain_household);
    if (!household) return household.error();
    now.household.push_back(*household);
  }
  after.household = now.household;
  for (const audit::StratumLeak& stratum : report.leak.strata) {
    const auto before = UnitsFor(stratum.stratum.plain);
    const auto then = UnitsFor(stratum.stratum.plain + report.leak.more);
    if (!before) return before.error();
    if (!then) return then.error();
    now.spent.push_back(*before);
    after.spent.push_back(*then);
  }
  for (std::size_t cell = 0; cell < report.leak.strata.size(); ++cell) {
    audit::StratumLeak& stratum = report.leak.strata[cell];
    const auto before = account.DependentOf(cell, now);
    if (!before) return before.error();
    const auto then = account.DependentOf(cell, after);
    if (!then) return then.error();
    stratum.dependent_now = before->dependent;
    if (policy.unit.within) stratum.reached_now.reset();  // a question about households takes less from each person
    stratum.dependent_after = then->dependent;
    stratum.bits_now = audit::BitsOf(report.AnyChange(stratum.dependent_now));
    stratum.bits_after = audit::BitsOf(report.AnyChange(stratum.dependent_after));
    report.largest = std::max(report.largest, stratum.dependent_now);
  }
  return AddHousehold(policy, account, now, after, report);
}

}  // namespace

Result<PolicyAudit> AuditPolicy(const Curator& curator, std::optional<double> epsilon, const Call& call) {
  const Policy& policy = curator.policy();
  const Accountant& account = curator.account();
  if (policy.dependence.of_households) {
    return Unsupported(
        "the model is about households: what was charged about persons says too little about its records",
        "[dependence]", "the budget shows the losses of persons and of households with their bounds");
  }
  const Stage stage(call, "auditing the history");
  const auto budget = curator.Budget();
  if (!budget) return budget.error();
  if (budget->guarantee.CountsDelta()) {
    return Unsupported("this ledger counts with a delta, and a history that was chosen as it went has no exact loss",
                       policy.file.string(), "the budget shows the caps and what they guarantee");
  }
  if (policy.stream && epsilon) {
    return InvalidArgument("one more answer has a price, but a stream is paid for by the window", policy.file.string(),
                           "leave it out; the explanation of a stream shows what it will lose")
        .For("price.epsilon");
  }
  const auto transfer = account.curve().Whole(policy, curator.options(), call);
  if (!transfer) return transfer.error();
  PolicyAudit report;
  report.file = policy.file.string();
  // Audits are about any change: where presence is limited, that may lose twice as much.
  const double times = policy.counts_presence ? 2 : 1;
  report.epsilon_total = times * budget->epsilon_total;
  report.answers = static_cast<std::size_t>(
      std::count_if(budget->history.begin(), budget->history.end(), [](const HistoryLine& line) {
        return line.one_sided_account.empty() || line.units.count() > 0;  // a file of true rows is not an answer
      }));
  report.dependence = Kind(policy.dependence.model);
  report.guarantee = budget->guarantee;
  report.stay = StayOf(policy);
  report.distance = policy.unit.distance;
  report.steps = StepsOfAnyChange(policy);
  std::vector<audit::Stratum> strata;
  report.any = policy.unit.distance ? INFINITY : 0;  // the least of any cell: what is more counts for every move
  double smallest = INFINITY;
  std::vector<double> spent;
  for (const auto& cell : budget->cells) spent.push_back(cell.plain_spent);
  spent = LargestOfUnits(policy, std::move(spent));  // strata are of units
  for (std::size_t cell = 0; cell < budget->cells.size(); ++cell) {
    strata.push_back({budget->cells[cell].name, policy.ClassOf(cell), spent[cell]});
    smallest = std::min(smallest, budget->cells[cell].plain_budget);
    report.any = std::min(report.any, budget->cells[cell].plain_any);
  }
  double more = 0;
  if (epsilon) {
    const auto checked = Epsilon::Make(*epsilon);
    if (!checked) return checked.error();
    report.epsilon = *epsilon;
    more = times * *epsilon / budget->epsilon_total * smallest;  // the price of a question that charges everybody
  }
  auto leak = audit::LeakOf(*transfer, strata, more, account.curve().widened());
  if (!leak) return leak.error();
  report.leak = std::move(*leak);
  report.leak.assumption = report.guarantee.assumption;  // with every promise that the guarantee rests on
  if (auto taken = TakeCertifiedLoss(policy, account, *budget, report); !taken) return taken.error();
  // A cell of rows shows what was charged to it; everything else is about units, which may have rows in several.
  for (std::size_t cell = 0; cell < budget->cells.size(); ++cell)
    report.leak.strata[cell].stratum.plain = budget->cells[cell].plain_spent;
  return report;
}

}  // namespace kith

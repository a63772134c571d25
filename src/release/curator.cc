// What a curator offers: explain, ask, analyse, and what was spent. Both ways to an answer go through one pipeline.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "query/output/output.h"
#include "query/records.h"
#include "release/analyse.h"
#include "release/average_error.h"
#include "release/compose_answer.h"
#include "release/curator_state.h"
#include "release/noisy.h"
#include "release/pipeline.h"
#include "release/pricing.h"
#include "release/ranks.h"
#include "release/release.h"

namespace kith {

Curator::Curator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Curator::Curator(Curator&&) noexcept = default;
Curator& Curator::operator=(Curator&&) noexcept = default;
Curator::~Curator() = default;

const Policy& Curator::policy() const { return state_->policy; }

Result<Curator> Curator::Open(const std::filesystem::path& file, const EngineOptions& options, const Call& call) {
  auto policy = Policy::Load(file);
  if (!policy) return policy.error();
  if (auto built = EngineIsBuilt(*policy); !built) return built.error();
  for (const OneSidedAttribute& attribute : policy->one_sided) {
    if (const auto rule = PlanRecords(attribute, *policy); !rule) return rule.error();
  }
  auto curve = Curve::Make(*policy, options, call);
  if (!curve) return curve.error();
  auto account = Account::Make(*policy, std::move(*curve));
  if (!account) return account.error();
  return Curator(std::make_unique<State>(std::move(*policy), options, std::move(*account)));
}

// Where records depend on each other by distances, a charge for changes of any size has no transfer function.
Result<void> Curator::State::MayCharge(bool loses_by_distance) const {
  if (policy.stream) {
    return Unsupported("this policy describes a stream, whose budget is counted step by step", "[stream]",
                       "ask for a release at every step")
        .For("request.stream");
  }
  if (loses_by_distance || !std::holds_alternative<Lipschitz>(policy.dependence.model)) return {};
  return Unsupported(
             "the policy says how far people move with each other (lipschitz), which bounds losses per distance; a "
             "question "
             "is "
             "charged for any change of a record, however far, and has no such loss",
             {}, "ask for points; or declare kind = \"group\" and no distance")
      .For("request.points");
}

// Both losses before and after, and whether the budget allows it.
Result<void> Curator::State::Forecast(PlainUnits price, Covers covers, Explanation& out) const {
  const auto totals = TotalsSoFar();
  if (!totals) return totals.error();
  const Totals after = After(*totals, out.plan.charged, price, covers);
  const auto dependent_before = account.Dependent(*totals);
  if (!dependent_before) return dependent_before.error();
  auto guarantee = GuaranteeOf(policy, account, after);
  if (!guarantee) return guarantee.error();
  out.units = price;
  out.plain_spent_before = Largest(totals->spent).epsilon();
  out.dependent_before = dependent_before->dependent;
  out.guarantee = std::move(*guarantee);
  out.cells = after.spent.size();
  out.charged_cells = ChargedCells(out.plan.charged).size();
  out.affordable = true;
  const auto limits = account.Limits(totals->moved);
  for (const auto cell : ChargedCells(out.plan.charged)) {
    if (after.spent[cell] <= limits[cell]) continue;
    out.affordable = false;
    out.refusal = fmt::format("the total would exceed the policy's epsilon of {} for: {}", policy.epsilon_total,
                              policy.cells.Name(cell));
    break;
  }
  if (const auto allowed = AllowsNoisyAnswers(policy, totals->released); !allowed) {
    out.affordable = false;
    out.refusal = allowed.error().what;
  }
  return {};
}

Result<Explanation> Curator::Explain(const std::string& sql, const Price& price) const {
  if (auto may = state_->MayCharge(false); !may) return may.error();
  auto plan = PlanQuestion(sql, state_->policy);
  if (!plan) return plan.error();
  auto priced = PriceQuestion(*plan, price, state_->policy.epsilon_total, state_->account.Budget(plan->charged));
  if (!priced) return priced.error();
  Explanation out;
  out.plan = std::move(*plan);
  const auto forecast = state_->Forecast(priced->total, Covers::kAny, out);
  if (!forecast) return forecast.error();
  out.averages = AverageErrors(out.plan, *priced);
  out.noise = std::move(priced->noise);
  out.sql = out.plan.duckdb_sql;
  for (std::size_t k = 0; k < out.plan.statistics.size(); ++k) {
    const Statistic& statistic = out.plan.statistics[k];
    if (!statistic.quantile) continue;
    if (statistic.noisy())
      out.plan.notes.push_back({NoteKind::kAccuracy, RankNote(statistic, out.noise[k].error_95)});
    if (out.sql.find(statistic.quantile->duckdb_sql) != std::string::npos) continue;
    out.sql += (out.sql.empty() ? "" : ";\n") + statistic.quantile->duckdb_sql;
  }
  return out;
}

namespace {

// Everything else bounds what a unit's own rows change, and takes a row to have one unit.
Result<void> KnowsUnit(const Policy& policy, bool knows_pairs) {
  if (!policy.unit.other_key || knows_pairs) return {};
  return Unsupported("this analysis is not for units that are people in either of two columns", {}, "ask for degrees")
      .For("request.degrees");
}

Covers CoversOf(const Study& study) { return study.HidesAnyChange() ? Covers::kAny : Covers::kMove; }

}  // namespace

Result<Explanation> Curator::Explain(const Analysis& analysis, const Price& price) const {
  if (auto may = state_->MayCharge(false); !may) return may.error();
  if (auto knows = KnowsUnit(state_->policy, analysis.KnowsPairs()); !knows) return knows.error();
  const auto priced =
      PriceAnalysis(analysis, price, state_->policy.epsilon_total, state_->account.Budget(analysis.Charged()));
  if (!priced) return priced.error();
  auto out = RehearseAnalysis(analysis, *priced);
  if (!out) return out;
  const auto forecast = state_->Forecast(priced->total, Covers::kAny, *out);
  if (!forecast) return forecast.error();
  return out;
}

Result<Explanation> Curator::Explain(const Study& study, const Price& price) const {
  if (auto may = state_->MayCharge(study.LosesByDistance()); !may) return may.error();
  if (auto knows = KnowsUnit(state_->policy, false); !knows) return knows.error();
  const auto priced = PriceStudy(study, price, state_->policy.epsilon_total, state_->account.Budget(study.Charged()));
  if (!priced) return priced.error();
  auto out = OutlineStudy(study, *priced);
  if (!out) return out;
  const auto forecast = state_->Forecast(priced->total, CoversOf(study), *out);
  if (!forecast) return forecast.error();
  return out;
}

Result<Answer> Curator::Ask(const std::string& sql, const Price& price, const Call& call) const {
  if (auto may = state_->MayCharge(false); !may) return may.error();
  const auto plan = PlanQuestion(sql, state_->policy);
  if (!plan) return plan.error();
  auto priced = PriceQuestion(*plan, price, state_->policy.epsilon_total, state_->account.Budget(plan->charged));
  if (!priced) return priced.error();
  const Work work{plan->normalised, plan->charged, std::move(*priced),
                  [&](const Engine& engine, const Priced& paid) -> Result<Answer> {
                    const auto exact = ReadExact(*plan, engine, call.cancel);
                    if (!exact) return exact.error();
                    const auto noisy = AddNoise(*plan, *exact, paid.shares, SystemBits::ForThisThread());
                    if (!noisy) return noisy.error();
                    return ComposeAnswer(*plan, *noisy, paid);
                  }};
  return state_->Release(work, call);
}

Result<Answer> Curator::Analyse(const Analysis& analysis, const Price& price, const Call& call) const {
  if (auto may = state_->MayCharge(false); !may) return may.error();
  if (auto knows = KnowsUnit(state_->policy, analysis.KnowsPairs()); !knows) return knows.error();
  auto priced =
      PriceAnalysis(analysis, price, state_->policy.epsilon_total, state_->account.Budget(analysis.Charged()));
  if (!priced) return priced.error();
  const Work work{analysis.Normalised(), analysis.Charged(), std::move(*priced),
                  [&](const Engine& engine, const Priced& paid) {
                    return RunAnalysis(analysis, engine, paid, SystemBits::ForThisThread(), call);
                  }};
  return state_->Release(work, call);
}

Result<Answer> Curator::Analyse(const Study& study, const Price& price, const Call& call) const {
  if (auto may = state_->MayCharge(study.LosesByDistance()); !may) return may.error();
  if (auto knows = KnowsUnit(state_->policy, false); !knows) return knows.error();
  auto priced = PriceStudy(study, price, state_->policy.epsilon_total, state_->account.Budget(study.Charged()));
  if (!priced) return priced.error();
  const auto outline = OutlineStudy(study, *priced);  // what can be refused without data is refused before the charge
  if (!outline) return outline.error();
  const Work work{study.Normalised(),
                  study.Charged(),
                  std::move(*priced),
                  [&](const Engine& engine, const Priced& paid) {
                    return RunStudy(study, engine, paid, SystemBits::ForThisThread(), call);
                  },
                  std::nullopt,
                  CoversOf(study)};
  return state_->Release(work, call);
}

namespace {

/// Accounts of the policy, used or not, then those of attributes that it no longer has.
void AddOneSided(const Policy& policy, const std::vector<OneSidedAccount>& accounts, BudgetReport& report) {
  const auto named = [](const std::string& name) { return [&name](const auto& other) { return other.name == name; }; };
  for (const OneSidedAttribute& attribute : policy.one_sided) {
    const auto used = std::find_if(accounts.begin(), accounts.end(), named(attribute.name));
    report.one_sided.push_back(
        {used == accounts.end() ? OneSidedAccount{attribute.name, {}, {}} : *used, attribute.epsilon});
  }
  for (const OneSidedAccount& account : accounts) {
    if (std::none_of(policy.one_sided.begin(), policy.one_sided.end(), named(account.name)))
      report.one_sided.push_back({account, std::nullopt});
  }
}

}  // namespace

Result<BudgetReport> Curator::Budget() const {
  BudgetReport report;
  report.epsilon_total = state_->policy.epsilon_total;
  const auto totals = state_->TotalsSoFar();
  if (!totals) return totals.error();
  const auto limits = state_->account.Limits(totals->moved);
  for (std::size_t cell = 0; cell < totals->spent.size(); ++cell) {
    const auto dependent = state_->account.DependentOf(cell, *totals);
    if (!dependent) return dependent.error();
    report.cells.push_back({state_->policy.cells.Name(cell), totals->spent[cell].epsilon(), limits[cell].epsilon(),
                            dependent->dependent, totals->any.empty() ? 0 : totals->any[cell].epsilon()});
  }
  report.moved = totals->moved;
  AddOneSided(state_->policy, totals->released, report);
  auto guarantee = GuaranteeOf(state_->policy, state_->account, *totals);
  if (!guarantee) return guarantee.error();
  report.guarantee = std::move(*guarantee);
  const auto ledger = state_->LookAtLedger();
  if (!ledger) return ledger.error();
  if (!*ledger) return report;
  auto versions = (*ledger)->DataHistory();
  if (!versions) return versions.error();
  report.versions = std::move(*versions);
  const auto safe_from = (*ledger)->SafeFrom();
  if (!safe_from) return safe_from.error();
  report.safe_from = *safe_from;
  auto history = (*ledger)->History();
  if (!history) return history.error();
  report.history = std::move(*history);
  const auto head = (*ledger)->Head();
  if (!head) return head.error();
  report.head = head->head;
  report.policy_changed = (*ledger)->policy_changed();
  return report;
}

}  // namespace kith

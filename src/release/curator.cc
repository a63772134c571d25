// The pipeline: plan, price, look for a stored answer, charge, read, add noise, answer. In this order and no other.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "query/output.h"
#include "release/average_error.h"
#include "release/compose_answer.h"
#include "release/curator_state.h"
#include "release/noisy.h"
#include "release/pricing.h"
#include "release/release.h"

namespace kith {

namespace {

constexpr const char* kDataChanged =
    "the data changed since the last question: this answer is about the data as they are now, and all that was spent "
    "stays spent";

// Two questions share an answer only if nothing that could change it differs.
std::string AnswerKey(const Plan& plan, const std::string& policy, const std::string& data_version,
                      const Priced& priced) {
  std::string text = plan.normalised + "\n" + policy + "\n" + data_version;
  for (const auto& share : priced.shares) text += fmt::format("\n{}", share.count());
  return Sha256(text);
}

// The charge stands whatever happens now; the analyst must know.
Error AfterCharge(Error error, const LedgerEntry& entry, PlainUnits units) {
  error.what += fmt::format(" (entry {} of the ledger stays: a plain loss of {:.4g} was charged before data were read)",
                            entry.number, units.epsilon());
  const char* again = "no answer was kept, so asking again is charged again";
  error.next = error.next.empty() ? again : error.next + "; " + again;
  return error;
}

// Whoever stops a question, or meets a full disk, wants to know what it cost.
Error BeforeCharge(Error error) {
  if (error.code == Code::kCancelled || error.code == Code::kStorage) error.what += "; nothing was charged";
  return error;
}

// A disk that fails in the middle: too much may be counted, never too little.
Error WhileCharging(Error error) {
  if (error.code == Code::kStorage) error.what += "; the question was not answered, but its charge may be counted";
  return error;
}

PlainUnits Largest(const std::vector<PlainUnits>& spent) {
  return spent.empty() ? PlainUnits() : *std::max_element(spent.begin(), spent.end());
}

std::vector<PlainUnits> After(std::vector<PlainUnits> spent, const Plan& plan, PlainUnits units) {
  for (const auto cell : ChargedCells(plan)) {
    spent[cell] = PlainUnits::Of(std::min(PlainUnits::kMax, spent[cell].count() + units.count()));
  }
  return spent;
}

}  // namespace

Curator::Curator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Curator::Curator(Curator&&) noexcept = default;
Curator& Curator::operator=(Curator&&) noexcept = default;
Curator::~Curator() = default;

const Policy& Curator::policy() const { return state_->policy; }

Result<Curator> Curator::Open(const std::filesystem::path& file, const EngineOptions& options) {
  auto policy = Policy::Load(file);
  if (!policy) return policy.error();
  if (auto built = EngineIsBuilt(*policy); !built) return built.error();
  auto curve = Curve::Make(*policy, options, CancelFlag());
  if (!curve) return curve.error();
  auto account = Account::Make(*policy, std::move(*curve));
  if (!account) return account.error();
  return Curator(std::make_unique<State>(std::move(*policy), options, std::move(*account)));
}

Result<void> Curator::Import(const CancelFlag& cancel) const {
  const auto engine = state_->OpenData(cancel, true);
  if (!engine) return engine.error();
  return {};
}

Result<Explanation> Curator::Explain(const std::string& sql, const Price& price) const {
  auto plan = PlanQuestion(sql, state_->policy);
  if (!plan) return plan.error();
  auto priced = PriceQuestion(*plan, price, state_->policy.epsilon_total, state_->account.Budget(plan->charged));
  if (!priced) return priced.error();
  const auto spent = state_->SpentSoFar();
  if (!spent) return spent.error();
  const auto after = After(*spent, *plan, priced->total);
  const auto dependent_before = state_->account.Dependent(*spent);
  if (!dependent_before) return dependent_before.error();
  const auto dependent_after = state_->account.Dependent(after);
  if (!dependent_after) return dependent_after.error();

  Explanation out;
  out.plan = std::move(*plan);
  out.units = priced->total;
  out.averages = AverageErrors(out.plan, *priced);
  out.noise = std::move(priced->noise);
  out.sql = out.plan.duckdb_sql;
  out.plain_spent_before = Largest(*spent).epsilon();
  out.plain_spent_after = Largest(after).epsilon();
  out.dependent_before = dependent_before->dependent;
  out.dependent_after = dependent_after->dependent;
  out.transfer = dependent_after->bound;
  out.adversary = dependent_after->adversary;
  out.assumes = dependent_after->assumes;
  out.cells = after.size();
  out.charged_cells = ChargedCells(out.plan).size();
  out.affordable = true;
  for (const auto cell : ChargedCells(out.plan)) {
    if (after[cell] <= state_->account.limits()[cell]) continue;
    out.affordable = false;
    out.refusal = fmt::format("the total would exceed the policy's epsilon of {} for: {}", state_->policy.epsilon_total,
                              state_->policy.cells.Name(cell));
    break;
  }
  return out;
}

Result<Answer> Curator::Ask(const std::string& sql, const Price& price, const CancelFlag& cancel) const {
  const Policy& policy = state_->policy;
  const auto plan = PlanQuestion(sql, policy);
  if (!plan) return plan.error();
  const auto priced = PriceQuestion(*plan, price, policy.epsilon_total, state_->account.Budget(plan->charged));
  if (!priced) return priced.error();
  const auto engine = state_->OpenData(cancel, false);
  if (!engine) return BeforeCharge(engine.error());
  const auto version = (*engine)->DataVersion();
  if (!version) return BeforeCharge(version.error());
  const auto ledger = state_->OpenLedger();
  if (!ledger) return BeforeCharge(ledger.error());

  const bool data_changed = state_->DataChanged(*version);
  const std::string key = AnswerKey(*plan, state_->Binding().policy, *version, *priced);
  const auto stored = (*ledger)->FindAnswer(key);
  if (!stored) return stored.error();
  if (*stored) {
    auto answer = AnswerFromJson((*stored)->answer);
    if (!answer) return answer;
    answer->stored = true;
    // The totals of now, not of then.
    const auto total = (*ledger)->Spent();
    if (!total) return total.error();
    const auto meanwhile = state_->account.Dependent(*total);
    if (!meanwhile) return meanwhile.error();
    answer->certificate.plain_spent_total = Largest(*total).epsilon();
    answer->certificate.dependent_epsilon_total = meanwhile->dependent;
    if (data_changed) answer->notes.push_back(kDataChanged);
    return answer;
  }

  if (cancel.cancelled()) return Cancelled("stopped; nothing was charged");
  const auto entry =
      (*ledger)->Charge({priced->total, ChargedCells(*plan), state_->account.limits(), plan->normalised, key});
  if (!entry)
    return entry.error().code == Code::kBudgetExhausted ? state_->WhatIsLeft(entry.error(), *plan)
                                                        : WhileCharging(entry.error());

  const auto exact = (*engine)->Run(plan->Sql((*engine)->dialect()), cancel);
  if (!exact) return AfterCharge(exact.error(), *entry, priced->total);
  SystemBits& bits = SystemBits::ForThisThread();
  const auto noisy = AddNoise(*plan, *exact, priced->shares, bits);
  if (!noisy) return AfterCharge(noisy.error(), *entry, priced->total);

  Answer answer = ComposeAnswer(*plan, *noisy, *priced);
  const auto spent = (*ledger)->Spent();
  if (!spent) return AfterCharge(spent.error(), *entry, priced->total);
  const auto dependent = state_->account.Dependent(*spent);
  if (!dependent) return AfterCharge(dependent.error(), *entry, priced->total);
  Certify(policy, *priced, *dependent, Largest(*spent), *entry, answer);
  const auto kept = (*ledger)->StoreAnswer(*entry, key, AnswerToJson(answer));
  if (!kept) answer.notes.push_back("the answer could not be stored: asking again will be charged again");
  if (data_changed) answer.notes.push_back(kDataChanged);  // about this session: not kept with the answer
  return answer;
}

Result<BudgetReport> Curator::Budget() const {
  BudgetReport report;
  report.epsilon_total = state_->policy.epsilon_total;
  auto spent = state_->SpentSoFar();
  if (!spent) return spent.error();
  for (std::size_t cell = 0; cell < spent->size(); ++cell) {
    const auto dependent = state_->account.DependentOf(cell, *spent);
    if (!dependent) return dependent.error();
    report.cells.push_back({state_->policy.cells.Name(cell), (*spent)[cell].epsilon(),
                            state_->account.limits()[cell].epsilon(), dependent->dependent});
  }
  const auto worst = state_->account.Dependent(*spent);
  if (!worst) return worst.error();
  report.transfer = worst->bound;
  report.adversary = worst->adversary;
  report.assumes = worst->assumes;
  const auto exists = Ledger::Exists(state_->policy.ledger);
  if (!exists) return exists.error();
  if (!*exists) return report;
  const auto ledger = state_->OpenLedger();
  if (!ledger) return ledger.error();
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

// What a curator offers: explain, release, and what was spent. Every release goes through the pipeline.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/meter.h"
#include "ledger/checks.h"
#include "loss/loss_kinds.h"
#include "loss/loss_text.h"
#include "query/one_sided_rows.h"
#include "release/allowed.h"
#include "release/cells_release.h"
#include "release/curator_state.h"
#include "release/cut_rows.h"
#include "release/delta_price.h"
#include "release/free_answer.h"
#include "release/pipeline.h"
#include "release/price_left.h"
#include "release/public_facts.h"
#include "release/question_release.h"
#include "release/release.h"
#include "release/strata.h"
#include "release/stream/stream.h"

namespace kith {

Curator::Curator(std::unique_ptr<const CuratorState> state) : state_(std::move(state)) {}
Curator::Curator(Curator&&) noexcept = default;
Curator& Curator::operator=(Curator&&) noexcept = default;
Curator::~Curator() = default;

const Policy& Curator::policy() const { return state_->policy; }
const Accountant& Curator::account() const { return state_->account; }
const EngineOptions& Curator::options() const { return state_->options; }

namespace {

// A call that ran out of time says so.
template <class T>
Result<T> InTime(Result<T> done, const Call& call) {
  if (done || done.error().code != Code::kCancelled || !call.cancel.late()) return done;
  Error error = done.error();
  error.what = "the deadline has passed: " + error.what;
  return error;
}

Result<std::unique_ptr<CuratorState>> OpenState(const std::filesystem::path& file, const EngineOptions& options,
                                                const Call& call) {
  auto policy = Policy::Load(file);
  if (!policy) return policy.error();
  const auto engine = EngineFor(*policy, options);
  if (!engine) return engine.error();
  EngineOptions with_engine = options;
  with_engine.engine = *engine;
  for (const OneSidedAttribute& attribute : policy->one_sided) {
    if (const auto rule = PlanRecords(attribute, *policy); !rule) return rule.error();
  }
  const Stage stage(call, "bounding the dependence");
  auto curve = BudgetCurve::Make(*policy, options, call);
  if (!curve) return curve.error();
  auto account = Accountant::Make(*policy, std::move(*curve));
  if (!account) return account.error();
  return std::make_unique<CuratorState>(std::move(*policy), std::move(with_engine), std::move(*account));
}

Result<std::unique_ptr<Release>> Planned(const Request& request, const Price& price, const CuratorState& state,
                                         bool explains) {
  ReleaseContext context{state.policy, state.account, *state.options.engine, explains};
  const auto* question = std::get_if<QuestionRequest>(&request);
  const bool workload = std::holds_alternative<WorkloadRequest>(request);
  if (workload || (question && (explains || price.error_95))) {
    const auto data = DataOfFacts(state);
    if (data) context.units = RememberedUnits(state, *data);
    if (explains && context.units) context.groups = RememberedGroupsOf(state, *data);
  }
  context.asked = &state.asked;
  const auto make = [&](const Accountant& account) {
    const ReleaseContext with{context.policy, account,        context.engine, context.explains,
                              context.units,  context.groups, context.asked};
    auto made = std::visit([&](const auto& wanted) { return MakeRelease(wanted, price, with); }, request);
    return question ? OrLargeCells(std::move(made), *question, price, with) : std::move(made);
  };
  return state.policy.with_delta ? PriceWithDelta(state, price, make) : make(state.account);
}

// Counted, so that nobody keeps a server busy with what is never charged. A plan has many questions.
std::uint64_t StepsFor(const Request& request) {
  return std::holds_alternative<WorkloadRequest>(request) ? 10 * Meter::kPlanning : Meter::kPlanning;
}

Result<std::unique_ptr<Release>> ReleaseFor(const Request& request, const Price& price, const CuratorState& state,
                                            const CancelFlag& cancel, bool explains = false) {
  return Metered(StepsFor(request), cancel, [&] { return Planned(request, price, state, explains); });
}

// What the engine will be asked, each statement once.
std::string TextOf(const std::vector<sql::Statement>& statements, const sql::Dialect& dialect) {
  std::string all;
  for (const sql::Statement& statement : statements) {
    const std::string text = dialect.Write(statement);
    if (text.empty() || all.find(text) != std::string::npos) continue;
    all.append(all.empty() ? "" : ";\n").append(text);
  }
  return all;
}

// Whether the separate account has room for a one-sided charge.
std::string OneSidedRefusal(const Policy& policy, const OneSidedCharge& charge,
                            const std::vector<OneSidedAccount>& accounts) {
  PlainUnits total = charge.units;
  for (const OneSidedAccount& account : accounts) {
    if (account.name == charge.account) total = PlainUnits::CutSum(total, account.spent);
  }
  if (total <= charge.limit) return {};
  return fmt::format("the account of '{}' would hold {}, and {} is allowed", charge.account, LossText(total.epsilon()),
                     LeftText((*FindOneSided(policy, charge.account))->epsilon));
}

// Whom a refusal is about: nobody in particular where it is about everybody.
std::string WhoseText(const Policy& policy, const std::vector<std::size_t>& cells) {
  if (cells.size() == policy.cells.size()) return {};
  return cells.size() == 1 ? " for: " + policy.cells.Name(cells[0])
                           : fmt::format(" for {} of {} public cells", cells.size(), policy.cells.size());
}

constexpr const char* kAllowsLess =
    "the policy now allows less than the caps that were fixed when this ledger began to count with a delta";

std::string PassesDelta(const CuratorState& state, std::size_t cell) {
  return fmt::format("the delta that is kept for keys would be passed for: {}", state.policy.cells.Name(cell));
}

// Whether cells, and households where units are nested, have room for a charge.
std::string BudgetRefusal(const Release& release, const Totals& totals, const Totals& after,
                          const CuratorState& state) {
  const auto cells = ChargedCells(release.charged);
  if (release.by_caps) {
    if (!CapsStand(state.account, totals)) return kAllowsLess;
    for (const std::size_t cell : cells) {
      if (after.gaussian->mu[cell] > after.gaussian->caps.mu[cell])
        return fmt::format("the Gaussian loss would pass its cap for: {}", state.policy.cells.Name(cell));
      if (after.gaussian->delta[cell] > after.gaussian->caps.delta[cell]) return PassesDelta(state, cell);
    }
    return {};
  }
  if (release.priced.total.count() == 0 || cells.empty()) return {};
  if (totals.gaussian && !state.account.with_delta())
    return "this ledger counts with a delta, which cannot be undone, and the policy states none";
  if (after.gaussian) {
    if (!CapsStand(state.account, totals)) return kAllowsLess;
    for (const std::size_t cell : cells) {
      if (after.gaussian->delta[cell] > after.gaussian->caps.delta[cell]) return PassesDelta(state, cell);
    }
  }
  if (state.account.nested() && state.account.Fits(after)) return {};
  if (state.account.nested()) {
    const NestedLimits& nested = *state.account.nested();
    if (HouseholdLoss(after.spent, after.household, nested.size) > nested.limit)
      return fmt::format("the plain loss of a household would exceed {}", LeftText(nested.limit.epsilon()));
  }
  const auto limits = state.account.Limits(after);
  std::vector<std::size_t> beyond;
  for (std::size_t cell = 0; cell < limits.size(); ++cell) {
    // Households: what one of them lost counts for all of its persons, whichever cells they are in.
    if (state.account.Counted(after)[cell] > limits[cell] && (release.charged[cell] || state.account.nested()))
      beyond.push_back(cell);
  }
  if (beyond.empty()) return {};
  const double left =
      PriceLeft(state.account, totals, {release.charged, release.covers, release.level, release.priced.strata},
                state.policy.epsilon_total);
  return fmt::format("the total would exceed the policy's epsilon of {}{}; at most {} of it is left for this question",
                     state.policy.epsilon_total, WhoseText(state.policy, beyond),
                     LeftText(std::floor(left * 1e4) / 1e4));
}

// What the ledger has about rows that the answer would not count.
Result<void> TellBefore(const Release& release, const CuratorState& state, std::vector<Note>& notes) {
  const auto book = state.LookAtLedger();
  if (!book) return book.error();
  if (!*book) return {};
  const auto data = (*book)->Data();
  if (!data) return data.error();
  if (data->label != state.policy.data_version) return {};  // another version begins
  return TellOfCutRows(state, **book, *data, release, notes);
}

// Whether the ledger has an answer to this release itself, about the data that it would read now. `note`: what else it
// has for it.
Result<bool> IsStored(const Release& release, const CuratorState& state, std::string& note) {
  if (release.repeat != Repeat::kFromLedger) return false;
  const auto book = state.LookAtLedger();
  if (!book) return book.error();
  if (!*book) return false;
  const auto data = (*book)->Data();
  if (!data) return data.error();
  if (data->label != state.policy.data_version) return false;  // another version begins
  std::vector<std::string> texts = release.OtherKeyTexts(*data);
  texts.push_back(release.KeyText(release.reads.empty() ? state.binding.policy : release.reads, *data));
  bool stored = false;
  auto looked = (*book)->AtOneMoment([&]() -> Result<void> {
    stored = false;
    for (const std::string& text : texts) {
      const auto found = (*book)->FindAnswer((*book)->KeyOf(text));
      if (!found) return found.error();
      if (*found) stored = true;
      if (stored) break;
    }
    return {};
  });
  if (!looked) return looked.error();
  if (stored) return true;
  const QuestionRelease* question = release.Bought().AsQuestion();
  if (!question) return false;
  const auto known = FindKnown(*question, **book, *data);
  if (!known) return known.error();
  if (FreeAnswerFrom(*question, *known)) return true;
  note = CombinedNote(*question, *known);
  return false;
}

// What was charged under a caller's name with an allowance.
Result<PlainUnits> UsedBy(const Caller& caller, const CuratorState& state) {
  const auto book = state.LookAtLedger();
  if (!book) return book.error();
  if (!*book) return PlainUnits();
  const auto totals = (*book)->Totals();
  if (!totals) return totals.error();
  for (const AnalystAccount& account : totals->analysts) {
    if (account.name == caller.name) return account.spent;
  }
  return PlainUnits();
}

// Whether the caller's allowance covers a release; it counts as the ledger does.
Result<std::string> AllowanceRefusal(const Release& release, const Caller& caller, const CuratorState& state) {
  if (!caller.allowance) return std::string();
  const auto spent = UsedBy(caller, state);
  if (!spent) return spent.error();
  ChargeRequest charge;
  charge.units = release.priced.total;
  if (release.by_caps) {
    const auto totals = state.TotalsSoFar();
    if (!totals) return totals.error();
    const auto mu = MuSquaredOf(release, state.policy);
    if (!mu) return mu.error();
    const auto caps = CapsOf(state.account, *totals);
    if (!caps) return caps.error();
    charge.units = UsedOfBudget(*mu, SmallestCap(*caps, release.charged), state.account.Budget(release.charged));
  }
  charge.cells = ChargedCells(release.charged);
  charge.one_sided = release.one_sided;
  const std::int64_t used = ledger::UsedOf(charge);
  if (used == 0 || spent->count() + used <= caller.allowance->count()) return std::string();
  return fmt::format("the allowance of {} of plain loss does not cover it: {} was used",
                     LeftText(caller.allowance->epsilon()), LossText(spent->epsilon()));
}

// Both losses before and after, and whether the budget allows it.
Result<Forecast> ForecastOf(const Release& release, const Totals& totals, const CuratorState& state) {
  Totals after = totals;
  std::int64_t mu = 0;
  if (release.by_caps) {
    const auto squared = MuSquaredOf(release, state.policy);
    if (!squared) return squared.error();
    mu = *squared;
    const auto caps = CapsOf(state.account, totals);
    if (!caps) return caps.error();
    after = AfterByCaps(totals, release, mu, *caps);
  } else {
    after = AfterBeside(totals, release, state.account);
  }
  const auto dependent_before = state.account.Dependent(totals);
  if (!dependent_before) return dependent_before.error();
  auto guarantee = GuaranteeOf(state.policy, state.account, after);
  if (!guarantee) return guarantee.error();
  Forecast forecast;
  forecast.units = release.priced.total;
  forecast.counted = release.priced.total;
  if (release.by_caps && mu > 0)
    forecast.counted =
        UsedOfBudget(mu, SmallestCap(after.gaussian->caps, release.charged), state.account.Budget(release.charged));
  if (mu > 0) forecast.mu = std::sqrt(Loss::Of(LossKind::kMu, mu).value().value(LossKind::kMu));
  if (state.policy.unit.presence == Presence::kSecret && !release.one_sided && !guarantee->CountsDelta())
    forecast.presence = release.priced.OfPresence();
  forecast.plain_spent_before = Largest(totals.spent).epsilon();
  if (release.delta > 0) forecast.delta = Loss::Of(LossKind::kDelta, release.delta).value().value(LossKind::kDelta);
  forecast.dependent_before = totals.gaussian ? state.policy.epsilon_total : dependent_before->dependent;
  forecast.guarantee = std::move(*guarantee);
  forecast.cells = after.spent.size();
  forecast.charged_cells = ChargedCells(release.charged).size();
  forecast.unit = release.level;
  if (state.account.nested())
    forecast.household_before = HouseholdLoss(totals.spent, totals.household, state.policy.unit.size).epsilon();
  forecast.refusal = BudgetRefusal(release, totals, after, state);
  if (const auto allowed = AllowsNoisyAnswers(state.policy, totals.released); !allowed)
    forecast.refusal = allowed.error().what;
  if (release.one_sided && forecast.refusal.empty())
    forecast.refusal = OneSidedRefusal(state.policy, *release.one_sided, totals.released);
  if (!totals.continued_in.empty())
    forecast.refusal =
        fmt::format("the ledger is sealed and continues in '{:.120}': nothing can be charged", totals.continued_in);
  forecast.affordable = forecast.refusal.empty();
  return forecast;
}

}  // namespace

Result<Curator> Curator::Open(const std::filesystem::path& file, const EngineOptions& options, const Call& call,
                              bool remembered) {
  auto state = InTime(Metered(Meter::kNoLimit, call.cancel, [&] { return OpenState(file, options, call); }), call);
  if (!state) return state.error();
  (*state)->remembered = remembered;
  for (const std::string& sentence : (*state)->policy.old_names) call.Tell(sentence);
  return Curator(std::move(*state));
}

namespace {

Result<Explanation> Explained(const Request& request, const Price& price, const Call& call, const Caller& caller,
                              const CuratorState& state) {
  const auto release = ReleaseFor(request, price, state, call.cancel, true);
  if (!release) return release.error();
  if (call.cancel.cancelled()) return Cancelled("stopped");
  const Stage stage(call, "working out cost and noise");
  const auto totals = state.TotalsSoFar();
  if (!totals) return totals.error();
  auto out = (*release)->Explain(*totals);
  if (!out) return out;
  const auto& edges = state.policy.dependence.edges;
  const bool whole_graph = edges && edges->in_table() && std::holds_alternative<Field>(state.policy.dependence.model);
  if (whole_graph && state.options.engine->CapabilitiesFor(state.policy).elsewhere)
    out->plan.notes.push_back({NoteKind::kMethod, kGraphLeaves});
  if (!(*release)->compared.empty()) out->plan.notes.push_back({NoteKind::kMethod, (*release)->compared});
  out->sql = TextOf(out->statements, state.options.engine->dialect());
  auto forecast = ForecastOf(**release, *totals, state);
  if (!forecast) return forecast.error();
  static_cast<Forecast&>(*out) = std::move(*forecast);
  if (out->affordable) {
    auto refusal = AllowanceRefusal(**release, caller, state);
    if (!refusal) return refusal.error();
    out->refusal = std::move(*refusal);
    out->affordable = out->refusal.empty();
  }
  if (auto told = TellBefore(**release, state, out->plan.notes); !told) return told.error();
  std::string note;
  const auto stored = IsStored(**release, state, note);
  if (!stored) return stored.error();
  if (!note.empty()) out->plan.notes.push_back({NoteKind::kAccuracy, note});
  out->stored = *stored;
  if (!*stored) return out;
  out->affordable = true;
  out->refusal.clear();
  // It would be given again: nobody loses anything more.
  auto unchanged = GuaranteeOf(state.policy, state.account, *totals);
  if (!unchanged) return unchanged.error();
  out->guarantee = std::move(*unchanged);
  out->charged_cells = 0;
  return out;
}

}  // namespace

Result<Explanation> Curator::Explain(const Request& request, const Price& price, const Call& call,
                                     const Caller& caller) const {
  return InTime(
      Metered(StepsFor(request), call.cancel, [&] { return Explained(request, price, call, caller, *state_); }), call);
}

Result<Answer> Curator::Release(const Request& request, const Price& price, const Caller& caller,
                                const Call& call) const {
  const auto release = InTime(ReleaseFor(request, price, *state_, call.cancel), call);
  if (!release) return BeforeCharge(release.error());
  return InTime(RunPipeline(*state_, **release, caller, call), call);
}

Result<std::shared_ptr<const StreamRelease>> Curator::OpenStream(const StreamRequest& request) const {
  return Metered(Meter::kPlanning, CancelFlag(), [&] { return StreamRelease::Make(request, *state_); });
}

Result<std::optional<std::int64_t>> Curator::LastStep(const StreamRelease& stream) const {
  return LastStepOf(stream, *state_);
}

Result<DataState> Curator::Import(const Call& call, const DataReportSink& report) const {
  const auto book = state_->OpenLedger();
  if (!book) return book.error();
  auto now = InTime(state_->ImportAnew(**book, std::nullopt, call, report), call);
  if (!now) return now.error();
  const DataState imported = now->data;
  // Files read in place are checked once, so that the curator is told of broken promises.
  const auto data = InTime(state_->OpenData(call, std::move(*now)), call);
  if (!data) return data.error();
  CountUnits(*state_, data->data, Vault(state_->policy, *data->engine, call.cancel));
  return imported;
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

Result<std::vector<HistoryLine>> Curator::History(const HistoryPage& page) const {
  const auto ledger = state_->LookAtLedger();
  if (!ledger) return ledger.error();
  return *ledger ? (*ledger)->History(page) : std::vector<HistoryLine>();
}

Result<void> Curator::Ready() const {
  const auto ledger = state_->LookAtLedger();
  if (!ledger) return ledger.error();
  if (*ledger) {
    if (auto looked = (*ledger)->LookAtPages(); !looked) return looked;
  }
  return Ledger::MayWrite(state_->policy.ledger);
}

Result<BudgetReport> Curator::Budget(const Caller& caller, bool with_history) const {
  BudgetReport report;
  if (caller.allowance) {
    const auto spent = UsedBy(caller, *state_);
    if (!spent) return spent.error();
    report.allowance = {caller.name, *caller.allowance, *spent};
  }
  report.epsilon_total = state_->policy.epsilon_total;
  const auto totals = state_->TotalsSoFar();
  if (!totals) return totals.error();
  const auto limits = state_->account.Allowed(*totals);
  // Without a distance every charge bounds any change of a record.
  const std::vector<PlainUnits> none(totals->spent.size());
  const auto& any = !state_->policy.unit.distance ? totals->spent : totals->any.empty() ? none : totals->any;
  const bool stand = CapsStand(state_->account, *totals);
  const auto left = [&](std::optional<std::size_t> cell) {
    if (!stand) return 0.0;
    std::vector<bool> charged(totals->spent.size(), !cell);
    if (cell) charged[*cell] = true;
    return PriceLeft(state_->account, *totals, {charged, Covers::kAny, UnitLevel::kPerson},
                     state_->policy.epsilon_total);
  };
  for (std::size_t cell = 0; cell < totals->spent.size(); ++cell) {
    const auto dependent = state_->account.DependentOf(cell, *totals);
    if (!dependent) return dependent.error();
    report.cells.push_back({state_->policy.cells.Name(cell), totals->spent[cell].epsilon(), limits[cell].epsilon(),
                            dependent->dependent, any[cell].epsilon(),
                            totals->household.empty() ? 0 : totals->household[cell].epsilon(), left({cell}),
                            totals->OfPresence()[cell].epsilon()});
    if (!totals->gaussian) continue;
    const auto root = [](std::int64_t squared) {
      return std::sqrt(
          Loss::Of(LossKind::kMu, std::min(squared, Loss::Largest(LossKind::kMu))).value().value(LossKind::kMu));
    };
    const auto delta = [](std::int64_t amount) {
      return Loss::Of(LossKind::kDelta, std::min(amount, Loss::Largest(LossKind::kDelta)))
          .value()
          .value(LossKind::kDelta);
    };
    report.cells.back().delta_spent = delta(totals->gaussian->delta[cell]);
    report.cells.back().delta_cap = delta(totals->gaussian->caps.delta[cell]);
    if (totals->CountsMu()) {
      report.cells.back().mu_spent = root(totals->gaussian->mu[cell]);
      report.cells.back().mu_cap = root(totals->gaussian->caps.mu[cell]);
    }
    report.cells.back().dependent_spent = report.epsilon_total;  // of everything under the caps, with the delta
  }
  report.epsilon_left = left({});
  report.continued_in = totals->continued_in;
  if (!report.continued_in.empty()) {
    report.epsilon_left = 0;
    for (auto& cell : report.cells) cell.epsilon_left = 0;
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
  auto generations = (*ledger)->Generations();
  if (!generations) return generations.error();
  report.generations = std::move(*generations);
  if (with_history && (!caller.own_history || !caller.name.empty())) {  // nobody has asked without a name
    auto history = (*ledger)->History({.caller = caller.own_history ? caller.name : std::string()});
    if (!history) return history.error();
    report.history = std::move(*history);
  }
  const auto head = (*ledger)->Head();
  if (!head) return head.error();
  report.head = head->head;
  report.policy_changed = (*ledger)->policy_changed();
  return report;
}

}  // namespace kith

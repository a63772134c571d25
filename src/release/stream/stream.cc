#include "release/stream/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/digest.h"
#include "loss/loss_text.h"
#include "release/compose_answer.h"
#include "release/curator_state.h"
#include "release/pricing.h"
#include "release/stream/stream_text.h"

namespace kith {
namespace {

using stream::Sharing;

constexpr std::int64_t kEver = std::int64_t{1} << 60;
constexpr std::int64_t kLookBack = 1000;  // steps in which something published is looked for, if windows are short

Result<void> CheckRule(const Policy& policy, Sharing sharing) {
  if (!policy.stream) {
    return InvalidArgument("this policy describes no stream", policy.file.string(),
                           "add [stream] with time, step and window; docs/guide/streams.md shows how");
  }
  if (std::holds_alternative<Chain>(policy.dependence.model) && sharing != Sharing::kUniform) {
    return InvalidArgument(
               "with a chain every step has a limit of its own, the same for all: there is nothing to shift between "
               "steps",
               {}, "use the rule uniform")
        .For("stream.rule");
  }
  return {};
}

// What a chain says about a longer stay: its own states go on.
Result<Transferred> LossOfChain(const Chain& chain, std::int64_t windows, double plain, double epsilon_total) {
  Chain longer = chain;
  longer.length = chain.length * windows;
  const auto all = Transfer::Make(longer);
  if (!all) return all.error();
  const auto transfer = all->ForBudget(epsilon_total);
  if (!transfer) return transfer.error();
  return transfer->Loss(plain);
}

// For each cell the larger of what windows may lose from now on and what some have lost already, perhaps under a richer
// budget: a window that holds more than its limit is never charged again, every other one stays within it.
std::vector<PlainUnits> EveryWindow(const std::vector<PlainUnits>& limits, const std::vector<PlainUnits>& spent) {
  std::vector<PlainUnits> most;
  for (std::size_t cell = 0; cell < limits.size(); ++cell) most.push_back(std::max(limits[cell], spent.at(cell)));
  return most;
}

std::string ExceededText(const std::vector<PlainUnits>& limits, const std::vector<PlainUnits>& spent, bool steps) {
  PlainUnits most, allowed;
  for (std::size_t cell = 0; cell < limits.size(); ++cell) {
    if (spent.at(cell) <= limits[cell] || spent[cell] <= most) continue;
    most = spent[cell];
    allowed = limits[cell];
  }
  return fmt::format(
      "some {} lost more than this policy allows now: plain loss {}, allowed {}; they were released under "
      "another budget or dependence and are counted in this guarantee",
      steps ? "steps" : "windows", LossText(most.epsilon()), LeftText(allowed.epsilon()));
}

// `totals`: the largest sums in the ledger so far, of as many steps as the limits are for.
Result<StreamGuarantee> GuaranteeOfStream(const Policy& policy, const Account& account, const Totals& totals,
                                          PlainUnits stream_units) {
  const std::vector<PlainUnits> limits = account.Limits(totals.moved);
  Totals every = totals;
  every.spent = EveryWindow(limits, totals.spent);
  auto of_window = GuaranteeOf(policy, account, every);
  if (!of_window) return of_window.error();
  StreamGuarantee g;
  static_cast<Guarantee&>(g) = std::move(*of_window);
  const Chain* chain = std::get_if<Chain>(&policy.dependence.model);
  g.window = policy.stream->window;
  g.single_states = chain != nullptr;
  const double most = g.plain;
  g.allowed = Largest(limits).epsilon();
  g.plain_step = most;
  if (chain != nullptr) g.plain = most * static_cast<double>(g.window);
  g.plain_stream = stream_units.epsilon();
  g.exceeded = every.spent != limits;
  if (g.exceeded) g.notes.push_back({NoteKind::kExceeded, ExceededText(limits, totals.spent, g.single_states)});
  for (const std::int64_t windows : {2, 5, 10}) {
    Totals more = every;
    for (PlainUnits& each : more.spent) each = PlainUnits::Of(std::min(PlainUnits::kMax, windows * each.count()));
    const auto loss =
        chain != nullptr ? LossOfChain(*chain, windows, most, policy.epsilon_total) : account.Dependent(more);
    if (!loss) return loss.error();
    if (loss->adversary != g.adversary)
      g.notes.push_back(
          {NoteKind::kProtects, fmt::format("a stay of {} windows is counted against {}", windows, loss->adversary)});
    g.longer.push_back({windows, g.plain * static_cast<double>(windows), loss->dependent});
  }
  g.claims = {"PLAN-1",
              "DL-1",
              "LEDGER-4",
              "STREAM-1",
              "STREAM-6",
              chain != nullptr ? "STREAM-8" : "STREAM-7",
              g.unproven.empty() ? "TRANSFER-1" : "PAIR-SUM-2"};
  return g;
}

// What a step's question is bound to: the states of a chain are those of the other columns.
Policy PolicyOfSteps(Policy policy) {
  if (!std::holds_alternative<Chain>(policy.dependence.model)) return policy;
  for (Table& table : policy.tables) {
    if (table.name != policy.unit.table) continue;
    std::erase_if(table.columns, [&](const Column& column) { return column.name == policy.stream->time; });
  }
  return policy;
}

Error Lost(Error error, std::int64_t tick) {
  error.what += fmt::format(" (step {} was charged before data were read: it stays charged and is lost)", tick);
  if (error.next.empty()) error.next = "start again: the stream goes on with the next step";
  return error;
}

}  // namespace

StepPart StreamRelease::MainPart() const {
  return stream::IsAdaptive(terms_.sharing()) ? StepPart::kTest : StepPart::kRelease;
}

std::string StreamRelease::Question(StepPart part) const {
  return part == StepPart::kPublication ? normalised_ + ", publication" : normalised_;
}

std::string StreamRelease::Key(const Ledger& book, StepPart part, std::int64_t tick) const {
  return book.KeyOf(KeyText(part, tick));
}

std::string StreamRelease::KeyText(StepPart part, std::int64_t tick) const {
  return fmt::format("kith stream step\n{}\n{}\n{}", Question(part), curator_->state_->Binding().policy, tick);
}

// A ledger that is older than its secret knows its first steps by another key: they stay released once.
Result<std::optional<std::string>> StreamRelease::OldKey(const Ledger& book, StepPart part, std::int64_t tick) const {
  const auto safe_from = book.SafeFrom();
  if (!safe_from) return safe_from.error();
  if (*safe_from == 0) return std::optional<std::string>();
  return std::optional<std::string>(Sha256(KeyText(part, tick)));
}

Result<StreamRelease> StreamRelease::Make(const Curator& curator, const StreamRequest& request) {
  const Curator::State& state = *curator.state_;
  if (auto fits = CheckRule(state.policy, request.sharing); !fits) return fits.error();
  const auto question = StepQuestion::Make(request.statistic, PolicyOfSteps(state.policy));
  if (!question) return question.error();
  const Plan* const plan = &question->plan();
  if (auto fits = CheckStatistic(*plan, request.sharing); !fits) return fits.error();
  const auto units = SharesOf({1.0}, request.epsilon, state.policy.epsilon_total, state.account.Budget(plan->charged));
  if (!units) return units.error();
  const std::int64_t window = state.policy.CountedSteps();
  auto terms = stream::Terms::Make(request.sharing, window, units->front(), request.rate, request.asked);
  if (!terms) return terms.error();
  StreamRelease release(curator, std::move(*terms), *question);
  const auto name = [&](const std::string& loss) {
    return fmt::format("stream: {} at every step, {}{} within a plain loss of {} ({} units) in {} step{}{}",
                       plan->normalised, stream::NameOf(request.sharing),
                       request.sharing == Sharing::kRate ? fmt::format(" {}", request.rate) : "", loss,
                       units->front().count(), window, window == 1 ? "" : "s",
                       request.sharing == Sharing::kOffline ? " for " + StepListText(request.asked) : "");
  };
  // A stream that began when its name still had the nearest decimal goes on under that name.
  release.normalised_ = name(fmt::format("{:.4g}", units->front().epsilon()));
  const auto begun = release.LastStep();
  if (!begun) return begun.error();
  if (!*begun) release.normalised_ = name(LossText(units->front().epsilon()));
  for (const auto& output : plan->outputs) release.columns_.push_back(output.name);
  release.cells_ = ChargedCells(plan->charged);
  const auto totals = state.TotalsSoFar();
  if (!totals) return totals.error();
  auto guarantee = GuaranteeOfStream(state.policy, state.account, *totals, units->front());
  if (!guarantee) return guarantee.error();
  release.guarantee_ = std::move(*guarantee);
  release.guarantee_.notes.insert(release.guarantee_.notes.begin(), plan->notes.begin(), plan->notes.end());
  return release;
}

Result<std::optional<std::int64_t>> StreamRelease::LastStep() const {
  const auto book = curator_->state_->LookAtLedger();
  if (!book) return book.error();
  if (!*book) return std::optional<std::int64_t>();
  const auto charges = (*book)->Charges(Question(MainPart()), 0, kEver);
  if (!charges) return charges.error();
  return charges->empty() ? std::optional<std::int64_t>() : std::optional(charges->back().tick);
}

// The text of a step: kept with its publication first, so that a crash between the two loses nothing.
Result<std::optional<std::string>> StreamRelease::FindStored(Ledger& book, std::int64_t tick) const {
  for (const StepPart part : {MainPart(), StepPart::kPublication}) {
    if (part == StepPart::kPublication && MainPart() != StepPart::kTest) break;
    const auto old = OldKey(book, part, tick);
    if (!old) return old.error();
    for (const auto& key : {std::optional(Key(book, part, tick)), *old}) {
      if (!key) continue;
      const auto stored = book.FindAnswer(*key);
      if (!stored) return stored.error();
      if (*stored) return std::optional<std::string>((*stored)->answer);
    }
  }
  return std::optional<std::string>();
}

Result<StreamPast> StreamRelease::Past(Ledger& book, std::int64_t tick) const {
  StreamPast past;
  const std::int64_t window = terms_.window();
  const auto spent = [&](StepPart part, std::int64_t from, std::vector<stream::Spent>& out) -> Result<void> {
    const auto charges = book.Charges(Question(part), std::max<std::int64_t>(0, from), tick - 1);
    if (!charges) return charges.error();
    for (const StepCharge& charge : *charges) out.push_back({charge.tick, charge.units.count()});
    return {};
  };
  if (MainPart() == StepPart::kRelease) {
    if (auto read = spent(StepPart::kRelease, tick - window + 1, past.released); !read) return read.error();
    return past;
  }
  if (auto read = spent(StepPart::kPublication, tick - 2 * window, past.published); !read) return read.error();
  std::vector<stream::Spent> steps;
  if (auto read = spent(StepPart::kTest, tick - std::max(2 * window, kLookBack), steps); !read) return read.error();
  past.first = tick;
  for (const auto& step : steps) {
    if (step.tick > tick - window) past.first = std::min(past.first, step.tick);
  }
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const auto text = FindStored(book, step->tick);
    if (!text) return text.error();
    if (!*text) continue;  // lost
    auto numbers = StepFromText(**text);
    if (!numbers) return numbers.error();
    past.last = std::move(numbers->noisy);
    past.last_shares = std::move(numbers->shares);
    break;
  }
  return past;
}

Result<StepRelease> StreamRelease::Compose(Ledger& book, std::int64_t tick, const StepNumbers& numbers,
                                           const LedgerEntry& entry) const {
  StepRelease step;
  step.tick = tick;
  step.time = curator_->policy().stream->StepText(tick);
  step.state = numbers.state;
  step.charged = numbers.charged;
  step.ledger_entry = entry.number;
  step.ledger_head = entry.head;
  const auto around = book.LargestWindows(terms_.window(), tick);
  if (!around) return around.error();
  step.window_spent = Largest(*around);
  if (numbers.noisy.empty()) return step;
  const Plan* const plan = &question_.plan();
  if (numbers.noisy.size() != plan->groups() || numbers.shares.size() != plan->statistics.size())
    return InternalError("a stored step has another shape than its statistic");
  Priced priced;
  priced.shares = numbers.shares;
  const bool noise =
      std::any_of(priced.shares.begin(), priced.shares.end(), [](PlainUnits s) { return s.count() > 0; });
  if (!noise) priced.shares.assign(plan->statistics.size(), PlainUnits::Of(1));  // nothing published yet: see below
  step.rows = ComposeAnswer(*plan, numbers.noisy, priced).rows;
  if (noise) return step;
  for (auto& row : step.rows) {
    for (AnswerCell& cell : row) cell.error_95.reset();  // the zeros before the first publication have no noise
  }
  return step;
}

Result<StepRelease> StreamRelease::Again(Ledger& book, std::int64_t tick, const LedgerEntry& entry) const {
  const auto text = FindStored(book, tick);
  if (!text) return text.error();
  StepNumbers lost;
  lost.state = StepState::kLost;
  const auto numbers = *text ? StepFromText(**text) : Result<StepNumbers>(lost);
  if (!numbers) return numbers.error();
  auto step = Compose(book, tick, *numbers, entry);
  if (step) step->stored = true;
  return step;
}

Result<StepRelease> StreamRelease::Now(Ledger& book, std::int64_t tick, const Call& call) const {
  const Curator::State& state = *curator_->state_;
  const Plan plan = question_.At(tick);
  const auto past = Past(book, tick);
  if (!past) return past.error();
  const auto data = state.OpenData(call);
  if (!data) return data.error();
  const auto moved = book.Moved();
  if (!moved) return moved.error();
  const std::vector<PlainUnits> limits = state.account.Limits(*moved);
  if (call.cancel.cancelled()) return Cancelled("stopped before the step; nothing was charged");
  const StreamStep at{tick, terms_.window()};
  std::optional<LedgerEntry> main, publication;
  const ChargeStep charge = [&](StepPart part, PlainUnits wanted) -> Result<PlainUnits> {
    for (int attempt = 0; attempt < 10; ++attempt) {
      PlainUnits units = wanted;
      if (part != StepPart::kNothing) {
        const auto room = book.Room(at, cells_, limits);
        if (!room) return room.error();
        units = std::min(wanted, *room);
        if (units.count() == 0 || (part != StepPart::kRelease && units < wanted)) return PlainUnits();
      }
      const StepPart kept = part == StepPart::kPublication ? part : MainPart();
      const auto cells = part == StepPart::kNothing ? std::vector<std::size_t>() : cells_;
      ChargeRequest request{units, cells, limits, Question(kept), Key(book, kept, tick), at};
      request.data = data->data.number;
      const auto entry = book.Charge(request);
      if (!entry && entry.error().code == Code::kBudgetExhausted) continue;  // another stream was faster: look again
      if (!entry) return entry.error();
      (part == StepPart::kPublication ? publication : main) = *entry;
      return units;
    }
    return PlainUnits();
  };
  const auto numbers =
      ReleaseStep(terms_, plan, *past, tick, *data->engine, charge, SystemBits::ForThisThread(), call.cancel);
  if (!numbers) return main ? Lost(numbers.error(), tick) : numbers.error();
  const std::string text = StepToText(*numbers);
  for (const auto& [entry, part] : {std::pair(publication, StepPart::kPublication), std::pair(main, MainPart())}) {
    if (!entry) continue;
    if (const auto kept = book.StoreAnswer(*entry, Key(book, part, tick), text); !kept) return Lost(kept.error(), tick);
  }
  return Compose(book, tick, *numbers, *main);
}

Result<StepRelease> StreamRelease::Step(std::int64_t tick, const Call& call) const {
  const Stream& stream = *curator_->policy().stream;
  if (tick < 0 || tick > stream.LastTick()) {
    return InvalidArgument(fmt::format("there is no step {}", tick), {},
                           fmt::format("steps are counted from 0 (which begins at {})", stream.StepText(0)))
        .For("ticks");
  }
  const auto book = curator_->state_->OpenLedger();
  if (!book) return book.error();
  // Another process that is at this step holds its lock until the numbers are kept.
  const auto turn = (*book)->Lock(Key(**book, MainPart(), tick), call.cancel);
  if (!turn) return turn.error();
  const auto old = OldKey(**book, MainPart(), tick);
  if (!old) return old.error();
  auto before = (*book)->FindCharge(Key(**book, MainPart(), tick));
  if (before && !*before && *old) before = (*book)->FindCharge(**old);
  if (!before) return before.error();
  if (*before) return Again(**book, tick, **before);
  const auto later = (*book)->Charges(Question(MainPart()), tick + 1, kEver);
  if (!later) return later.error();
  if (!later->empty()) {
    return InvalidArgument(
               fmt::format("step {} was passed: this stream is at step {} already", tick, later->back().tick), {},
               "a stream goes forward; ask for later steps, or for another statistic")
        .For("ticks");
  }
  return Now(**book, tick, call);
}

}  // namespace kith

#include "release/stream/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "loss/loss_text.h"
#include "release/curator_state.h"
#include "release/law.h"
#include "release/pricing.h"
#include "release/stream/stream_text.h"

namespace kith {
namespace {

using stream::Sharing;

constexpr std::int64_t kEver = std::int64_t{1} << 60;

Result<void> CheckRule(const Policy& policy, Sharing sharing) {
  if (!policy.stream) {
    return InvalidArgument("this policy does not describe a stream", policy.file.string(),
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

// The bars of a step that gets an even share of the window, for explanations.
std::optional<std::string> BarsOf(const Plan& plan, const stream::Terms& terms) {
  const auto noisy = plan.noisy();
  const std::int64_t parts =
      terms.window() * static_cast<std::int64_t>(noisy.size()) * (stream::IsAdaptive(terms.sharing()) ? 2 : 1);
  const auto even = PlainUnits::Of(terms.units().count() / parts);
  if (even.count() == 0) return std::nullopt;
  std::vector<PlainUnits> shares(plan.statistics.size());
  for (const std::size_t k : noisy) shares[k] = even;
  const auto laws = LawsOf(plan, shares);
  if (!laws) return std::nullopt;
  std::vector<std::string> bars;
  for (const std::size_t k : noisy) {
    const Statistic& statistic = plan.statistics[k];
    bars.push_back(
        fmt::format("{} ±{:.4g}", statistic.name, (*laws)[k].noise.ErrorBar(0.95) * statistic.lattice.step()));
  }
  return fmt::format(
      "with 95 %, for a step that gets an even share of its window: {}; a step for which less than a "
      "hundredth of that is left is skipped",
      fmt::join(bars, ", "));
}

// What a chain says about a longer stay: its own states continue.
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
      "some {} lost more than this policy now allows: plain loss {}, allowed {}; they were released under another "
      "budget or dependence and are counted in this guarantee",
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
  if (chain != nullptr) SetPlain(policy, most * static_cast<double>(g.window), g);
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

}  // namespace

StepPart StreamRelease::MainPart() const {
  return stream::IsAdaptive(terms_.sharing()) ? StepPart::kTest : StepPart::kRelease;
}

std::string StreamRelease::ChargeName(StepPart part) const {
  return part == StepPart::kPublication ? normalised_ + ", publication" : normalised_;
}

std::string StreamRelease::KeyText(StepPart part, std::int64_t tick) const {
  return fmt::format("kith stream step\n{}\n{}\n{}", ChargeName(part), policy_, tick);
}

Result<std::shared_ptr<const StreamRelease>> StreamRelease::Make(const StreamRequest& request,
                                                                 const CuratorState& curator) {
  if (auto fits = CheckRule(curator.policy, request.sharing); !fits) return fits.error();
  const auto question = StepQuestion::Make(request.statistic, PolicyOfSteps(curator.policy));
  if (!question) return question.error();
  const Plan& plan = question->plan();
  if (auto fits = CheckStatistic(plan, request.sharing); !fits) return fits.error();
  const auto units =
      SharesOf({1.0}, request.epsilon, curator.policy.epsilon_total, curator.account.Budget(plan.charged));
  if (!units) return units.error();
  const std::int64_t window = curator.policy.CountedSteps();
  auto terms = stream::Terms::Make(request.sharing, window, units->front(), request.rate, request.asked);
  if (!terms) return terms.error();
  StreamRelease release(std::move(*terms), *question);
  release.policy_ = curator.binding.policy;
  const auto name = [&](const std::string& loss) {
    return fmt::format("stream: {} at every step, {}{} within a plain loss of {} ({} units) in {} step{}{}",
                       plan.normalised, stream::NameOf(request.sharing),
                       request.sharing == Sharing::kRate ? fmt::format(" {}", request.rate) : "", loss,
                       units->front().count(), window, window == 1 ? "" : "s",
                       request.sharing == Sharing::kOffline ? " for " + StepListText(request.asked) : "");
  };
  // A stream that began when its name still had the nearest decimal continues under that name.
  release.normalised_ = name(fmt::format("{:.4g}", units->front().epsilon()));
  const auto begun = LastStepOf(release, curator);
  if (!begun) return begun.error();
  if (!*begun) release.normalised_ = name(LossText(units->front().epsilon()));
  for (const auto& output : plan.outputs) release.columns_.push_back(output.name);
  const auto totals = curator.TotalsSoFar();
  if (!totals) return totals.error();
  auto guarantee = GuaranteeOfStream(curator.policy, curator.account, *totals, units->front());
  if (!guarantee) return guarantee.error();
  release.guarantee_ = std::move(*guarantee);
  auto& notes = release.guarantee_.notes;
  if (auto bars = BarsOf(plan, release.terms_)) notes.insert(notes.begin(), {NoteKind::kAccuracy, std::move(*bars)});
  notes.insert(notes.begin(), plan.notes.begin(), plan.notes.end());
  return std::make_shared<const StreamRelease>(std::move(release));
}

Result<std::optional<std::int64_t>> LastStepOf(const StreamRelease& stream, const CuratorState& curator) {
  const auto book = curator.LookAtLedger();
  if (!book) return book.error();
  if (!*book) return std::optional<std::int64_t>();
  const auto charges = (*book)->Charges(stream.ChargeName(stream.MainPart()), 0, kEver);
  if (!charges) return charges.error();
  return charges->empty() ? std::optional<std::int64_t>() : std::optional(charges->back().tick);
}

}  // namespace kith

#include "release/stream/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/statistic_mechanism.h"
#include "loss/loss_text.h"
#include "policy/one_step.h"
#include "release/allowed.h"
#include "release/curator_state.h"
#include "release/pricing.h"
#include "release/stream/maps.h"
#include "release/stream/step_study.h"
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

std::string BarsText(const std::vector<std::string>& bars) {
  return fmt::format(
      "with 95 %, for a step that gets an even share of its window: {}; a step for which less than a "
      "hundredth of that is left is skipped",
      fmt::join(bars, ", "));
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
  const auto laws = MechanismsOf(plan, shares);
  if (!laws) return std::nullopt;
  std::vector<std::string> bars;
  for (const std::size_t k : noisy) {
    const Statistic& statistic = plan.statistics[k];
    bars.push_back(
        fmt::format("{} ±{:.4g}", statistic.name, (*laws)[k].noise.ErrorBar(0.95) * statistic.lattice.step()));
  }
  return BarsText(bars);
}

std::optional<std::string> BarsOf(const Study& study, const stream::Terms& terms) {
  const auto shares = SharesByWeight(study.Weights(), PlainUnits::Of(terms.units().count() / terms.window()));
  if (shares.empty()) return std::nullopt;
  const auto outline = study.Outline(shares);
  if (!outline) return std::nullopt;
  std::vector<std::string> bars;
  for (const NoisePart& part : outline->noise)
    bars.push_back(fmt::format("a count of {} ±{:.4g}", part.name, part.error_95));
  return BarsText(bars);
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
// budget: a window that holds more than its limit is never charged again, every other window stays within it.
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
Result<StreamGuarantee> GuaranteeOfStream(const Policy& policy, const Accountant& account, const Totals& totals,
                                          PlainUnits stream_units) {
  const std::vector<PlainUnits> limits = account.Limits(totals.moved);
  Totals every = totals;
  every.spent = EveryWindow(limits, totals.spent);
  every.presence.clear();  // steps lose the same by presence as by any change
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
  if (chain != nullptr) {
    const double stay = most * static_cast<double>(g.window);
    SetPlain(policy, stay, stay, g);
  }
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

// What streams that ran before leave for the steps that are asked for: a word about it if that is little. Fails:
// kBudgetExhausted if it is nothing at any of them.
Result<std::optional<std::string>> RoomFor(const StreamRelease& release, const std::vector<std::int64_t>& asked,
                                           const CuratorState& curator, const std::vector<PlainUnits>& limits) {
  constexpr std::size_t kLookedAt = 10'000;
  const std::size_t count = std::min(asked.size(), kLookedAt);
  const auto book = curator.LookAtLedger();
  if (!book) return book.error();
  if (!*book || count == 0) return std::optional<std::string>();
  const std::int64_t window = release.terms().window();
  std::vector<std::size_t> cells;
  for (std::size_t cell = 0; cell < release.charged().size(); ++cell) {
    if (release.charged()[cell]) cells.push_back(cell);
  }
  std::size_t without = 0, little = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto room = (*book)->Room({asked[k], window}, cells, limits);
    if (!room) return room.error();
    without += *room < LeastOfUse(release.terms()) ? 1 : 0;
    little += *room < release.terms().units() ? 1 : 0;
  }
  if (without == count) {
    return BudgetExhausted(
               "other streams of this policy have used up the windows of all steps that are asked for", {},
               "ask for later steps, or let all streams have a smaller part of the policy's epsilon from the beginning")
        .For("steps");
  }
  if (little == 0) return std::optional<std::string>();
  return std::optional(fmt::format(
      "other streams of this policy have used part of the windows: of {} steps that are asked for {} will be skipped, "
      "and {} more have less left in their window than this stream's part of it, so that bars may be larger",
      count, without, little - without));
}

}  // namespace

StepPart StreamRelease::MainPart() const {
  return stream::IsAdaptive(terms_->sharing()) ? StepPart::kTest : StepPart::kRelease;
}

std::string StreamRelease::ChargeName(StepPart part) const {
  return part == StepPart::kPublication ? normalised_ + ", publication" : normalised_;
}

std::string StreamRelease::KeyText(StepPart part, std::int64_t tick) const {
  return fmt::format("kith stream step\n{}\n{}\n{}", ChargeName(part), policy_, tick);
}

Result<CheckedPlan> StreamRelease::PlanAt(std::int64_t tick) const {
  bool raised = false;
  auto checked = RaiseAndCheck(question_->At(tick), *of_steps_, raised);
  if (checked && !charged_.empty() && checked->plan().charged != charged_)
    return InternalError("a step of a stream charges other cells than its first");
  return checked;
}

Result<std::unique_ptr<Study>> StreamRelease::StudyOfStep(std::int64_t tick) const {
  auto study = make_study_(OneStep(*of_steps_, tick));
  if (!study) return study;
  if (first_ && ((*study)->Normalised() != first_->Normalised() || (*study)->Weights() != first_->Weights() ||
                 (*study)->Charged() != first_->Charged()))
    return InternalError("the study of a step is not that of the stream");
  return study;
}

// What every step asks: a question or a study, its name, its columns and the cells that it charges.
Result<std::string> StreamRelease::SetContent(const StreamRequest& request, const Policy& policy) {
  const auto maps = MapsIn(request.statistic);
  if (!maps) return maps.error();
  of_steps_ = std::make_shared<const Policy>(PolicyOfSteps(policy));
  if (!*maps) {
    auto question = StepQuestion::Make(request.statistic, *of_steps_);
    if (!question) return question.error();
    question_ = std::move(*question);
    const auto checked = PlanAt(0);
    if (!checked) return checked.error();
    const Plan& plan = checked->plan();
    if (auto fits = CheckStatistic(plan, request.sharing); !fits) return fits.error();
    for (const auto& output : plan.outputs) columns_.push_back(output.name);
    charged_ = plan.charged;
    return plan.normalised;
  }
  if (stream::IsAdaptive(request.sharing)) {
    return Unsupported("bd and ba compare a step with what was last published, which is defined for one count or sum",
                       {}, "use another rule")
        .For("stream.statistic");
  }
  if (auto may = MayLeave(policy); !may) return may.error();
  make_study_ = [options = (*maps)->options](const Policy& of_step) { return points::MakePoints(options, of_step); };
  columns_ = (*maps)->Columns();
  guarantee_.claims = (*maps)->Claims();
  auto first = StudyOfStep(0);
  if (!first) return first.error();
  first_ = std::move(*first);
  charged_ = first_->Charged();
  return first_->Normalised();
}

Result<std::shared_ptr<const StreamRelease>> StreamRelease::Make(const StreamRequest& request,
                                                                 const CuratorState& curator) {
  if (auto fits = CheckRule(curator.policy, request.sharing); !fits) return fits.error();
  StreamRelease release;
  const auto asked = release.SetContent(request, curator.policy);
  if (!asked) return asked.error();
  const auto units =
      SharesOf({1.0}, request.epsilon, curator.policy.epsilon_total, curator.account.Budget(release.charged_));
  if (!units) return units.error();
  const std::int64_t window = curator.policy.CountedSteps();
  auto terms = stream::Terms::Make(request.sharing, window, units->front(), request.rate, request.asked);
  if (!terms) return terms.error();
  release.terms_ = std::move(*terms);
  release.policy_ = curator.binding.policy;
  const auto name = [&](const std::string& loss) {
    return fmt::format("stream: {} at every step, {}{} within a plain loss of {} ({} units) in {} step{}{}", *asked,
                       stream::NameOf(request.sharing),
                       request.sharing == Sharing::kRate ? fmt::format(" {}", request.rate) : "", loss,
                       units->front().count(), window, window == 1 ? "" : "s",
                       request.sharing == Sharing::kOffline ? " for " + StepListText(request.asked) : "");
  };
  // A stream that began when its name still had the nearest decimal continues under that name.
  release.normalised_ = name(fmt::format("{:.4g}", units->front().epsilon()));
  const auto begun = LastStepOf(release, curator);
  if (!begun) return begun.error();
  if (!*begun) release.normalised_ = name(LossText(units->front().epsilon()));
  const auto totals = curator.TotalsSoFar();
  if (!totals) return totals.error();
  auto guarantee = GuaranteeOfStream(curator.policy, curator.account, *totals, units->front());
  if (!guarantee) return guarantee.error();
  const auto last = LastStepOf(release, curator);  // under the name that it has now
  if (!last) return last.error();
  if (!*last) {
    const auto left = RoomFor(release, request.asked, curator, curator.account.Limits(totals->moved));
    if (!left) return left.error();
    if (left->has_value()) guarantee->notes.insert(guarantee->notes.begin(), {NoteKind::kAccuracy, **left});
  }
  if (release.first_) {
    const auto engine = EngineFor(curator.policy, curator.options);
    if (!engine) return engine.error();
    if ((*engine)->CapabilitiesFor(curator.policy).elsewhere)
      guarantee->notes.push_back({NoteKind::kMethod, kRowsLeave});
  }
  const std::vector<std::string> claims = std::move(release.guarantee_.claims);
  release.guarantee_ = std::move(*guarantee);
  release.CompleteGuarantee(claims, curator.policy);
  return std::make_shared<const StreamRelease>(std::move(release));
}

// What this stream adds to what holds for all of them.
void StreamRelease::CompleteGuarantee(const std::vector<std::string>& claims, const Policy& policy) {
  StreamGuarantee& g = guarantee_;
  // An even rule never gives a step more than its part; the others may give it all of a window.
  g.plain_own_step = terms_->sharing() == Sharing::kUniform
                         ? PlainUnits::Of(terms_->units().count() / terms_->window()).epsilon()
                         : g.plain_stream;
  if (!question_) std::erase(g.claims, "PLAN-1");
  g.claims.insert(g.claims.begin(), claims.begin(), claims.end());
  if (policy.unit.distance) g.claims.insert(g.claims.end(), {"STREAM-9", "DISTANCE-1", "DISTANCE-2"});
  auto bars = question_ ? BarsOf(question_->plan(), *terms_) : BarsOf(*first_, *terms_);
  if (bars) g.notes.insert(g.notes.begin(), {NoteKind::kAccuracy, std::move(*bars)});
  if (question_) g.notes.insert(g.notes.begin(), question_->plan().notes.begin(), question_->plan().notes.end());
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

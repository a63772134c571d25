#include "release/delta_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "loss/loss_kinds.h"
#include "loss/loss_text.h"
#include "policy/per_row.h"
#include "release/chosen_rows.h"
#include "release/question_release.h"
#include "release/strata.h"
#include "transfer/gaussian/probit.h"
#include "transfer/gaussian/profile.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

constexpr std::int64_t kMostMu = Loss::Largest(LossKind::kMu);

Error TooMuch() {
  return BudgetExhausted("this precision would cost more than any budget", {}, "accept a larger error");
}

Result<std::int64_t> SquareUp(double mu) {
  const auto loss = Loss::Ceil(LossKind::kMu, rounding::MulUp(mu, mu));
  if (!loss) return TooMuch();
  return loss->amount(LossKind::kMu);
}

/// A charge e as a Gaussian loss of sqrt(pi/2) e, which a part of a unit's rows loses its part of. MuOfPure(e) is less,
/// but falls more slowly than e. Claim ROW-2.
Result<std::int64_t> OfParts(const std::vector<PlainUnits>& charges) {
  double sum = 0;
  for (const PlainUnits charge : charges)
    sum = rounding::AddUp(sum, rounding::MulUp(charge.epsilon(), charge.epsilon()));
  const auto loss = Loss::Ceil(LossKind::kMu, rounding::MulUp(sum, rounding::NextUp(std::numbers::pi / 2)));
  if (!loss) return TooMuch();
  return loss->amount(LossKind::kMu);
}

bool ChargesNothing(const Release& release) {
  return release.priced.total.count() == 0 || ChargedCells(release.charged).empty();
}

/// How much noise there is, to compare two prices of one question: the mean logarithm of the variance.
double Noisiness(const QuestionRelease& question, const std::vector<StatisticMechanism>& laws) {
  double sum = 0;
  const auto noisy = question.asked.plan.noisy();
  for (const std::size_t k : noisy) sum += std::log(std::max(laws[k].noise.variance(), 1e-9));
  return noisy.empty() ? 0 : sum / static_cast<double>(noisy.size());
}

/// For each statistic: the square of the Gaussian loss at which the bar of normal noise is no longer than that of its
/// present law.
std::optional<std::vector<std::int64_t>> PartsForBars(const QuestionRelease& question) {
  std::vector<std::int64_t> parts(question.asked.plan.statistics.size(), 0);
  const double confidence = ConfidenceOfBar(question.asked.plan, 1);
  for (const std::size_t k : question.asked.plan.noisy()) {
    const double bar = question.priced.laws[k].noise.ErrorBar(confidence);
    std::int64_t low = 0, high = kMostMu;
    const auto enough = [&](std::int64_t part) {
      std::vector<std::int64_t> one(parts.size(), 1);
      one[k] = part;
      const auto laws = NormalMechanismsOf(question.asked.plan, one);
      return laws && *laws && (**laws)[k].noise.ErrorBar(confidence) <= bar;
    };
    if (!enough(high)) return std::nullopt;
    while (high - low > std::max<std::int64_t>(1, low >> 20)) {
      const std::int64_t middle = low + (high - low) / 2;
      (enough(middle) ? high : low) = middle;
    }
    parts[k] = high;
  }
  return parts;
}

/// Parts of a whole, in proportion to the weights of the price, as large as the moves allow.
std::optional<std::vector<std::int64_t>> PartsOfWhole(const QuestionRelease& question, const Price& price,
                                                      std::int64_t whole) {
  const auto noisy = question.asked.plan.noisy();
  double all = 0;
  std::vector<double> weights(noisy.size(), 1);
  if (price.split.size() == noisy.size()) weights = price.split;
  for (const double weight : weights) all += weight;
  std::vector<std::int64_t> parts(question.asked.plan.statistics.size(), 0);
  const auto set = [&](double of) {
    for (std::size_t i = 0; i < noisy.size(); ++i)
      parts[noisy[i]] = static_cast<std::int64_t>(std::min(of * weights[i] / all, static_cast<double>(kMostMu)));
  };
  const auto fits = [&] {
    const bool some = std::all_of(noisy.begin(), noisy.end(), [&](std::size_t k) { return parts[k] > 0; });
    return some && JointMuSquared(question.asked.plan, question.asked.moves.any, parts) <= whole;
  };
  set(static_cast<double>(whole));
  if (!fits()) return std::nullopt;
  const auto joint = JointMuSquared(question.asked.plan, question.asked.moves.any, parts);
  const auto before = parts;
  set(static_cast<double>(whole) * (static_cast<double>(whole) / static_cast<double>(joint)) * (1 - 1e-9));
  if (joint >= whole || !fits()) parts = before;
  return parts;
}

/// The same question with normal noise; nothing where there is none for it.
std::optional<Priced> WithNormalNoise(const QuestionRelease& question, const std::vector<std::int64_t>& parts) {
  const auto laws = NormalMechanismsOf(question.asked.plan, parts);
  if (!laws || !*laws) return std::nullopt;
  Priced priced;
  priced.shares.resize(parts.size());
  priced.mu_shares = parts;
  priced.mu = JointMuSquared(question.asked.plan, question.asked.moves.any, parts);
  if (priced.mu > kMostMu) return std::nullopt;
  priced.laws = **laws;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    NoiseLine line =
        NoiseOf(question.asked.plan.statistics[k], priced.laws[k], PlainUnits(), question.asked.plan.groups());
    const double squared = Loss::Of(LossKind::kMu, parts[k]).value().value(LossKind::kMu);
    line.mu = rounding::NextUp(std::sqrt(squared));
    if (question.asked.plan.statistics[k].noisy())
      line.sensitivity =
          std::sqrt(static_cast<double>(question.asked.plan.statistics[k].change.l2_squared())) * line.lattice;
    else
      line.mu = 0;
    priced.noise.push_back(std::move(line));
  }
  return priced;
}

/// "count(*) 12, sum(age) 40"
std::string BarsText(const QuestionRelease& question, const std::vector<NoiseLine>& noise) {
  std::string text;
  for (const std::size_t k : question.asked.plan.noisy())
    text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", noise[k].statistic, noise[k].error_95);
  return text;
}

/// Finds the price at which the release has this Gaussian loss, by pure charges.
class ByPureCharges {
 public:
  ByPureCharges(const CuratorState& state, const MakeWith& make) : state_(state), make_(make) {}

  struct Found {
    std::unique_ptr<Release> release;
    double times = 1;  // the plain budget that it was made with, of the policy's
  };
  Result<Found> For(std::int64_t whole) {
    Found best;
    double times = 1;
    constexpr int kTries = 6;
    for (int i = 0; i < kTries; ++i) {
      auto account = std::make_shared<const Accountant>(state_.account.Priced(times));
      auto release = make_(*account);
      if (!release) {
        if (best.release || release.error().code != Code::kBudgetExhausted || i + 1 == kTries) break;
        times *= 4;  // a share below the smallest unit
        continue;
      }
      (*release)->priced_by = std::move(account);
      const auto mu = MuSquaredOf(**release, state_.policy);
      const double ratio =
          mu ? std::sqrt(static_cast<double>(whole) / static_cast<double>(std::max<std::int64_t>(*mu, 1))) : 0.25;
      if (mu && *mu <= whole && (!best.release || times > best.times)) best = {std::move(*release), times};
      if (best.release && ratio >= 1 && ratio < 1.002) break;
      times *= ratio * (1 - 1e-4);
    }
    if (!best.release)
      return BudgetExhausted("no noise of this question costs as little as this price", {}, "offer more")
          .For("price.epsilon");
    return best;
  }

 private:
  const CuratorState& state_;
  const MakeWith& make_;
};

/// The same part of what is kept for keys as of the budget, at normal noise for `mu` or at the pure value.
Result<std::unique_ptr<Release>> AtDelta(std::unique_ptr<Release> release, std::optional<std::int64_t> mu,
                                         std::int64_t delta) {
  if (auto used = release->UseDelta(mu, delta); !used) return used.error();
  release->by_caps = mu.has_value();
  return release;
}

/// For what is private only with a delta: at its pure value with Laplace noise, or with normal noise against caps,
/// whichever needs fewer units for a key to be seen; from caps of Gaussian loss on, only the second. `worth`: as in
/// WithEitherNoise.
Result<std::unique_ptr<Release>> WithADelta(const CuratorState& state, const Totals& totals, const MakeWith& make,
                                            std::unique_ptr<Release> first, const Result<LedgerCaps>& caps, double part,
                                            double worth) {
  const bool fixed = totals.CountsMu();
  const auto of_deltas = totals.gaussian ? Result<std::vector<std::int64_t>>(totals.gaussian->caps.delta)
                                         : state.account.DeltaCapsAfter(totals.spent);
  if (!of_deltas) return of_deltas.error();
  const std::int64_t cap = SmallestDeltaCap({{}, *of_deltas}, first->charged);
  if (cap == 0)
    return BudgetExhausted(
               "this ledger began to count with a delta when none of it was kept for keys that nobody "
               "declared",
               "[budget]", "declare their values or a pattern, and ask for the large ones among many cells")
        .For("request.cells");
  const auto delta = static_cast<std::int64_t>(static_cast<double>(cap) * std::min(part, 1.0));
  const auto mu = caps ? static_cast<std::int64_t>(static_cast<double>(SmallestCap(*caps, first->charged)) * part) : 0;
  if (delta < 1 || (fixed && mu < 1))
    return BudgetExhausted("the price is too small to be counted", {}, "offer more").For("price.epsilon");
  const auto seen = [](const Result<std::unique_ptr<Release>>& release) {
    if (!release) return HUGE_VAL;
    const auto from = (*release)->Noisiness();
    return from ? *from : HUGE_VAL;
  };
  Result<std::unique_ptr<Release>> normal = InternalError("there is no cap for normal noise"), laplace = normal.error();
  if (mu > 0) {
    auto other = make(state.account);
    if (!other) return other;
    normal = AtDelta(std::move(*other), mu, delta);
  }
  if (!fixed) laplace = AtDelta(std::move(first), std::nullopt, delta);
  const double by_normal = seen(normal), by_laplace = seen(laplace);
  const bool by_caps = fixed || by_laplace == HUGE_VAL || by_laplace * std::sqrt(worth) > by_normal;
  Result<std::unique_ptr<Release>>& chosen = by_caps ? normal : laplace;
  if (!chosen) return chosen.error();
  std::string text = fmt::format(
      "{}: {} % of the budget and of the keys_delta of the caps, a plain delta of {} of {} under the declared "
      "dependence",
      by_caps ? "normal noise, counted with the delta" : "Laplace noise, counted at its pure value beside a delta",
      LossText(100 * part, 3), LossText(std::ldexp(static_cast<double>(delta), -60), 3),
      LossText(std::ldexp(static_cast<double>(cap), -60), 3));
  if (by_normal < HUGE_VAL && by_laplace < HUGE_VAL)
    text +=
        fmt::format(". For a key to be shown with 95 % it takes {} units with Laplace noise and {} with normal noise",
                    static_cast<std::int64_t>(by_laplace), static_cast<std::int64_t>(by_normal));
  if (by_caps && !fixed)
    text +=
        ". Its charge fixes the caps, for good: from then on everything is counted with the delta, and a larger "
        "epsilon, delta or keys_delta of the policy changes nothing";
  else if (!by_caps && !totals.gaussian)
    text +=
        ". Its charge fixes how much of the delta there is for keys, for good: from then on every certificate states "
        "the policy's delta, and a larger keys_delta changes nothing";
  (*chosen)->compared = std::move(text);
  return std::move(chosen);
}

/// For what can have normal noise: with it where the ledger counts with the delta or it is the better bargain. `worth`:
/// how many times as much a question by caps is worth, by those that are expected.
Result<std::unique_ptr<Release>> WithEitherNoise(std::unique_ptr<Release> pure, std::unique_ptr<Release> other,
                                                 std::int64_t whole, bool fixed, double worth) {
  if (auto used = other->UseMu(whole); !used) return used.error();
  const auto pure_error = pure->Noisiness(), normal_error = other->Noisiness();
  if (!pure_error) return pure_error.error();
  if (!normal_error) return normal_error.error();
  const double gain = *pure_error * *pure_error / (*normal_error * *normal_error) * worth;
  const bool by_caps = fixed || gain > 1;
  std::unique_ptr<Release> chosen = std::move(by_caps ? other : pure);
  chosen->by_caps = by_caps;
  chosen->compared = fmt::format(
      "normal noise, counted with the delta: standard error {:.4g}; Laplace noise at its pure value: {:.4g}. {}",
      *normal_error, *pure_error,
      fixed     ? "This ledger counts with the delta, so that it is normal noise"
      : by_caps ? "It is normal noise, and caps will be fixed"
                : "It is Laplace noise, and nothing is counted with the delta yet");
  return chosen;
}

}  // namespace

Result<std::int64_t> MuSquaredOf(const Release& release, const Policy& policy) {
  if (!release.priced.mu_shares.empty()) return release.priced.mu;
  const auto charges = release.PureCharges();
  if (OfWholeUnits(policy, release.charged) != release.charged) return OfParts(charges);
  double mu = MuOfPure(release.priced.total.epsilon());
  if (charges.size() > 1) {
    const auto profile = PureProfile::Make(charges);
    if (profile) mu = std::min(mu, profile->Mu());
  }
  return SquareUp(mu);
}

std::int64_t SmallestCap(const LedgerCaps& caps, const std::vector<bool>& charged) {
  std::int64_t least = kMostMu;
  for (const std::size_t cell : ChargedCells(charged)) least = std::min(least, caps.mu.at(cell));
  return least;
}

std::int64_t SmallestDeltaCap(const LedgerCaps& caps, const std::vector<bool>& charged) {
  std::int64_t least = Loss::Largest(LossKind::kDelta);
  for (const std::size_t cell : ChargedCells(charged)) least = std::min(least, caps.delta.at(cell));
  return least;
}

PlainUnits UsedOfBudget(std::int64_t mu, std::int64_t cap, PlainUnits budget) {
  if (cap <= 0) return PlainUnits::Of(PlainUnits::kMax);
  const Int128 used = (Int128{budget.count()} * mu + cap - 1) / cap;
  return PlainUnits::Of(static_cast<std::int64_t>(std::min<Int128>(used, PlainUnits::kMax)));
}

Totals AfterByCaps(Totals totals, const Release& release, std::int64_t mu, const LedgerCaps& caps) {
  if (!totals.CountsMu()) {
    LedgerGaussian fixed;
    fixed.mu.assign(totals.spent.size(), 0);
    fixed.delta = fixed.mu;
    if (totals.gaussian) fixed = *totals.gaussian;
    fixed.caps = caps;
    fixed.open = false;
    fixed.before = totals.spent;
    totals.gaussian = std::move(fixed);
  }
  const bool pure = release.IsPure();
  totals.gaussian->pure = totals.gaussian->pure && pure;
  for (const std::size_t cell : ChargedCells(release.charged)) {
    totals.gaussian->mu[cell] = std::min(totals.gaussian->mu[cell] + mu, kMostMu + 1);
    totals.gaussian->delta[cell] =
        std::min(totals.gaussian->delta[cell] + release.delta, Loss::Largest(LossKind::kDelta) + 1);
  }
  if (!pure) return totals;
  return After(std::move(totals), release.charged, release.priced.total, release.covers, release.level);
}

Result<LedgerCaps> CapsOf(const Accountant& account, const Totals& totals) {
  if (totals.CountsMu()) return totals.gaussian->caps;
  auto caps = account.CapsAfter(totals.spent);
  if (caps && totals.gaussian) caps->delta = totals.gaussian->caps.delta;
  return caps;
}

Totals AfterBeside(Totals totals, const Release& release, const Accountant& account) {
  const std::int64_t delta = release.delta;
  if (delta > 0 && !totals.gaussian) {
    LedgerGaussian fixed;
    fixed.open = true;
    fixed.mu.assign(totals.spent.size(), 0);
    fixed.delta = fixed.mu;
    fixed.caps = {fixed.mu, account.DeltaCapsAfter(totals.spent).value_or(fixed.mu)};
    totals.gaussian = std::move(fixed);
  }
  totals = After(std::move(totals), PartsOf(release.charged, release.priced), release.covers, release.level);
  if (!totals.gaussian || !totals.gaussian->open) return totals;
  for (const std::size_t cell : ChargedCells(release.charged))
    totals.gaussian->delta[cell] = std::min(totals.gaussian->delta[cell] + delta, Loss::Largest(LossKind::kDelta) + 1);
  totals.gaussian->pure = totals.gaussian->pure && delta == 0;
  totals.gaussian->before = totals.spent;
  return totals;
}

Result<std::unique_ptr<Release>> PriceWithDelta(const CuratorState& state, const Price& price, const MakeWith& make) {
  auto first = make(state.account);
  if (!first || ChargesNothing(**first)) return first;
  const auto totals = state.TotalsSoFar();
  if (!totals) return totals.error();
  const bool fixed = totals->CountsMu();
  const auto caps = CapsOf(state.account, *totals);
  const auto& expected = state.policy.with_delta->questions;
  // The part of the budget, which is counted by squares: as many questions of one price fit as with a pure budget.
  const double part = price.epsilon ? *price.epsilon / state.policy.epsilon_total : 0;
  const double worth = expected ? part * static_cast<double>(*expected) : 1;
  if ((*first)->normal() == Release::Normal::kWithADelta)
    return WithADelta(state, *totals, make, std::move(*first), caps, part, worth);
  if (!caps) return first;  // nothing is left: refused when it is charged
  const std::int64_t cap = SmallestCap(*caps, (*first)->charged);
  const auto whole = static_cast<std::int64_t>(static_cast<double>(cap) * part);
  if (price.epsilon && whole < 1)
    return BudgetExhausted("the price is too small to be counted", {}, "offer more").For("price.epsilon");

  if (price.epsilon && (*first)->normal() == Release::Normal::kInstead) {
    auto other = make(state.account);
    if (!other) return other.error();
    return WithEitherNoise(std::move(*first), std::move(*other), whole, fixed, worth);
  }
  const QuestionRelease* pure = (*first)->AsQuestion();
  std::optional<Priced> normal;
  if (pure && pure->priced.strata.empty()) {
    const auto parts = price.epsilon ? PartsOfWhole(*pure, price, whole) : PartsForBars(*pure);
    if (parts) normal = WithNormalNoise(*pure, *parts);
  }
  ByPureCharges::Found laplace;
  if (price.epsilon && !normal) {
    auto found = ByPureCharges(state, make).For(whole);
    if (!found) {
      if (fixed) return found.error();
      return first;
    }
    laplace = std::move(*found);
  }
  // How many times less noise there is by caps than at the pure value, in variance; for an error bar, in budget.
  double gain = 1;
  if (price.epsilon) {
    gain = normal ? std::exp(Noisiness(*pure, pure->priced.laws) - Noisiness(*pure, normal->laws))
                  : laplace.times * laplace.times;
    gain *= worth;
  } else {
    const auto mu = normal ? Result<std::int64_t>(normal->mu) : MuSquaredOf(**first, state.policy);
    const double of_cap = mu ? static_cast<double>(*mu) / static_cast<double>(cap) : HUGE_VAL;
    const auto budget = static_cast<double>(state.account.Budget((*first)->charged).count());
    gain = static_cast<double>((*first)->priced.total.count()) / budget / of_cap;
  }
  const bool by_caps = fixed || gain > 1;
  std::string compared;
  if (normal) {
    compared =
        fmt::format("normal noise, counted with the delta: 95 % bars {}; Laplace noise at its pure value: {}. {}",
                    BarsText(*pure, normal->noise), BarsText(*pure, pure->priced.noise),
                    fixed     ? "This ledger counts with the delta, so that it is normal noise"
                    : by_caps ? "It is normal noise, and caps will be fixed"
                              : "It is Laplace noise, and nothing is counted with the delta yet");
  } else {
    compared = by_caps ? "pure noise, counted with the delta" : "pure noise, counted at its pure value";
  }
  std::unique_ptr<Release> chosen;
  if (!by_caps || (!price.epsilon && !normal)) {
    chosen = std::move(*first);
  } else if (normal) {
    chosen = std::move(*first);
    chosen->priced = std::move(*normal);
  } else {
    chosen = std::move(laplace.release);
  }
  chosen->by_caps = by_caps;
  chosen->compared = std::move(compared);
  return chosen;
}

}  // namespace kith

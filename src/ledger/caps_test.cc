// Caps of Gaussian loss: fixed once, never exceeded, never undone; and adversaries that choose charges by answers,
// followed down every branch, against the sums that the ledger itself keeps.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/meter.h"
#include "ledger/ledger_test_tools.h"
#include "loss/loss_kinds.h"
#include "transfer/gaussian/probit.h"
#include "transfer/gaussian/profile.h"

namespace kith::ledger {
namespace {

using kith::LossKind;

constexpr std::int64_t kMu = std::int64_t{1} << 40;  // a mu of 1, squared

std::function<Result<LedgerCaps>(const std::vector<PlainUnits>&)> Caps(std::int64_t mu, std::int64_t delta = 0) {
  return [=](const std::vector<PlainUnits>& before) -> Result<LedgerCaps> {
    return LedgerCaps{std::vector<std::int64_t>(before.size(), mu), std::vector<std::int64_t>(before.size(), delta)};
  };
}

ChargeRequest ByCaps(std::int64_t mu, std::vector<std::size_t> cells, std::size_t count, std::int64_t cap,
                     std::optional<std::int64_t> pure = std::nullopt) {
  ChargeRequest request = Request(pure.value_or(0), std::move(cells), count);
  request.covers = Covers::kAny;
  request.gaussian = GaussianCharge{.mu = mu, .delta = 0, .pure = pure.has_value(), .used = {}, .caps = Caps(cap)};
  request.gaussian->words = "epsilon 1, delta 1e-06";
  return request;
}

LedgerGaussian StateOf(const Ledger& book) {
  const auto found = book.Totals();
  EXPECT_TRUE(found && found->gaussian) << (found ? "" : found.error().Text());
  return found ? found->gaussian.value_or(LedgerGaussian()) : LedgerGaussian();
}

TEST(LedgerCaps, AreFixedWithTheFirstChargeAndNeverPassed_CAP1) {
  Scratch scratch;
  auto book = OpenOrDie(scratch / "a.ledger", 3);
  EXPECT_FALSE(book.Totals().value().gaussian.has_value());
  ASSERT_TRUE(book.Charge(Request(500, {0}, 3)));  // at its pure value
  ASSERT_TRUE(book.Charge(ByCaps(60, {0, 1}, 3, 100)));
  LedgerGaussian now = StateOf(book);
  EXPECT_EQ(now.caps.mu, (std::vector<std::int64_t>{100, 100, 100}));
  EXPECT_EQ(now.mu, (std::vector<std::int64_t>{60, 60, 0}));
  EXPECT_EQ(Counts(now.before), (std::vector<std::int64_t>{500, 0, 0}));
  EXPECT_FALSE(now.pure);
  // More than is left of one of the cells: nothing is charged.
  const auto beyond = book.Charge(ByCaps(41, {1, 2}, 3, 100));
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, Code::kBudgetExhausted);
  EXPECT_EQ(StateOf(book).mu, now.mu);
  ASSERT_TRUE(book.Charge(ByCaps(40, {1, 2}, 3, 100)));
  EXPECT_FALSE(book.Charge(ByCaps(1, {1}, 3, 100)));
  // Larger caps later change nothing; smaller ones stop everything.
  EXPECT_FALSE(book.Charge(ByCaps(1, {1}, 3, 1000)));
  EXPECT_FALSE(book.Charge(ByCaps(1, {2}, 3, 99)));
  EXPECT_TRUE(book.Charge(ByCaps(1, {2}, 3, 100)));
  // All of it is in the file.
  const auto again = OpenOrDie(scratch / "a.ledger", 3);
  EXPECT_EQ(StateOf(again).mu, (std::vector<std::int64_t>{60, 100, 41}));
  EXPECT_TRUE(again.Verify());
  EXPECT_EQ(again.History().value().at(1).mu, 60);
}

// The thread that leads writes the charges of others, too: one whose client has left must not leave them half done.
TEST(LedgerCaps, WhatIsWrittenIsNotStoppedByWhoeverWaitsNoMore) {
  Scratch scratch;
  auto book = OpenOrDie(scratch / "a.ledger", 1);
  CancelFlag left;
  left.Cancel();
  ChargeRequest request = ByCaps(10, {0}, 1, 100);
  const auto caps = request.gaussian->caps;
  std::size_t looked = 0;
  request.gaussian->caps = [&](const std::vector<PlainUnits>& before) {
    ++looked;
    Meter::Look();
    return caps(before);
  };
  const auto charged = Metered(0, left, [&] { return book.Charge(request); });
  EXPECT_TRUE(charged) << charged.error().Text();
  EXPECT_GT(looked, 0U) << "nothing was tried";
  EXPECT_EQ(StateOf(book).mu, std::vector<std::int64_t>{10});
}

TEST(LedgerCaps, PureTotalsAreGivenUpForGood_CAP1) {
  Scratch scratch;
  auto book = OpenOrDie(scratch / "a.ledger", 2);
  ASSERT_TRUE(book.Charge(ByCaps(10, {0}, 2, 100, 7)));
  EXPECT_TRUE(StateOf(book).pure);
  EXPECT_EQ(Counts(book.Totals().value().spent), (std::vector<std::int64_t>{7, 0}));
  const auto pure = book.Charge(Request(1, {1}, 2));
  ASSERT_FALSE(pure);
  EXPECT_EQ(pure.error().code, Code::kInvalidArgument);
  EXPECT_TRUE(book.Charge(Request(0, {}, 2)));  // public facts cost nothing
  LedgerCarry carry{"other", "other.ledger", std::vector<PlainUnits>(2), std::vector<PlainUnits>(2), {}};
  EXPECT_FALSE(book.Carry(carry));
  // What is not a Gaussian loss, or comes with what is counted differently, is refused.
  EXPECT_FALSE(book.Charge(ByCaps(0, {0}, 2, 100, 5)));
  auto of_households = ByCaps(1, {0, 1}, 2, 100);
  of_households.level = UnitLevel::kHousehold;
  EXPECT_FALSE(book.Charge(of_households));
  auto without = ByCaps(1, {0}, 2, 100);
  without.gaussian->caps = {};
  EXPECT_FALSE(book.Charge(without));
}

TEST(LedgerCaps, ADeltaHasACapOfItsOwn_CAP1) {
  Scratch scratch;
  auto book = OpenOrDie(scratch / "a.ledger", 2);
  auto request = ByCaps(5, {0}, 2, 100, 3);
  request.gaussian->caps = Caps(100, 50);
  request.gaussian->delta = 30;
  ASSERT_TRUE(book.Charge(request));
  EXPECT_FALSE(StateOf(book).pure);  // with a delta no pure total holds
  EXPECT_EQ(StateOf(book).delta, (std::vector<std::int64_t>{30, 0}));
  request.gaussian->delta = 21;
  EXPECT_FALSE(book.Charge(request));
  request.gaussian->delta = 20;
  EXPECT_TRUE(book.Charge(request));
}

TEST(LedgerCaps, WhoeverMovesTakesTheLargestSumAlong_CAP1) {
  Scratch scratch;
  auto book = OpenOrDie(scratch / "a.ledger", 3);
  ASSERT_TRUE(book.Charge(ByCaps(60, {0}, 3, 100)));
  ASSERT_TRUE(book.ReplaceData(0, "b", ""));  // a unit may have been in any cell
  auto next = ByCaps(41, {1}, 3, 100);
  next.data = 1;
  EXPECT_FALSE(book.Charge(next));
  next.gaussian->mu = 40;
  EXPECT_TRUE(book.Charge(next));
  EXPECT_EQ(StateOf(book).mu, (std::vector<std::int64_t>{60, 100, 60}));
}

// Adversaries: losses so far to the next pure charge, in eighths; 0 stops.
using Want = std::function<int(const std::vector<int>& losses)>;

int SumOf(const std::vector<int>& losses) {
  int sum = 0;
  for (const int loss : losses) sum += loss;
  return sum;
}

std::vector<Want> Adversaries() {
  return {
      [](const auto& losses) { return SumOf(losses) >= 4 ? 0 : 2; },  // stops when its loss is high
      [](const auto& losses) { return SumOf(losses) >= 3 ? 0 : 3; },
      [](const auto& losses) { return losses.empty() || losses.back() > 0 ? 2 : 5; },  // chooses by the last answer
      [](const auto& losses) { return losses.empty() || losses.back() < 0 ? 2 : 5; },
      [](const auto& losses) { return losses.empty()      ? 4
                                      : losses.back() > 0 ? 5
                                                          : 7; },
  };
}

/// What a list of pure charges, in eighths, is counted as: the square of each Gaussian loss, in order.
using Counted = std::function<std::int64_t(const std::vector<int>& charges)>;

std::int64_t OneByOne(const std::vector<int>& charges) {
  const double mu = MuOfPure(charges.back() / 8.0);
  return Loss::Ceil(LossKind::kMu, std::nextafter(mu * mu, HUGE_VAL)).value().amount(LossKind::kMu);
}

/// One ledger on disk that a list of charges is made to.
bool LedgerAllows(const std::vector<int>& charges, std::int64_t cap, const Counted& counted) {
  Scratch scratch;
  auto book = OpenOrDie(scratch / "a.ledger", 1);
  std::vector<int> so_far;
  for (const int charge : charges) {
    so_far.push_back(charge);
    if (!book.Charge(ByCaps(counted(so_far), {0}, 1, cap, PlainUnits::kOne / 8 * charge))) return false;
  }
  return true;
}

/// The largest sum of P (1 - e^{epsilon - loss}) over all ends of an adversary that the ledger lets go on.
class Followed {
 public:
  Followed(std::int64_t cap, Counted counted) : cap_(cap), counted_(std::move(counted)) {}

  double Delta(const Want& want, double epsilon, std::vector<int> losses = {}) {
    constexpr std::size_t kMost = 6;
    std::vector<int> charges;
    for (const int loss : losses) charges.push_back(std::abs(loss));
    int next = losses.size() < kMost ? want(losses) : 0;
    if (next > 0) charges.push_back(next);
    if (next > 0 && !May(charges)) next = 0;
    if (next == 0) return std::max(0.0, -std::expm1(epsilon - SumOf(losses) / 8.0));
    const double truth = 1 / (1 + std::exp(-next / 8.0));
    losses.push_back(next);
    const double high = Delta(want, epsilon, losses);
    losses.back() = -next;
    return truth * high + (1 - truth) * Delta(want, epsilon, losses);
  }

  /// Of all adversaries with up to five of these charges, the best one.
  double Best(double epsilon, const std::vector<int>& charges = {}, int loss = 0) {
    const auto [at, fresh] = best_.try_emplace({charges, loss}, 0);
    if (!fresh) return at->second;
    double best = std::max(0.0, -std::expm1(epsilon - loss / 8.0));
    constexpr std::size_t kMost = 5;
    for (const int e : {2, 4, 6, 8, 12}) {
      if (charges.size() >= kMost) break;
      std::vector<int> next = charges;
      next.insert(std::upper_bound(next.begin(), next.end(), e), e);
      if (!May(next)) continue;
      const double truth = 1 / (1 + std::exp(-e / 8.0));
      best = std::max(best, truth * Best(epsilon, next, loss + e) + (1 - truth) * Best(epsilon, next, loss - e));
    }
    return best_[{charges, loss}] = best;
  }

 private:
  bool May(const std::vector<int>& charges) {
    const auto [at, fresh] = may_.try_emplace(charges, false);
    if (fresh) at->second = LedgerAllows(charges, cap_, counted_);
    return at->second;
  }

  std::int64_t cap_;
  Counted counted_;
  std::map<std::vector<int>, bool> may_;
  std::map<std::pair<std::vector<int>, int>, double> best_;
};

TEST(LedgerCaps, NoAdaptiveAdversaryLosesMoreThanTheCap_CAP1) {
  for (const double cap : {0.7, 1.0}) {
    Followed followed(static_cast<std::int64_t>(cap * cap * static_cast<double>(kMu)), OneByOne);
    for (const Want& adversary : Adversaries()) {
      for (const double epsilon : {0.25, 0.5, 1.0, 1.5})
        EXPECT_LE(followed.Delta(adversary, epsilon), DeltaOfMu(cap, epsilon)) << cap << " " << epsilon;
    }
  }
  EXPECT_LE(Followed(kMu / 2, OneByOne).Best(1), DeltaOfMu(std::sqrt(0.5), 1));
  EXPECT_LE(Followed(kMu, OneByOne).Best(1), DeltaOfMu(1, 1));
}

// The planted fault: a history may go on as long as its own convolved profile keeps (1, 0.1).
TEST(LedgerCaps, TheCheckAboveSeesAFilterByTheConvolvedProfile) {
  const Counted convolved = [](const std::vector<int>& charges) {
    std::vector<PlainUnits> units;
    for (const int charge : charges) units.push_back(PlainUnits::Of(PlainUnits::kOne / 8 * charge));
    return PureProfile::Make(units).value().Delta(1) <= 0.1 ? 1 : kMu;
  };
  EXPECT_GT(Followed(kMu / 2, convolved).Best(1), 1.3 * 0.1);
}

}  // namespace
}  // namespace kith::ledger

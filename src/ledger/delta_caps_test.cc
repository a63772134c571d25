// Deltas with pure losses: their caps are fixed first, those of Gaussian loss later or never; and adversaries that
// choose pure losses, deltas and the moment of the switch by answers, followed down every branch, against the sums that
// the ledger itself keeps.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "ledger/cells.h"
#include "ledger/ledger_test_tools.h"
#include "ledger/view.h"
#include "loss/loss_kinds.h"
#include "transfer/gaussian/probit.h"

namespace kith::ledger {
namespace {

using Allowed = std::vector<std::int64_t>;

ChargeRequest Beside(std::int64_t units, std::int64_t delta, std::vector<std::size_t> cells, std::size_t count,
                     std::int64_t cap, std::int64_t limit = PlainUnits::kMax) {
  ChargeRequest request = Request(units, std::move(cells), count, limit);
  request.beside = DeltaCharge{.delta = delta, .caps = {}, .words = "epsilon 1, keys_delta 5e-07"};
  request.beside->caps = [=](const std::vector<PlainUnits>& spent) -> Result<Allowed> {
    return Allowed(spent.size(), cap);
  };
  return request;
}

ChargeRequest ByCaps(std::int64_t mu, std::int64_t delta, std::vector<std::size_t> cells, std::size_t count,
                     const LedgerCaps& caps, std::optional<std::int64_t> pure = std::nullopt) {
  ChargeRequest request = Request(pure.value_or(0), std::move(cells), count);
  request.covers = Covers::kAny;
  request.gaussian = GaussianCharge{.mu = mu, .delta = delta, .pure = pure.has_value(), .used = {}, .caps = {}};
  request.gaussian->caps = [=](const std::vector<PlainUnits>&) -> Result<LedgerCaps> { return caps; };
  return request;
}

LedgerCaps Same(std::size_t cells, std::int64_t mu, std::int64_t delta) {
  return {Allowed(cells, mu), Allowed(cells, delta)};
}

LedgerGaussian StateOf(const Ledger& book) {
  const auto found = book.Totals();
  EXPECT_TRUE(found && found->gaussian) << (found ? "" : found.error().Text());
  return found ? found->gaussian.value_or(LedgerGaussian()) : LedgerGaussian();
}

TEST(DeltaCaps, AreFixedWithTheFirstDeltaAndNeverPassed_CAP6) {
  Scratch scratch;
  auto book = OpenOrDie(scratch / "a.ledger", 3);
  ASSERT_TRUE(book.Charge(Beside(500, 0, {0}, 3, 50)));
  EXPECT_FALSE(book.Totals().value().gaussian.has_value()) << "nothing has a delta yet";
  ASSERT_TRUE(book.Charge(Beside(100, 30, {0, 1}, 3, 50)));
  LedgerGaussian now = StateOf(book);
  EXPECT_TRUE(now.open);
  EXPECT_FALSE(now.pure);
  EXPECT_EQ(now.caps.delta, (Allowed{50, 50, 50}));
  EXPECT_EQ(now.delta, (Allowed{30, 30, 0}));
  EXPECT_EQ(Counts(now.before), (Allowed{600, 100, 0}));
  // Pure charges go on at their pure value, against the same limits; those that know nothing about the delta do not.
  ASSERT_TRUE(book.Charge(Beside(7, 0, {1}, 3, 50)));
  EXPECT_EQ(book.Charge(Beside(400, 0, {0}, 3, 50, 999)).error().code, Code::kBudgetExhausted);
  EXPECT_EQ(book.Charge(Request(1, {2}, 3)).error().code, Code::kInvalidArgument);
  EXPECT_TRUE(book.Charge(Request(0, {}, 3)));  // public facts cost nothing
  // More than is left of one of the cells; larger caps later change nothing; smaller ones stop everything.
  EXPECT_EQ(book.Charge(Beside(1, 21, {1, 2}, 3, 50)).error().code, Code::kBudgetExhausted);
  EXPECT_FALSE(book.Charge(Beside(1, 21, {1}, 3, 5000)));
  EXPECT_EQ(book.Charge(Beside(1, 0, {2}, 3, 49)).error().code, Code::kBudgetExhausted);
  ASSERT_TRUE(book.Charge(Beside(1, 20, {1, 2}, 3, 50)));
  EXPECT_FALSE(book.Charge(Beside(1, 1, {1}, 3, 50)));
  // What is not a delta that can be charged, and what comes from another ledger.
  EXPECT_FALSE(book.Charge(Beside(0, 1, {2}, 3, 50)));
  EXPECT_FALSE(book.Charge(Beside(1, -1, {2}, 3, 50)));
  auto without = Beside(1, 1, {2}, 3, 50);
  without.beside->caps = {};
  EXPECT_FALSE(book.Charge(without));
  EXPECT_FALSE(book.Carry({"other", "other.ledger", std::vector<PlainUnits>(3), std::vector<PlainUnits>(3), {}}));
  // All of it is in the file.
  const auto again = OpenOrDie(scratch / "a.ledger", 3);
  EXPECT_TRUE(StateOf(again).open);
  EXPECT_EQ(StateOf(again).delta, (Allowed{30, 50, 20}));
  EXPECT_EQ(Counts(StateOf(again).before), (Allowed{600, 108, 1}));
  EXPECT_TRUE(again.Verify());
  const auto history = again.History().value();
  EXPECT_EQ(history.at(1).delta, 30);
  EXPECT_EQ(history.at(1).units.count(), 100);
  EXPECT_EQ(history.at(1).mu, 0);
}

TEST(DeltaCaps, CapsOfGaussianLossComeLaterAndTheSumOfDeltasGoesOn_CAP6) {
  Scratch scratch;
  auto book = OpenOrDie(scratch / "a.ledger", 2);
  ASSERT_TRUE(book.Charge(Beside(100, 30, {0}, 2, 50)));
  // The caps of deltas cannot rise with the others, nor may the policy allow less than they are.
  EXPECT_FALSE(book.Charge(ByCaps(10, 0, {1}, 2, Same(2, 100, 49))));
  ASSERT_TRUE(book.Charge(ByCaps(10, 15, {0, 1}, 2, Same(2, 100, 80))));
  const LedgerGaussian now = StateOf(book);
  EXPECT_FALSE(now.open);
  EXPECT_EQ(now.caps, Same(2, 100, 50));
  EXPECT_EQ(Counts(now.before), (Allowed{100, 0}));
  EXPECT_EQ(now.delta, (Allowed{45, 15}));
  EXPECT_EQ(now.mu, (Allowed{10, 10}));
  EXPECT_FALSE(book.Charge(ByCaps(10, 6, {0}, 2, Same(2, 100, 80)))) << "what keys took before counts";
  EXPECT_FALSE(book.Charge(Beside(1, 1, {1}, 2, 50))) << "nothing is counted at its pure value any more";
  ASSERT_TRUE(book.Charge(ByCaps(10, 5, {0}, 2, Same(2, 100, 80))));
  auto again = OpenOrDie(scratch / "a.ledger", 2);
  EXPECT_TRUE(again.Verify());
  EXPECT_EQ(StateOf(again).delta, (Allowed{50, 15}));
  EXPECT_FALSE(again.Charge(ByCaps(81, 0, {0}, 2, Same(2, 1000, 80))));
}

TEST(DeltaCaps, WhoeverMovesTakesTheLargestSumsAlong_CAP6) {
  Scratch scratch;
  auto book = OpenOrDie(scratch / "a.ledger", 3);
  ASSERT_TRUE(book.Charge(Beside(100, 30, {0}, 3, 50)));
  ASSERT_TRUE(book.Charge(Beside(300, 5, {1}, 3, 50)));
  ASSERT_TRUE(book.ReplaceData(0, "b", ""));  // a unit may have been in any cell
  auto next = Beside(1, 21, {2}, 3, 50);
  next.data = 1;
  EXPECT_FALSE(book.Charge(next));
  next.beside->delta = 20;
  ASSERT_TRUE(book.Charge(next));
  EXPECT_EQ(StateOf(book).delta, (Allowed{30, 30, 50}));
  EXPECT_EQ(Counts(StateOf(book).before), (Allowed{300, 300, 301}));
}

// Entries by themselves: what a file that somebody wrote could hold.
class Chained {
 public:
  explicit Chained(const Scratch& scratch) : file_(scratch / "a.ledger") {
    auto book = OpenOrDie(file_, 1);
    EXPECT_TRUE(book.Charge(Beside(100, 30, {0}, 1, 50)));
  }
  /// What happens when the amount of the charged delta, or of its cap, is different in the file.
  Result<void> With(const std::string& sql) const {
    Sql(file_, sql);
    const auto book = Ledger::Open(file_, Binding(1), false);
    return book ? book->Verify() : book.error();
  }

 private:
  std::filesystem::path file_;
};

View AfterDelta(std::int64_t cap, const std::vector<std::pair<LossKind, std::int64_t>>& charge, bool mu_cap_too,
                std::optional<std::string>& wrong) {
  Birth birth;
  birth.cells = {"cell 0"};
  birth.columns = {{"cell", birth.cells}};
  View view = View::AtBirth(birth);
  CellBook book(birth.columns);
  const NamedSetPtr cells = book.Of({0});
  const auto posting = [&](LossKind kind, std::int64_t amount) {
    return Posting{.cells = cells, .loss = kind, .covers = Covers::kAny, .amount = amount};
  };
  Entry caps;
  caps.position = 1;
  caps.kind = Kind::kCap;
  caps.number = 1;
  caps.postings = {posting(LossKind::kDelta, cap)};
  if (mu_cap_too) caps.postings.push_back(posting(LossKind::kMu, 100));
  wrong = view.Add(caps);
  if (wrong) return view;
  Entry entry;
  entry.position = 2;
  entry.kind = Kind::kCharge;
  entry.number = 1;
  for (const auto& [kind, amount] : charge) entry.postings.push_back(posting(kind, amount));
  wrong = view.Add(entry);
  return view;
}

TEST(DeltaCaps, AFileWithASumBeyondACapIsNotAccepted_CAP6) {
  std::optional<std::string> wrong;
  const auto open = AfterDelta(50, {{LossKind::kPure, 7}, {LossKind::kDelta, 50}}, false, wrong);
  EXPECT_FALSE(wrong) << *wrong;
  EXPECT_TRUE(open.gaussian && open.gaussian->open && !open.closed);
  AfterDelta(50, {{LossKind::kPure, 7}, {LossKind::kDelta, 51}}, false, wrong);
  EXPECT_TRUE(wrong);
  AfterDelta(50, {{LossKind::kDelta, 30}, {LossKind::kDelta, 30}}, false, wrong);
  EXPECT_TRUE(wrong);
  AfterDelta(50, {{LossKind::kMu, 1}}, false, wrong);
  EXPECT_TRUE(wrong) << "Gaussian loss has no cap yet";
  AfterDelta(50, {{LossKind::kPure, 7}}, true, wrong);
  EXPECT_TRUE(wrong) << "a pure loss past the caps";
}

TEST(DeltaCaps, ChangedAmountsAreNoticed_CAP6) {
  for (const char* sql : {"UPDATE postings SET amount = 1 WHERE loss = 4 AND amount = 30",
                          "UPDATE postings SET amount = 5000 WHERE loss = 4 AND amount = 50",
                          "DELETE FROM postings WHERE loss = 4 AND amount = 30"}) {
    Scratch scratch;
    EXPECT_FALSE(Chained(scratch).With(sql)) << sql;
  }
}

// Losses in eighths, deltas in hundredths. A pure charge with a delta shows everything with that probability, and is a
// coin with odds e^loss otherwise.
struct Charge {
  bool by_caps = false;
  int loss = 0, delta = 0;
  auto operator<=>(const Charge&) const = default;
};

constexpr double kEpsilon = 1, kForMu = 0.3, kForKeys = 0.02;
constexpr std::int64_t kDeltaUnit = (std::int64_t{1} << 60) / 100;

/// What is recorded of a charge: faults record less.
using Recorded = std::function<Charge(Charge)>;

bool LedgerAllows(const std::vector<Charge>& charges, const Recorded& recorded) {
  Scratch scratch;
  auto book = OpenOrDie(scratch / "a.ledger", 1);
  const auto cap = static_cast<std::int64_t>(kForKeys * 100 + 0.5) * kDeltaUnit;
  for (const Charge& made : charges) {
    const Charge charge = recorded(made);
    const std::int64_t units = PlainUnits::kOne / 8 * charge.loss, delta = kDeltaUnit * charge.delta;
    ChargeRequest request = Beside(units, delta, {0}, 1, cap, static_cast<std::int64_t>(kEpsilon * PlainUnits::kOne));
    if (charge.by_caps) {
      const double mu = MuOfPure(charge.loss / 8.0);
      const auto squared =
          Loss::Ceil(kith::LossKind::kMu, std::nextafter(mu * mu, HUGE_VAL)).value().amount(kith::LossKind::kMu);
      request = ByCaps(squared, delta, {0}, 1, {}, units);
      // As CAP-2 allows where this much was spent at its pure value.
      request.gaussian->caps = [=](const std::vector<PlainUnits>& before) -> Result<LedgerCaps> {
        const double room = kEpsilon - before[0].epsilon();
        if (room <= 0) return BudgetExhausted("nothing is left");
        const double most = LargestMu(room, kForMu);
        return Same(1, static_cast<std::int64_t>(std::ldexp(most * most, 40)), cap);
      };
    }
    if (!book.Charge(request)) return false;
  }
  return true;
}

/// The largest sum of P (1 - e^{epsilon - loss})+ over all ends of any adversary with up to three such charges.
class Best {
 public:
  explicit Best(Recorded recorded) : recorded_(std::move(recorded)) {}

  double Delta(const std::vector<Charge>& charges = {}, int loss = 0) {
    const auto [at, fresh] = best_.try_emplace({charges, loss}, 0);
    if (!fresh) return at->second;
    double best = std::max(0.0, -std::expm1(kEpsilon - loss / 8.0));
    constexpr std::size_t kMost = 3;
    for (const bool by_caps : {false, true}) {
      for (const auto& [e, d] : {std::pair{2, 0}, {4, 1}, {2, 2}, {8, 1}}) {
        if (charges.size() >= kMost) continue;
        // Pure ones come first, and among either kind the order does not matter to the ledger.
        if (!by_caps && !charges.empty() && charges.back().by_caps) continue;
        auto next = charges;
        const Charge more{by_caps, e, d};
        next.insert(std::upper_bound(next.begin(), next.end(), more), more);
        if (!May(next)) continue;
        const double truth = 1 / (1 + std::exp(-e / 8.0)), shown = d / 100.0;
        best =
            std::max(best, shown + (1 - shown) * (truth * Delta(next, loss + e) + (1 - truth) * Delta(next, loss - e)));
      }
    }
    return best_[{charges, loss}] = best;
  }

 private:
  bool May(const std::vector<Charge>& charges) {
    const auto [at, fresh] = may_.try_emplace(charges, false);
    if (fresh) at->second = LedgerAllows(charges, recorded_);
    return at->second;
  }

  Recorded recorded_;
  std::map<std::vector<Charge>, bool> may_;
  std::map<std::pair<std::vector<Charge>, int>, double> best_;
};

// The same charges without Gaussian loss: one that no ledger allows in its place.
Charge Pure(Charge charge) { return charge.by_caps ? Charge{false, 1000, 0} : charge; }

TEST(DeltaCaps, NoAdaptiveAdversaryGainsMoreThanLossesAndDeltasSay_CAP6) {
  const double best = Best([](Charge charge) { return charge; }).Delta();
  EXPECT_LE(best, kForMu + kForKeys);
  EXPECT_GT(best, kForMu / 3 + kForKeys) << "both parts are used";
  const double pure = Best(Pure).Delta();
  EXPECT_LE(pure, kForKeys);
  EXPECT_GT(pure, 0.99 * kForKeys);
}

TEST(DeltaCaps, TheCheckAboveSeesDeltasThatAreNotAddedAndLossesThatAreForgotten) {
  const auto without_deltas = [](Charge charge) { return Charge{charge.by_caps, charge.loss, 0}; };
  EXPECT_GT(Best([&](Charge charge) { return Pure(without_deltas(charge)); }).Delta(), 1.5 * kForKeys);
  const auto without_losses = [](Charge charge) { return Charge{charge.by_caps, 1, charge.delta}; };
  EXPECT_GT(Best([&](Charge charge) { return charge.by_caps ? Pure(charge) : without_losses(charge); }).Delta(), 0.1);
  // The sum of deltas starts again with the caps of Gaussian loss.
  const double honest = Best([](Charge charge) { return charge; }).Delta();
  EXPECT_GT(Best([&](Charge charge) { return charge.by_caps ? without_deltas(charge) : charge; }).Delta(),
            honest + 0.005);
}

}  // namespace
}  // namespace kith::ledger

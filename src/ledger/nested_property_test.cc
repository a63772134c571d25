// Persons in households under one ledger, against adding up what each of them lost: no person and no household ever
// loses more than the ledger says, whichever cells they were in while each of the data were asked about.
#include <gtest/gtest.h>

#include <random>

#include "ledger/ledger_test_tools.h"
#include "ledger/view.h"
#include "tests/support/stat.h"

namespace kith::ledger {
namespace {

struct Paid {
  std::size_t data = 0;
  std::int64_t units = 0;
  std::vector<std::size_t> cells;
  bool household = false;
};

bool Touches(const Paid& paid, std::size_t cell) {
  return std::find(paid.cells.begin(), paid.cells.end(), cell) != paid.cells.end();
}

using Path = std::vector<std::size_t>;  // the cell of a person for each of the data

std::vector<Path> AllPaths(std::size_t cells, std::size_t data) {
  std::vector<Path> paths = {{}};
  for (std::size_t d = 0; d < data; ++d) {
    std::vector<Path> longer;
    for (const auto& path : paths) {
      for (std::size_t c = 0; c < cells; ++c) {
        longer.push_back(path);
        longer.back().push_back(c);
      }
    }
    paths = std::move(longer);
  }
  return paths;
}

// What a household of these persons lost, only by the postings: what each question about persons cost each of them,
// and what each question about households cost if any of them could change it.
std::int64_t LostBy(const std::vector<Path>& members, const std::vector<Paid>& paid) {
  std::int64_t lost = 0;
  for (const Paid& each : paid) {
    std::int64_t touched = 0;
    for (const Path& path : members) touched += Touches(each, path[each.data]) ? 1 : 0;
    lost += each.units * (each.household ? std::min<std::int64_t>(touched, 1) : touched);
  }
  return lost;
}

enum class Fault { kNone, kHouseholdsForgottenForPersons, kSizeForgottenForHouseholds };

struct Tally {
  std::size_t understated = 0, checks = 0, tight = 0;
};

void Compare(const Ledger& book, const std::vector<Paid>& paid, std::size_t cells, std::size_t data, Fault fault,
             Tally& tally) {
  constexpr std::int64_t kSize = 2;
  auto spent = book.Totals().value().spent;
  const auto household = book.Totals().value().households;
  const auto loss = HouseholdLoss(spent, household, fault == Fault::kSizeForgottenForHouseholds ? 1 : kSize).count();
  if (fault == Fault::kHouseholdsForgottenForPersons) {
    for (std::size_t cell = 0; cell < cells; ++cell) spent[cell] = spent[cell] - household[cell];
  }
  const auto check = [&](std::int64_t lost, std::int64_t said) {
    ++tally.checks;
    tally.understated += lost > said ? 1 : 0;
    tally.tight += lost == said && said > 0 ? 1 : 0;
  };
  const auto paths = AllPaths(cells, data);
  for (const Path& one : paths) {
    check(LostBy({one}, paid), spent[one.back()].count());
    for (const Path& other : paths) check(LostBy({one, other}, paid), loss);
  }
}

Tally Live(std::uint64_t seed, Fault fault) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const Scratch scratch;
  const auto cells = static_cast<std::size_t>(1 + below(3));
  auto book = std::make_unique<Ledger>(OpenOrDie(scratch / "a.ledger", cells));
  std::vector<Paid> paid;
  Tally tally;
  std::size_t data = 1;
  for (int step = 0; step < 8; ++step) {
    if (below(4) == 0 && data < 3) {
      EXPECT_TRUE(book->ReplaceData(book->Data().value().number, "", ""));
      data += paid.empty() ? 0 : 1;  // nothing was asked about the data before
    } else {
      Paid next{data - 1, 1 + below(5), {}, below(2) == 0};
      for (std::size_t cell = 0; cell < cells; ++cell) {
        if (next.household || below(2) == 0) next.cells.push_back(cell);
      }
      ChargeRequest request = Request(next.units, next.cells, cells);
      request.data = book->Data().value().number;
      request.covers = Covers::kAny;
      request.level = next.household ? UnitLevel::kHousehold : UnitLevel::kPerson;
      request.answer_key = std::to_string(step);
      EXPECT_TRUE(book->Charge(request));
      paid.push_back(next);
    }
    if (below(3) == 0) {
      book.reset();
      book = std::make_unique<Ledger>(OpenOrDie(scratch / "a.ledger", cells));
    }
    Compare(*book, paid, cells, data, fault, tally);
  }
  const auto history = book->History().value();
  EXPECT_EQ(history.size(), paid.size());
  for (std::size_t k = 0; k < history.size(); ++k)
    EXPECT_EQ(history[k].level == UnitLevel::kHousehold, paid[k].household);
  EXPECT_TRUE(book->Verify());
  return tally;
}

Tally Lives(Fault fault) {
  Tally all;
  for (std::uint64_t life = 0; life < 40; ++life) {
    const Tally one = Live(stat::SeedForThisTest() + life, fault);
    all.understated += one.understated;
    all.checks += one.checks;
    all.tight += one.tight;
  }
  return all;
}

TEST(NestedLedgerProperty, NobodyLosesMoreThanTheLedgerSays_NEST1) {
  const Tally tally = Lives(Fault::kNone);
  EXPECT_EQ(tally.understated, 0U) << "of " << tally.checks;
  EXPECT_GT(tally.tight, 100U);
}

TEST(NestedLedgerProperty, TheCheckAboveSeesPlantedFaults) {
  EXPECT_GT(Lives(Fault::kHouseholdsForgottenForPersons).understated, 100U);
  EXPECT_GT(Lives(Fault::kSizeForgottenForHouseholds).understated, 100U);
}

// The limits of a charge, tried on every charge of a random sequence against what it would make of the totals.
struct Limited {
  std::size_t wrong = 0, refused = 0, passed_by_household = 0;
};

Limited ChargeWithLimits(std::uint64_t seed, bool ignore_nested) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 2);
  const std::int64_t size = 1 + below(4), cell_limit = 10 + below(20), limit = 20 + below(60), enough = below(40);
  std::vector<std::int64_t> a(2, 0);
  std::int64_t b = 0;
  Limited seen;
  for (int step = 0; step < 30; ++step) {
    const bool household = below(2) == 0;
    ChargeRequest request = Request(1 + below(6), {}, 2, cell_limit);
    request.cells =
        household ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{static_cast<std::size_t>(below(2))};
    request.covers = Covers::kAny;
    request.level = household ? UnitLevel::kHousehold : UnitLevel::kPerson;
    request.answer_key = std::to_string(step);
    if (!ignore_nested) request.nested = NestedLimits{size, PlainUnits::Of(limit), PlainUnits::Of(enough)};
    auto a_then = a;
    const std::int64_t b_then = b + (household ? request.units.count() : 0);
    if (!household) a_then[request.cells[0]] += request.units.count();
    const std::int64_t loss = size * std::max(a_then[0], a_then[1]) + b_then;
    const bool persons_fit = std::max(a_then[0], a_then[1]) + b_then <= cell_limit;
    const bool fits = loss <= limit && (loss <= enough || persons_fit);
    const auto charged = book.Charge(request);
    seen.wrong += charged.has_value() != fits ? 1 : 0;
    if (!charged) {
      EXPECT_EQ(charged.error().code, Code::kBudgetExhausted);
      ++seen.refused;
      continue;
    }
    seen.passed_by_household += persons_fit ? 0 : 1;
    a = a_then;
    b = b_then;
  }
  return seen;
}

TEST(NestedLedgerProperty, ChargesFitBothBudgets_NEST2) {
  Limited all;
  for (std::uint64_t k = 0; k < 60; ++k) {
    const Limited one = ChargeWithLimits(stat::SeedForThisTest() + k, false);
    EXPECT_EQ(one.wrong, 0U);
    all.refused += one.refused;
    all.passed_by_household += one.passed_by_household;
  }
  EXPECT_GT(all.refused, 100U);
  EXPECT_GT(all.passed_by_household, 10U);
}

TEST(NestedLedgerProperty, TheCheckAboveSeesAForgottenBudget) {
  std::size_t wrong = 0;
  for (std::uint64_t k = 0; k < 60; ++k) wrong += ChargeWithLimits(stat::SeedForThisTest() + k, true).wrong;
  EXPECT_GT(wrong, 100U);
}

TEST(NestedLedger, ChargesAboutHouseholdsAreForAllCellsAndAnyChange) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 2);
  ChargeRequest request = Request(5, {0, 1}, 2);
  request.level = UnitLevel::kHousehold;
  EXPECT_FALSE(book.Charge(request));  // a move, not any change
  request.covers = Covers::kAny;
  request.cells = {1};
  const auto part = book.Charge(request);
  ASSERT_FALSE(part);
  EXPECT_NE(part.error().what.find("all cells"), std::string::npos);
  request.cells = {};
  EXPECT_TRUE(book.Charge(request));  // public facts only
  EXPECT_EQ(Counts(book.Totals().value().spent), (std::vector<std::int64_t>{0, 0}));
  request.cells = {0, 1};
  EXPECT_TRUE(book.Charge(request));
  EXPECT_EQ(Counts(book.Totals().value().spent), (std::vector<std::int64_t>{5, 5}));
  EXPECT_EQ(Counts(book.Totals().value().households), (std::vector<std::int64_t>{5, 5}));
  EXPECT_EQ(HouseholdLoss({PlainUnits::Of(PlainUnits::kMax)}, {}, 3).count(), PlainUnits::kMax);
}

}  // namespace
}  // namespace kith::ledger

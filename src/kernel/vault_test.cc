#include "kernel/vault.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <ostream>

#include "kernel/unbooked.h"
#include "ledger/ledger_test_tools.h"
#include "query/test_policy.h"
#include "tests/support/handed_rows.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

using testing::HandedRows;

// What anybody could do to get at a value.
template <class T>
concept Printed = requires(std::ostream& out, const T& value) {
  out << value;
};
template <class T>
concept Compared = requires(const T& a, const T& b) {
  a == b;
};
template <class T>
concept Shown = requires(const T& value) {
  value.rows;
}
|| requires(const T& value) { value.sums; }
|| requires(const T& value) { value[0]; }
|| requires(const T& value) { value.begin(); };
template <class T>
constexpr int kWaysIn = (Printed<T> ? 1 : 0) + (Compared<T> ? 1 : 0) + (Shown<T> ? 1 : 0) + (std::copyable<T> ? 1 : 0) +
                        (std::default_initializable<T> ? 1 : 0);

TEST(Sealed, CannotBeReadPrintedComparedOrCopied_KERNEL3) {
  EXPECT_EQ(kWaysIn<Sealed>, 0);
  EXPECT_EQ(kWaysIn<SealedSums>, 0);
  EXPECT_FALSE((std::constructible_from<Sealed, std::shared_ptr<const Plan>, std::shared_ptr<const Exact>>));
  EXPECT_TRUE(std::movable<Sealed>);
}

TEST(Sealed, TheCheckAboveSeesATable) { EXPECT_EQ(kWaysIn<IntegerTable>, 3); }  // shown, copied, made

/// Sexes with counts; NULL is the third.
const HandedRows kCounts({{0, 40}, {1, 50}, {2, 3}});

Plan PlanOf(const std::string& question, const Policy& policy) { return PlanQuestion(question, policy).value(); }

/// Opens the counts of a question again and again, each time for a random share, with what `next` hands out; returns
/// the sum of the shares for which something opened.
template <class Next>
std::int64_t OpenedFor(const Policy& policy, const Vault& vault, stat::SeededBits& bits, Next next) {
  const Plan plan = PlanOf("SELECT ill, count(*) FROM people GROUP BY ill", policy);
  const HandedRows session({{0, 40}, {1, 50}, {2, 3}});
  std::int64_t opened = 0;
  for (int time = 0; time < 200; ++time) {
    const auto share = PlainUnits::Of(1 + static_cast<std::int64_t>(bits.Bits(24)));
    const auto sealed = vault.Run(CheckPlan(plan, policy).value()).value();
    const std::vector<PlainUnits> shares(plan.statistics.size(), share);
    const auto noisy = vault.Open(sealed, next(), {.shares = shares});
    if (noisy) opened += share.count();
    if (!noisy) {
      EXPECT_EQ(noisy.error().code, Code::kInternal);
    }
  }
  return opened;
}

constexpr std::int64_t kPaidUnits = std::int64_t{1} << 26;

TEST(Paid, OpensNoMoreThanWasPaid_KERNEL4) {
  const Policy policy = TestPolicy();
  stat::SeededBits bits(stat::SeedForThisTest());
  const CancelFlag never;
  const Vault vault(policy, kCounts, bits, never);
  for (int trial = 0; trial < 20; ++trial) {
    Paid paid = Unbooked::Of(PlainUnits::Of(kPaidUnits), policy.cells.size());
    const std::int64_t opened = OpenedFor(policy, vault, bits, [&]() -> Paid& { return paid; });
    EXPECT_LE(opened, kPaidUnits);
    EXPECT_GT(opened, kPaidUnits / 2);  // and it does open until then
  }
}

TEST(Paid, TheCheckAboveSeesAPaymentThatIsNotCountedDown) {
  const Policy policy = TestPolicy();
  stat::SeededBits bits(stat::SeedForThisTest());
  const CancelFlag never;
  const Vault vault(policy, kCounts, bits, never);
  Paid paid = Paid::Nothing();
  const std::int64_t opened = OpenedFor(policy, vault, bits, [&]() -> Paid& {
    return paid = Unbooked::Of(PlainUnits::Of(kPaidUnits), policy.cells.size());
  });
  EXPECT_GT(opened, kPaidUnits);
}

TEST(Paid, IsMadeByAChargeThatTheLedgerKeeps_KERNEL4) {
  const ledger::Scratch scratch;
  Ledger book = ledger::OpenOrDie(scratch / "l", 2);
  auto paid = Paid::Charge(book, ledger::Request(700, {0}, 2, 1000));
  ASSERT_TRUE(paid) << paid.error().Text();
  EXPECT_EQ(paid->units().count(), 700);
  EXPECT_EQ(paid->entry().number, 1);
  EXPECT_EQ(book.Totals()->spent[0].count(), 700);
  const auto refused = Paid::Charge(book, ledger::Request(700, {0}, 2, 1000));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kBudgetExhausted);
  EXPECT_EQ(book.Totals()->spent[0].count(), 700);
}

TEST(Paid, IsSpentWhereverItWasMovedFrom) {
  const Policy policy = TestPolicy();
  stat::SeededBits bits(stat::SeedForThisTest());
  const CancelFlag never;
  const Vault vault(policy, kCounts, bits, never);
  const Plan plan = PlanOf("SELECT ill, count(*) FROM people GROUP BY ill", policy);
  const auto sealed = vault.Run(CheckPlan(plan, policy).value()).value();
  const std::vector<PlainUnits> shares(1, PlainUnits::Of(10));
  Paid first = Unbooked::Of(PlainUnits::Of(10), policy.cells.size());
  Paid second = std::move(first);
  EXPECT_FALSE(vault.Open(sealed, first, {.shares = shares}));  // NOLINT: what is left of it
  EXPECT_TRUE(vault.Open(sealed, second, {.shares = shares}));
  EXPECT_FALSE(vault.Open(sealed, second, {.shares = shares}));
}

TEST(Paid, IsOfTheCellsThatPaid_KERNEL4) {
  const Policy policy = TestPolicy();
  ASSERT_GT(policy.cells.size(), 1U);
  stat::SeededBits bits(stat::SeedForThisTest());
  const CancelFlag never;
  const Vault vault(policy, kCounts, bits, never);
  const Plan plan = PlanOf("SELECT ill, count(*) FROM people GROUP BY ill", policy);
  const auto sealed = vault.Run(CheckPlan(plan, policy).value()).value();
  const std::vector<PlainUnits> shares(1, PlainUnits::Of(10));
  for (std::size_t cells = 0; cells < policy.cells.size(); ++cells) {
    Paid paid = Unbooked::Of(PlainUnits::Of(10), cells);
    EXPECT_FALSE(vault.Open(sealed, paid, {.shares = shares})) << cells;
  }
}

/// Tries random divisions of groups by sex, and of cells, into two parts; returns in how many that `opens` opened a
/// group may hold units that do not pay for it.
template <class Opens>
int OpenedUnpaid(std::uint64_t seed, int& opened, Opens opens) {
  const Policy policy = TestPolicy();
  stat::SeededBits bits(seed);
  const CancelFlag never;
  const Plan plan = PlanOf("SELECT sex, count(*) FROM people WHERE ill = 'yes' GROUP BY sex", policy);
  const auto& columns = policy.cells.columns();
  const auto sex = static_cast<std::size_t>(
      std::find_if(columns.begin(), columns.end(), [](const CellColumn& column) { return column.name == "sex"; }) -
      columns.begin());
  const std::vector<PlainUnits> shares(1, PlainUnits::Of(10));
  const HandedRows session({{0, 40}, {1, 50}});
  const Vault vault(policy, session, bits, never);
  const auto sealed = vault.Run(CheckPlan(plan, policy).value()).value();
  int unpaid = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<TermsOfCells> parts(2);
    for (TermsOfCells& part : parts) part.terms.shares = shares;
    for (TermsOfCells& part : parts) part.cells.assign(policy.cells.size(), false);
    std::vector<std::size_t> part_of(plan.groups());
    for (std::size_t group = 0; group < plan.groups(); ++group) {
      part_of[group] = static_cast<std::size_t>(bits.Bits(1));
      parts[part_of[group]].groups.push_back(group);
    }
    const bool right = bits.Bits(1) == 0;
    bool wrong = false;
    for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) {
      const auto& values = plan.keys[0].values;
      const auto at = static_cast<std::size_t>(std::find(values.begin(), values.end(), policy.cells.At(cell, sex)) -
                                               values.begin());
      const std::size_t pays = right ? part_of.at(at) : static_cast<std::size_t>(bits.Bits(1));
      parts[pays].cells[cell] = true;
      wrong = wrong || (plan.charged[cell] && pays != part_of.at(at));
    }
    Paid paid = Unbooked::Of(PlainUnits::Of(10), policy.cells.size());
    if (!opens(vault, sealed, paid, parts)) continue;
    ++opened;
    unpaid += wrong ? 1 : 0;
  }
  return unpaid;
}

TEST(Vault, GroupsAreOpenedForThoseWhoPay_KERNEL4) {
  int opened = 0;
  EXPECT_EQ(OpenedUnpaid(stat::SeedForThisTest(), opened,
                         [](const Vault& vault, const Sealed& sealed, Paid& paid, const auto& parts) {
                           return vault.Open(sealed, paid, std::span<const TermsOfCells>(parts)).has_value();
                         }),
            0);
  EXPECT_GT(opened, 0);
}

TEST(Vault, TheCheckAboveSeesThoseWhoDoNotPay) {
  int opened = 0;
  EXPECT_GT(OpenedUnpaid(stat::SeedForThisTest(), opened, [](const auto&...) { return true; }), 0);
}

/// Questions that read public columns alone, and others, as far as `decides` says.
template <class Decides>
int LetThrough(const std::vector<std::string>& questions, const Policy& policy, Decides decides) {
  int through = 0;
  for (const std::string& question : questions) {
    Plan plan = PlanOf(question, policy);
    for (Statistic& statistic : plan.statistics)
      statistic.change = Sensitivities::None();  // as a planner with a fault says
    plan.charged.assign(plan.charged.size(), false);
    through += decides(plan) ? 1 : 0;
  }
  return through;
}

const std::vector<std::string> kPublicQuestions = {"SELECT sex, count(*) FROM people GROUP BY sex"};
const std::vector<std::string> kSecretQuestions = {
    "SELECT ill, count(*) FROM people GROUP BY ill", "SELECT sex, count(*) FROM people WHERE ill = 'yes' GROUP BY sex",
    "SELECT sex, sum(age) FROM people GROUP BY sex", "SELECT sex, count(age) FROM people GROUP BY sex"};

TEST(Vault, IntegersWithoutNoiseAreOfPublicColumnsAlone_KERNEL6) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const CancelFlag never;
  const Policy there = TestPolicy(), hidden = TestPolicy("row = true\npresence = \"secret\"");
  const Vault vault(there, kCounts, bits, never), secret(hidden, kCounts, bits, never);
  const auto may = [](const Vault& of) { return [&of](const Plan& plan) { return of.Public(plan).has_value(); }; };
  EXPECT_EQ(LetThrough(kPublicQuestions, there, may(vault)), 1);
  EXPECT_EQ(LetThrough(kPublicQuestions, hidden, may(secret)), 0);
  const std::vector<std::string> units = {"SELECT sex, count(DISTINCT id) FROM people GROUP BY sex"};
  const std::vector<std::string> everybody = {"SELECT count(DISTINCT id) FROM people"};
  const HandedRows one_number(std::vector<std::vector<std::int64_t>>{{93}});
  for (const char* rows : {"1", "3"}) {
    const std::string unit = std::string("key = \"id\"\nmax_rows = ") + rows + "\npresence = ";
    const Policy counted = TestPolicy(unit + "\"public\""), uncounted = TestPolicy(unit + "\"secret\"");
    const Vault of_units(counted, kCounts, bits, never), of_hidden(uncounted, kCounts, bits, never);
    const Vault of_all(counted, one_number, bits, never), of_hidden_all(uncounted, one_number, bits, never);
    EXPECT_EQ(LetThrough(units, counted, may(of_units)), 1) << rows;
    EXPECT_EQ(LetThrough(units, uncounted, may(of_hidden)), 0) << rows;
    EXPECT_EQ(LetThrough(everybody, counted, may(of_all)), 1) << rows;
    EXPECT_EQ(LetThrough(everybody, uncounted, may(of_hidden_all)), 0) << rows;
  }
  EXPECT_EQ(LetThrough(kSecretQuestions, there, may(vault)), 0);
  EXPECT_EQ(LetThrough(kSecretQuestions, hidden, may(secret)), 0);
}

TEST(Vault, TheCheckAboveSeesADoorThatBelievesThePlan) {
  const Policy there = TestPolicy();
  EXPECT_EQ(LetThrough(kSecretQuestions, there, [](const Plan& plan) { return plan.noisy().empty(); }), 4);
}

TEST(Vault, SaysOneSentenceWhateverTheEngineSays_KERNEL3) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const CancelFlag never;
  const Policy policy = TestPolicy();
  const Plan plan = PlanOf("SELECT ill, count(*) FROM people GROUP BY ill", policy);
  std::vector<std::string> said;
  for (const Error& error : {StorageError("the file is too short"), InternalError("a value of 400"),
                             StorageError("out of memory at 7 GB", "people.csv", "take fewer rows")}) {
    const HandedRows broken(error);
    said.push_back(Vault(policy, broken, bits, never).Run(CheckPlan(plan, policy).value()).error().Text());
  }
  const HandedRows another_table(std::vector<std::vector<std::int64_t>>{{0, 1, 2, 3}});
  Paid paid = Unbooked::Of(PlainUnits::Of(10), policy.cells.size());
  const Vault vault(policy, another_table, bits, never);
  const auto sealed = vault.Run(CheckPlan(plan, policy).value()).value();
  const std::vector<PlainUnits> shares(1, PlainUnits::Of(10));
  said.push_back(vault.Open(sealed, paid, {.shares = shares}).error().Text());
  for (const std::string& each : said) EXPECT_EQ(each, said.front());
  const HandedRows stopped(Cancelled("stopped"));
  EXPECT_EQ(Vault(policy, stopped, bits, never).Run(CheckPlan(plan, policy).value()).error().code, Code::kCancelled);
}

}  // namespace
}  // namespace kith

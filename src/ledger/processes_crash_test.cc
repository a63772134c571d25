// Many processes on one ledger: they race for the last budget, create it at the same time, and are killed at any
// moment.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numeric>
#include <random>
#include <thread>

#include "ledger/ledger_test_tools.h"
#include "ledger/processes_test_tools.h"
#include "tests/support/stat.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;

constexpr int kProcesses = 8;

constexpr std::int64_t kUnits = 1000;
constexpr std::int64_t kAffordable = 203;
constexpr std::int64_t kLimit = kAffordable * kUnits + kUnits - 1;

// What is wrong after a race, given how many charges the processes were granted; empty if nothing is.
std::string RaceFault(const fs::path& file, std::int64_t granted) {
  const Ledger book = OpenOrDie(file, 2);
  const auto spent = Counts(book.Totals().value().spent);
  if (spent[1] > kLimit) return "spent more than the limit";
  if (granted != kAffordable) return "granted another number of charges than are affordable";
  if (spent[1] != kAffordable * kUnits || spent[0] != 0) return "counted wrongly";
  if (book.History().value().size() != static_cast<std::size_t>(kAffordable)) return "recorded wrongly";
  return book.Verify() ? "" : "does not verify";
}

TEST(LedgerProcesses, EightRaceForTheLastBudgetAndGetExactlyWhatThereIs_LEDGER1) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  { OpenOrDie(file, 2); }
  Wire wire;
  Together(kProcesses, [&](int) {
    Ledger book = OpenOrDie(file, 2);
    std::int64_t granted = 0;
    while (true) {
      const auto entry = book.Charge(Request(kUnits, {1}, 2, kLimit));
      if (!entry && entry.error().code == Code::kBudgetExhausted) break;
      if (!entry) _exit(1);
      ++granted;
    }
    wire.Say(granted);
  });
  const auto granted = wire.HearAll();
  ASSERT_EQ(granted.size(), static_cast<std::size_t>(kProcesses));
  EXPECT_EQ(RaceFault(file, std::accumulate(granted.begin(), granted.end(), std::int64_t{0})), "");
}

// The planted fault: the limit is checked before the transaction, not inside it. All check, then all charge.
TEST(LedgerProcesses, TheCheckAboveSeesALimitThatIsCheckedTooEarly) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  {
    Ledger book = OpenOrDie(file, 2);
    for (std::int64_t i = 1; i < kAffordable; ++i) EXPECT_TRUE(book.Charge(Request(kUnits, {1}, 2)));
  }
  Wire granted, looked, go;
  std::thread conductor([&] {
    for (int i = 0; i < kProcesses; ++i) looked.Hear();
    for (int i = 0; i < kProcesses; ++i) go.Say(1);
  });
  Together(kProcesses, [&](int) {
    Ledger book = OpenOrDie(file, 2);
    const bool enough = book.Totals().value().spent[1].count() + kUnits <= kLimit;
    looked.Say(1);
    go.Hear();
    granted.Say(enough && book.Charge(Request(kUnits, {1}, 2)) ? 1 : 0);
  });
  conductor.join();
  const auto all = granted.HearAll();
  EXPECT_EQ(RaceFault(file, kAffordable - 1 + std::accumulate(all.begin(), all.end(), std::int64_t{0})),
            "spent more than the limit");
}

TEST(LedgerProcesses, EightCreateItAtOnceAndShareOneLedger) {
  for (int round = 0; round < 10; ++round) {
    const Scratch scratch;
    const fs::path file = scratch / "a.ledger";
    Together(kProcesses, [&](int) {
      auto book = Ledger::Open(file, Binding(2), true, Patient());
      if (!book) fprintf(stderr, "%s\n", book.error().Text().c_str());
      if (!book || !book->Charge(Request(1, {0}, 2))) _exit(1);
    });
    EXPECT_EQ(OpenOrDie(file, 2).Totals().value().spent[0].count(), kProcesses);
  }
}

// Analysts who race under a few names: what any of them used, and what all of them used together.
constexpr std::int64_t kAllowed = 40 * kUnits + 1, kCap = 100 * kUnits + 1;
constexpr int kAnalysts = 4;  // whose allowances together exceed the cap

std::string NameOfAnalyst(int i) { return "analyst " + std::to_string(i % kAnalysts); }

ChargeRequest ByAnalyst(int i, std::int64_t allowed, std::int64_t cap) {
  ChargeRequest request = Request(kUnits, {1}, 2, cap);
  request.caller = NameOfAnalyst(i);
  request.allowance = PlainUnits::Of(allowed);
  return request;
}

// Empty if nobody exceeded anything, and nothing that was affordable is left.
std::string AllowanceFault(const fs::path& file, const std::vector<std::int64_t>& granted_to) {
  const Ledger book = OpenOrDie(file, 2);
  std::int64_t together = 0;
  bool full = true;
  const auto accounts = book.Totals().value().analysts;
  for (const AnalystAccount& account : accounts) {
    if (account.spent.count() > kAllowed) return "an analyst used more than the allowance";
    together += account.spent.count();
    full = full && account.spent.count() + kUnits > kAllowed;
  }
  if (together != static_cast<std::int64_t>(granted_to.size()) * kUnits) return "granted more or less than was counted";
  const std::int64_t spent = book.Totals().value().spent[1].count();
  if (spent > kCap) return "all together used more than the cap";
  if (spent != together) return "accounts and cells differ";
  if (!full && spent + kUnits <= kCap) return "refused what was affordable";
  return book.Verify() ? "" : "does not verify";
}

std::vector<std::int64_t> RaceOfAnalysts(const fs::path& file, std::int64_t allowed, std::int64_t cap, int most) {
  { OpenOrDie(file, 2); }
  Wire wire;
  Together(kProcesses, [&](int i) {
    Ledger book = OpenOrDie(file, 2);
    for (int charges = 0; charges < most; ++charges) {
      const auto entry = book.Charge(ByAnalyst(i, allowed, cap));
      if (!entry && entry.error().code == Code::kBudgetExhausted) break;
      if (!entry) _exit(1);
      wire.Say(i % kAnalysts);
    }
  });
  return wire.HearAll();
}

TEST(LedgerProcesses, AnalystsRaceAndNobodyExceedsAnAllowanceOrTheCap_ALLOWANCE1) {
  const Scratch scratch;
  const auto granted = RaceOfAnalysts(scratch / "a.ledger", kAllowed, kCap, 1000);
  EXPECT_EQ(AllowanceFault(scratch / "a.ledger", granted), "");
  // With room for everybody each gets exactly the allowance.
  const auto alone = RaceOfAnalysts(scratch / "b.ledger", kAllowed, PlainUnits::kMax, 1000);
  EXPECT_EQ(alone.size(), 4U * 40U);
}

// The planted fault: each process checks what its analyst used, and then charges without a limit for it.
TEST(LedgerProcesses, TheCheckAboveSeesAnAllowanceThatIsCheckedTooEarly) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  {
    Ledger book = OpenOrDie(file, 2);
    for (int i = 0; i < 39; ++i) ASSERT_TRUE(book.Charge(ByAnalyst(0, kAllowed, kCap)));
  }
  Wire granted, looked, go;
  std::thread conductor([&] {
    for (int i = 0; i < kProcesses; ++i) looked.Hear();
    for (int i = 0; i < kProcesses; ++i) go.Say(1);
  });
  Together(kProcesses, [&](int) {
    Ledger book = OpenOrDie(file, 2);
    const bool enough = book.Totals().value().analysts[0].spent.count() + kUnits <= kAllowed;
    looked.Say(1);
    go.Hear();
    if (enough && book.Charge(ByAnalyst(0, PlainUnits::kMax, kCap))) granted.Say(0);
  });
  conductor.join();
  auto all = granted.HearAll();
  all.resize(all.size() + 39);
  EXPECT_EQ(AllowanceFault(file, all), "an analyst used more than the allowance");
}

// The planted fault: a server that mistakes allowances for the budget, and sets no other limit.
TEST(LedgerProcesses, TheCheckAboveSeesAnalystsWhoColludeBeyondTheCap) {
  const Scratch scratch;
  const auto granted = RaceOfAnalysts(scratch / "a.ledger", kAllowed, PlainUnits::kMax, 1000);
  EXPECT_EQ(AllowanceFault(scratch / "a.ledger", granted), "all together used more than the cap");
}

// What is wrong with a ledger whose users were told of these charges and were then killed; empty if nothing is.
std::string KillFault(const fs::path& file, const std::vector<std::int64_t>& told, std::size_t processes) {
  auto book = Ledger::Open(file, Binding(2), false, Patient());
  if (!book) return "does not open: " + book.error().Text();
  if (const auto verified = book->Verify(); !verified) return "does not verify: " + verified.error().Text();
  const auto history = book->History().value();
  std::vector<bool> seen(history.size() + 1);
  for (const std::int64_t number : told) {
    if (number < 1 || number > static_cast<std::int64_t>(history.size())) return "lost a charge";
    if (seen[static_cast<std::size_t>(number)]) return "gave two charges one number";
    seen[static_cast<std::size_t>(number)] = true;
  }
  if (history.size() > told.size() + processes) return "has more charges than were under way";
  const auto spent = Counts(book->Totals().value().spent);
  return spent[1] == 3 * static_cast<std::int64_t>(history.size()) ? "" : "counts wrongly";
}

// Lets processes charge and answer as fast as they can, kills them all some time after `enough` charges, and collects
// what they were told.
std::vector<std::int64_t> ChargeUntilKilled(const fs::path& file, int processes, std::size_t enough,
                                            std::chrono::microseconds delay) {
  Wire wire;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      auto book = Ledger::Open(file, Binding(2), true, Patient());
      while (book) {
        const auto entry = book->Charge(Request(3, {1}, 2));
        if (!entry) break;
        wire.Say(entry->number);
        if (!book->StoreAnswer(*entry, "key", std::string(5000, 'a'))) break;
      }
      wire.Say(0);  // no charge has this number: the check will show it
      pause();
    }
    children.push_back(child);
  }
  std::vector<std::int64_t> told;
  while (told.size() < enough) told.push_back(wire.Hear());
  std::this_thread::sleep_for(delay);
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  for (const std::int64_t number : wire.HearAll()) told.push_back(number);
  return told;
}

TEST(LedgerProcesses, KilledAtAnyMomentNoToldChargeIsMissing_LEDGER2) {
  std::mt19937_64 random(stat::SeedForThisTest());
  for (int life = 0; life < 25; ++life) {  // each ledger is killed several times over, creation included
    const Scratch scratch;
    const fs::path file = scratch / "a.ledger";
    std::vector<std::int64_t> told;
    std::size_t killed = 0;
    for (int round = 0; round < 4; ++round) {
      const std::size_t processes = 1 + random() % 3;
      const std::size_t enough = random() % 12;
      const std::chrono::microseconds delay(random() % 2'000);
      killed += processes;
      for (const auto number : ChargeUntilKilled(file, static_cast<int>(processes), enough, delay))
        told.push_back(number);
      if (!fs::exists(file)) {
        ASSERT_TRUE(told.empty());
        continue;
      }
      ASSERT_EQ(KillFault(file, told, killed), "") << "life " << life << ", round " << round;
    }
  }
}

// The planted fault: a user who is told of a charge before it is made.
TEST(LedgerProcesses, TheCheckAboveSeesAChargeThatIsToldTooEarly) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  { OpenOrDie(file, 2); }
  Wire wire;
  const pid_t child = fork();
  if (child == 0) {
    const Ledger book = OpenOrDie(file, 2);
    wire.Say(book.Head().value().number + 1);
    pause();
  }
  EXPECT_EQ(wire.Hear(), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(KillFault(file, {1}, 1), "lost a charge");
}

}  // namespace
}  // namespace kith::ledger

// Processes that share the ledger of a stream: they race for the same steps, and are killed at any moment. Whatever
// happens, no window of consecutive steps exceeds its limit, and no step is charged twice.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <random>
#include <thread>

#include "ledger/ledger_test_tools.h"
#include "ledger/processes_test_tools.h"
#include "tests/support/stat.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kWindow = 5, kLimit = 1000, kSteps = 60;

LedgerBinding StreamBinding() {
  LedgerBinding binding = Binding(1);
  binding.stream = true;
  return binding;
}

// One process: goes through the steps in order, charges as much as fits (or any amount), never looks back.
// `looked`: what happens between the look at the room and the charge; with it, the planted fault: what was read before
// the charge is trusted.
void ChargeSteps(const fs::path& file, std::uint64_t seed, const std::function<void()>& looked = {}) {
  std::mt19937_64 random(seed);
  auto book = Ledger::Open(file, StreamBinding(), true, Patient());
  if (!book) _exit(1);
  const std::vector<PlainUnits> limits = {PlainUnits::Of(kLimit)}, none = {PlainUnits::Of(PlainUnits::kMax)};
  for (std::int64_t tick = 0; tick < kSteps; ++tick) {
    const StreamStep at{tick, kWindow};
    const std::int64_t wanted = 1 + static_cast<std::int64_t>(random() % kLimit);
    const std::string key = "stream " + std::to_string(random() % 3) + " step " + std::to_string(tick);
    const auto room = book->Room(at, {0}, limits);
    if (!room) _exit(1);
    const auto units = PlainUnits::Of(std::min(wanted, room->count()));
    if (looked) looked();
    const auto entry = book->Charge({units, {0}, looked ? none : limits, "q", key, at});
    if (entry && random() % 2 == 0 && !book->StoreAnswer(*entry, key, std::string(800, 'a'))) _exit(1);
    if (!entry && entry.error().code == Code::kStorage) _exit(1);
  }
  _exit(0);
}

// What is wrong with the ledger; empty if nothing is.
std::string Fault(const fs::path& file) {
  auto book = Ledger::Open(file, StreamBinding(), false, Patient());
  if (!book) return "does not open: " + book.error().Text();
  if (const auto verified = book->Verify(); !verified) return "does not verify: " + verified.error().Text();
  const auto history = book->History().value();
  std::vector<std::int64_t> spent(static_cast<std::size_t>(kSteps), 0);
  for (const auto& line : history) spent[static_cast<std::size_t>(line.tick)] += line.units.count();
  for (std::size_t first = 0; first + kWindow <= spent.size(); ++first) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < kWindow; ++k) sum += spent[first + k];
    if (sum > kLimit) return "a window is exceeded";
  }
  return "";
}

TEST(LedgerStreamProcesses, RacingProcessesNeverExceedAWindow_LEDGER4) {
  const Scratch scratch;
  const fs::path file = scratch / "s.ledger";
  std::vector<pid_t> children;
  for (std::uint64_t i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) ChargeSteps(file, stat::SeedForThisTest() + i);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Fault(file), "");
}

TEST(LedgerStreamProcesses, TheCheckAboveSeesALimitThatIsCheckedTooEarly) {
  const Scratch scratch;
  const fs::path file = scratch / "s.ledger";
  // At every step all look before any of them charges.
  constexpr int kProcesses = 4;
  Wire looked, go[kProcesses];  // one for each: a fast one must not take another's word
  std::thread conductor([&] {
    for (std::int64_t tick = 0; tick < kSteps; ++tick) {
      for (int i = 0; i < kProcesses; ++i) looked.Hear();
      for (const Wire& one : go) one.Say(1);
    }
  });
  Together(kProcesses, [&](int i) {
    ChargeSteps(file, stat::SeedForThisTest() + static_cast<std::uint64_t>(i), [&] {
      looked.Say(1);
      go[i].Hear();
    });
  });
  conductor.join();
  EXPECT_EQ(Fault(file), "a window is exceeded");
}

TEST(LedgerStreamProcesses, KilledAtAnyMomentNoWindowIsExceeded_LEDGER4) {
  std::mt19937_64 random(stat::SeedForThisTest());
  for (int life = 0; life < 10; ++life) {
    const Scratch scratch;
    const fs::path file = scratch / "s.ledger";
    for (int round = 0; round < 4; ++round) {
      std::vector<pid_t> children;
      for (int i = 0; i < 2; ++i) {
        const std::uint64_t seed = random();
        const pid_t child = fork();
        if (child == 0) ChargeSteps(file, seed);
        children.push_back(child);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
      for (const pid_t child : children) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
      }
      if (fs::exists(file)) {
        ASSERT_EQ(Fault(file), "") << "life " << life << ", round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace kith::ledger

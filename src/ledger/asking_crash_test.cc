// One charge for one question: processes and threads that ask the same question at once, and payers who die.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

#include "ledger/ledger_test_tools.h"
#include "ledger/processes_test_tools.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;

constexpr int kAskers = 64;

// Finds the answer or charges, computes (slowly) and stores it. Returns the number of the charge whose answer it has; 0
// if something failed. `locked`: false is the planted fault. `looked`: what happens once no answer was found.
std::int64_t Ask(Ledger& book, const std::string& text, int asker, bool locked, std::atomic<int>* paid = nullptr,
                 const std::function<void()>& looked = {}) {
  const CancelFlag never;
  const std::string key = book.KeyOf(text);
  std::optional<QuestionLock> held;
  if (locked) {
    auto lock = book.Lock(key, never);
    if (!lock) return 0;
    held.emplace(std::move(*lock));
  }
  const auto found = book.FindAnswer(key);
  if (!found) return 0;
  if (*found) return (*found)->answer.starts_with("answer of ") ? (*found)->entry.number : 0;
  if (looked) looked();
  ChargeRequest request = Request(1000, {0}, 1);
  request.answer_key = key;
  const auto entry = book.Charge(request);
  if (!entry) return 0;
  if (paid != nullptr) ++*paid;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  if (!book.StoreAnswer(*entry, key, "answer of " + std::to_string(asker))) return 0;
  return entry->number;
}

TEST(LedgerAsking, SixtyFourProcessesPayOnce_LEDGER8) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  Wire wire;
  Together(kAskers, [&](int i) {  // which also create it
    auto book = Ledger::Open(file, Binding(1), true, Patient());
    wire.Say(book ? Ask(*book, "question", i, true) : 0);
  });
  EXPECT_EQ(wire.HearAll(), std::vector<std::int64_t>(kAskers, 1)) << "everybody has the one answer";
  const Ledger book = OpenOrDie(file, 1);
  EXPECT_EQ(book.History().value().size(), 1U);
  EXPECT_EQ(book.Totals().value().spent[0].count(), 1000);
  EXPECT_TRUE(book.Verify());
}

// The planted fault: find and charge are two steps. All find nothing, then all charge.
TEST(LedgerAsking, TheCheckAboveSeesAskersWhoDoNotWait) {
  constexpr int kFew = 4;
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  { OpenOrDie(file, 1); }
  Wire looked, go;
  std::thread conductor([&] {
    for (int i = 0; i < kFew; ++i) looked.Hear();
    for (int i = 0; i < kFew; ++i) go.Say(1);
  });
  Together(kFew, [&](int i) {
    Ledger book = OpenOrDie(file, 1);
    const auto wait = [&] {
      looked.Say(1);
      go.Hear();
    };
    if (Ask(book, "question", i, false, nullptr, wait) == 0) _exit(1);
  });
  conductor.join();
  EXPECT_EQ(OpenOrDie(file, 1).History().value().size(), static_cast<std::size_t>(kFew));
}

TEST(LedgerAsking, ThreadsOfOneProcessPayOnce_LEDGER8) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  std::atomic<int> paid = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (const char* text : {"one", "two"}) EXPECT_GT(Ask(book, text, t, true, &paid), 0);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(paid, 2);
  EXPECT_EQ(book.Totals().value().spent[0].count(), 2000);
}

// The payer is killed between the charge and the answer: its charge stays, the kernel drops its lock, and the next
// pays.
TEST(LedgerAsking, WhenThePayerDiesTheNextPays_LEDGER8) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  { OpenOrDie(file, 1); }
  Wire charged, answered;
  const pid_t payer = fork();
  if (payer == 0) {
    const CancelFlag never;
    Ledger book = OpenOrDie(file, 1);
    const std::string key = book.KeyOf("question");
    const auto lock = book.Lock(key, never);
    ChargeRequest request = Request(1000, {0}, 1);
    request.answer_key = key;
    charged.Say(lock && book.Charge(request) ? 1 : 0);
    pause();
  }
  ASSERT_EQ(charged.Hear(), 1);
  std::vector<pid_t> waiting;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      Ledger book = OpenOrDie(file, 1);
      answered.Say(Ask(book, "question", i, true));
      _exit(0);
    }
    waiting.push_back(child);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(OpenOrDie(file, 1).History().value().size(), 1U) << "everybody waits";
  kill(payer, SIGKILL);
  waitpid(payer, nullptr, 0);
  for (const pid_t child : waiting) waitpid(child, nullptr, 0);
  EXPECT_EQ(answered.HearAll(), std::vector<std::int64_t>(4, 2)) << "one of them paid, and all have its answer";
  const auto history = OpenOrDie(file, 1).History().value();
  ASSERT_EQ(history.size(), 2U);
  EXPECT_FALSE(history[0].answered) << "what the dead paid stays spent";
  EXPECT_TRUE(history[1].answered);
}

TEST(LedgerAsking, OtherQuestionsDoNotWait) {
  const Scratch scratch;
  const CancelFlag never;
  const Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  std::vector<QuestionLock> held;
  for (int i = 0; i < 50; ++i) {
    auto lock = book.Lock(book.KeyOf(std::to_string(i)), never);
    ASSERT_TRUE(lock) << lock.error().Text();
    held.push_back(std::move(*lock));
  }
}

TEST(LedgerAsking, WaitingEndsWhenItIsCancelledOrTheLockIsFree_LEDGER8) {
  const Scratch scratch;
  const CancelFlag never;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1), other = OpenOrDie(scratch / "a.ledger", 1);
  std::optional<QuestionLock> held(std::move(book.Lock("key", never).value()));
  QuestionLock moved(std::move(*held));
  held.reset();  // an empty shell
  CancelFlag cancel;
  std::thread waiter([&] { EXPECT_EQ(other.Lock("key", cancel).error().code, Code::kCancelled); });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  cancel.Cancel();
  waiter.join();
  EXPECT_EQ(book.Lock("another key", cancel).error().code, Code::kCancelled) << "even if nobody holds it";
  std::atomic<bool> free = false;
  std::thread second([&] {
    EXPECT_TRUE(other.Lock("key", never));
    EXPECT_TRUE(free);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  free = true;
  { const QuestionLock last(std::move(moved)); }
  second.join();
}

// Somebody deletes .kith while questions are asked: a later lock is in the file that is there then.
TEST(LedgerAsking, ALockFileThatIsGoneIsMadeAnew) {
  const Scratch scratch;
  const CancelFlag never;
  const Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  const auto before = book.Lock("key", never);
  ASSERT_TRUE(before);
  fs::remove_all(scratch / ".kith");
  const auto after = book.Lock("key", never);
  ASSERT_TRUE(after) << after.error().Text();
  EXPECT_TRUE(fs::exists(scratch / ".kith/a.ledger.asking"));
}

}  // namespace
}  // namespace kith::ledger

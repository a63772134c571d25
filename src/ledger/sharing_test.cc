// Threads of one process that charge and store answers at once: several share one commit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <thread>

#include "ledger/ledger_test_tools.h"

namespace kith::ledger {
namespace {

constexpr int kThreads = 16;

void InThreads(const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int k = 0; k < kThreads; ++k) threads.emplace_back(work, k);
  for (std::thread& thread : threads) thread.join();
}

ChargeRequest Keyed(std::int64_t units, std::int64_t limit, const std::string& key) {
  ChargeRequest request = Request(units, {0}, 1, limit);
  request.answer_key = key;
  return request;
}

TEST(LedgerSharing, ThreadsGetExactlyWhatThereIs_LEDGER1) {
  constexpr std::int64_t kUnits = 7, kFit = 90;
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1), other = OpenOrDie(scratch / "a.ledger", 1);
  std::mutex mutex;
  std::set<std::int64_t> numbers;
  std::set<std::string> heads;
  std::atomic<int> refused = 0;
  constexpr int kEach = 10;  // 160 in all
  InThreads([&](int k) {
    Ledger& own = k % 4 == 0 ? other : book;  // as another process would
    for (int i = 0; i < kEach; ++i) {
      const auto entry = own.Charge(Keyed(kUnits, kUnits * kFit + kUnits - 1, fmt::format("{} {}", k, i)));
      const std::lock_guard lock(mutex);
      if (entry) {
        numbers.insert(entry->number);
        heads.insert(entry->head);
      } else {
        EXPECT_EQ(entry.error().code, Code::kBudgetExhausted) << entry.error().Text();
        ++refused;
      }
    }
  });
  EXPECT_EQ(numbers.size(), static_cast<std::size_t>(kFit));
  EXPECT_EQ(heads.size(), static_cast<std::size_t>(kFit));
  EXPECT_EQ(*numbers.rbegin(), kFit);
  EXPECT_EQ(refused, kThreads * kEach - kFit);
  const Ledger again = OpenOrDie(scratch / "a.ledger", 1);
  EXPECT_EQ(Counts(again.Totals().value().spent), (std::vector<std::int64_t>{kUnits * kFit}));
  EXPECT_TRUE(again.Verify());
}

// Another process keeps the file locked, so that a charge waits, and with it everything that the state that writes has.
class Blocked {
 public:
  explicit Blocked(const std::filesystem::path& file)
      : connection_(Connection::Open(file, std::chrono::minutes(1)).value()) {
    EXPECT_TRUE(connection_->Run("BEGIN IMMEDIATE"));
  }
  ~Blocked() { EXPECT_TRUE(connection_->Run("ROLLBACK")); }
  Blocked(const Blocked&) = delete;
  Blocked& operator=(const Blocked&) = delete;

 private:
  std::unique_ptr<Connection> connection_;
};

TEST(LedgerSharing, LooksDoNotWaitForACommitAndSeeWhatWasThereBefore_LEDGER1) {
  constexpr std::chrono::milliseconds kLong(10'000), kShort(100);
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  ASSERT_TRUE(book.Charge(Keyed(5, PlainUnits::kMax, "first")));
  bool at_once = false;
  // The first look that has to wait creates another state for looks: from then on none waits.
  for (std::int64_t charges = 1; charges < 20 && !at_once; ++charges) {
    std::optional<Blocked> blocked(scratch / "a.ledger");
    auto charge = std::async(std::launch::async,
                             [&] { return book.Charge(Keyed(5, PlainUnits::kMax, fmt::format("{}", charges))); });
    std::this_thread::sleep_for(kShort);
    auto look = std::async(std::launch::async, [&] {
      std::pair<std::vector<std::int64_t>, std::size_t> seen;
      EXPECT_TRUE(book.AtOneMoment([&]() -> Result<void> {
        seen = {Counts(book.Totals().value().spent), book.History({}).value().size()};
        return {};
      }));
      return seen;
    });
    at_once = look.wait_for(charges == 1 ? kShort : kLong) == std::future_status::ready;
    EXPECT_EQ(charge.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
    if (at_once) {
      const auto seen = look.get();
      EXPECT_EQ(seen.first, std::vector<std::int64_t>{5 * charges});
      EXPECT_EQ(seen.second, static_cast<std::size_t>(charges));
    }
    blocked.reset();
    ASSERT_TRUE(charge.get());
    EXPECT_EQ(Counts(book.Totals().value().spent), std::vector<std::int64_t>{5 * (charges + 1)});
    EXPECT_EQ(book.History({}).value().size(), static_cast<std::size_t>(charges + 1));
  }
  EXPECT_TRUE(at_once);
  EXPECT_TRUE(book.Verify());
}

TEST(LedgerSharing, WhoeverHasChargedSeesIt_LEDGER1) {
  constexpr int kEach = 20;
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  InThreads([&](int k) {
    for (int i = 0; i < kEach; ++i) {
      const std::string key = book.KeyOf(fmt::format("{} {}", k, i));
      EXPECT_FALSE(book.FindAnswer(key).value());
      const auto entry = book.Charge(Keyed(1, PlainUnits::kMax, key));
      ASSERT_TRUE(entry);
      EXPECT_GE(book.Totals().value().spent[0].count(), entry->number);
      EXPECT_GE(book.History({.count = 1, .newest_first = true}).value().front().number, entry->number);
      ASSERT_TRUE(book.StoreAnswer(*entry, key, "answer " + key));
      const auto found = book.FindAnswer(key).value();
      ASSERT_TRUE(found);
      EXPECT_EQ(found->answer, "answer " + key);
      EXPECT_EQ(found->entry.number, entry->number);
    }
  });
  const auto lines = book.History({}).value();
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(kThreads * kEach));
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_EQ(lines[k].number, static_cast<std::int64_t>(k + 1));
    EXPECT_TRUE(lines[k].answered);
  }
  const auto newest = book.History({.count = 100, .newest_first = true}).value();
  ASSERT_EQ(newest.size(), 100U);
  for (std::size_t k = 0; k < newest.size(); ++k) {
    EXPECT_EQ(newest[k].number, lines[lines.size() - 1 - k].number);
    EXPECT_EQ(newest[k].head, lines[lines.size() - 1 - k].head);
  }
}

// A caller that looks first and charges without its own limit, as if nobody else could come in between.
TEST(LedgerSharing, TheCheckAboveSeesALimitThatIsCheckedTooEarly) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  constexpr std::int64_t kLimit = 1;
  std::atomic<int> looked = 0, charged = 0;
  InThreads([&](int k) {
    const bool fits = book.Totals().value().spent[0].count() + 1 <= kLimit;
    ++looked;
    while (looked < kThreads) std::this_thread::yield();
    if (fits && book.Charge(Keyed(1, PlainUnits::kMax, fmt::format("{}", k)))) ++charged;
  });
  EXPECT_GT(charged, kLimit) << "the race is there to be won";
}

TEST(LedgerSharing, ChargesAndAnswersInOneCommitKeepTheirOrder) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  constexpr int kEach = 20;
  InThreads([&](int k) {
    for (int i = 0; i < kEach; ++i) {
      const std::string key = fmt::format("{} {}", k, i), text = "answer of " + key;
      const auto entry = book.Charge(Keyed(1, PlainUnits::kMax, key));
      ASSERT_TRUE(entry) << entry.error().Text();
      ASSERT_TRUE(book.StoreAnswer(*entry, key, text));
      ASSERT_TRUE(book.StoreAnswer(*entry, key, text)) << "the same once more is nothing new";
      ASSERT_FALSE(book.StoreAnswer(*entry, key, "another"));
      const auto found = book.FindAnswer(key);
      ASSERT_TRUE(found && *found);
      ASSERT_EQ((*found)->answer, text);
      ASSERT_EQ((*found)->entry.number, entry->number);
    }
  });
  const Ledger again = OpenOrDie(scratch / "a.ledger", 1);
  const auto history = again.History().value();
  ASSERT_EQ(history.size(), static_cast<std::size_t>(kThreads * kEach));
  for (const HistoryLine& line : history) EXPECT_TRUE(line.answered);
  EXPECT_TRUE(again.Verify());
}

// A refusal among charges that succeed concerns nobody else, nor does an invalid request.
TEST(LedgerSharing, ARefusalIsForItsOwnCharge) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  InThreads([&](int k) {
    for (int i = 0; i < 10; ++i) {
      const std::string key = fmt::format("{} {}", k, i);
      if (k % 3 == 0) {
        EXPECT_FALSE(book.Charge(Keyed(100'000, 99'999, key)));
      } else if (k % 3 == 1) {
        EXPECT_FALSE(book.Charge(Request(1, {7}, 1)));  // no such cell
      } else {
        EXPECT_TRUE(book.Charge(Keyed(1, PlainUnits::kMax, key)));
      }
    }
  });
  EXPECT_EQ(Counts(book.Totals().value().spent), (std::vector<std::int64_t>{50}));
  EXPECT_TRUE(book.Verify());
}

// Memory runs out in the middle of a transaction that several share: nobody waits for ever, nobody is told of a charge
// that was not made, and the next ones go on.
TEST(LedgerSharing, MemoryThatRunsOutFailsWhoeverSharedTheCommitAndNobodyElse_LEDGER1) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  std::atomic<int> charged = 0, failed = 0, thrown = 0;
  InThreads([&](int k) {
    for (int i = 0; i < 10; ++i) {
      ChargeRequest request = Keyed(1, PlainUnits::kMax, fmt::format("{} {}", k, i));
      if (k % 4 == 0) {
        request.covers = Covers::kAny;
        request.gaussian = GaussianCharge{.mu = 1, .delta = 0, .pure = true, .used = {}, .caps = {}};
        request.gaussian->caps = [&](const std::vector<PlainUnits>&) -> Result<LedgerCaps> {
          ++thrown;
          throw std::bad_alloc();
        };
      }
      const auto entry = book.Charge(request);
      ++(entry ? charged : failed);
      EXPECT_TRUE(entry || entry.error().what.find("memory ran out") != std::string::npos) << entry.error().Text();
    }
  });
  EXPECT_GT(thrown, 0);
  EXPECT_GE(failed, kThreads / 4 * 10) << "none of those that threw was charged";
  EXPECT_EQ(charged + failed, kThreads * 10);
  EXPECT_EQ(Counts(book.Totals().value().spent), (std::vector<std::int64_t>{charged}));
  ASSERT_TRUE(book.Charge(Keyed(1, PlainUnits::kMax, "after")));
  const Ledger again = OpenOrDie(scratch / "a.ledger", 1);
  EXPECT_EQ(Counts(again.Totals().value().spent), (std::vector<std::int64_t>{charged + 1}));
  EXPECT_TRUE(again.Verify());
}

TEST(LedgerSharing, ALookIsOfOneMoment) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  std::atomic<bool> done = false;
  std::thread charging([&] {
    for (int i = 0; i < 300; ++i) EXPECT_TRUE(book.Charge(Keyed(1, PlainUnits::kMax, fmt::format("{}", i))));
    done = true;
  });
  while (!done) {
    const auto looked = book.AtOneMoment([&]() -> Result<void> {
      const auto before = book.Totals().value().spent[0].count();
      std::this_thread::yield();
      EXPECT_EQ(book.Head().value().number, before);
      EXPECT_EQ(book.AtOneMoment([&]() -> Result<void> { return {}; }).has_value(), true) << "one within another";
      EXPECT_FALSE(book.KeyOf("text").empty());
      return {};
    });
    EXPECT_TRUE(looked);
  }
  charging.join();
  const auto failed = book.AtOneMoment([]() -> Result<void> { return InvalidArgument("no"); });
  EXPECT_FALSE(failed);
  EXPECT_TRUE(book.Charge(Keyed(1, PlainUnits::kMax, "after"))) << "a look that failed keeps nobody out";
}

TEST(LedgerSharing, ACopyHoldsWhatWasThere) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  ASSERT_TRUE(book.Charge(Keyed(5, PlainUnits::kMax, "a")));
  const auto copied = book.CopyTo(scratch / "copy");
  ASSERT_TRUE(copied) << copied.error().Text();
  EXPECT_EQ(copied->number, 1);
  ASSERT_TRUE(book.Charge(Keyed(5, PlainUnits::kMax, "b")));
  EXPECT_FALSE(book.CopyTo(scratch / "copy")) << "nothing is replaced";
  LedgerOptions reading;
  reading.read_only = true;
  const auto copy = Ledger::Open(scratch / "copy", Binding(1), false, reading);
  ASSERT_TRUE(copy) << copy.error().Text();
  EXPECT_EQ(copy->Head().value().head, copied->head);
  EXPECT_EQ(Counts(copy->Totals().value().spent), (std::vector<std::int64_t>{5}));
  EXPECT_TRUE(copy->Verify());
}

}  // namespace
}  // namespace kith::ledger

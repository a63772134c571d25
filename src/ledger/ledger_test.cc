// What a ledger counts, refuses and remembers.
#include "ledger/ledger.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "ledger/ledger_test_tools.h"

namespace kith::ledger {
namespace {

constexpr std::int64_t kOne = PlainUnits::kOne;

TEST(Ledger, CountsExactlyPerCellAndKeepsTheHistory) {
  const Scratch scratch;
  std::string first_head;
  {
    Ledger book = OpenOrDie(scratch / "a.ledger", 3);
    EXPECT_EQ(Counts(book.Totals().value().spent), (std::vector<std::int64_t>{0, 0, 0}));
    EXPECT_EQ(book.Head().value().number, 0);
    const auto first = book.Charge(Request(7, {0, 2}, 3));
    const auto second = book.Charge(Request(kOne, {2}, 3));
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->number, 1);
    EXPECT_EQ(second->number, 2);
    EXPECT_NE(first->head, second->head);
    EXPECT_EQ(book.Head().value().head, second->head);
    first_head = first->head;
  }
  const Ledger again = OpenOrDie(scratch / "a.ledger", 3);
  EXPECT_EQ(Counts(again.Totals().value().spent), (std::vector<std::int64_t>{7, 0, 7 + kOne}));
  const auto history = again.History().value();
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(history[0].number, 1);
  EXPECT_EQ(history[0].units.count(), 7);
  EXPECT_EQ(history[0].cells, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(history[0].question, "SELECT count(*) FROM t");
  EXPECT_EQ(history[0].policy, "policy");
  EXPECT_EQ(history[0].head, first_head);
  EXPECT_FALSE(history[0].answered);
  EXPECT_GT(history[0].unix_seconds, 1'600'000'000);
  EXPECT_TRUE(again.Verify());
}

TEST(Ledger, TheLimitItselfIsAllowedAndNothingBeyond) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 2);
  EXPECT_TRUE(book.Charge(Request(60, {0}, 2, 100)));
  EXPECT_TRUE(book.Charge(Request(40, {0}, 2, 100)));
  const auto refused = book.Charge(Request(1, {0, 1}, 2, 100));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kBudgetExhausted);
  EXPECT_EQ(refused.error().where, "cell 'cell 0'");
  EXPECT_EQ(Counts(book.Totals().value().spent), (std::vector<std::int64_t>{100, 0}));
  EXPECT_EQ(book.Head().value().number, 2);
  EXPECT_TRUE(book.Charge(Request(100, {1}, 2, 100))) << "the other cell is untouched";
}

TEST(Ledger, CellsPayDifferentAmountsInOneCharge_STRATA2) {
  const Scratch scratch;
  {
    Ledger book = OpenOrDie(scratch / "a.ledger", 4);
    ChargeRequest request = Request(60, {0, 1, 3}, 4, 100);
    request.parts = {{PlainUnits::Of(10), {3, 0}}, {PlainUnits::Of(60), {1}}};
    EXPECT_TRUE(book.Charge(request));
    const auto refused = book.Charge(request);  // only cell 1 is full
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kBudgetExhausted);
    EXPECT_EQ(refused.error().where, "cell 'cell 1'");
    for (const std::vector<CellCharge>& wrong : std::vector<std::vector<CellCharge>>{
             {{PlainUnits::Of(10), {0, 3}}},                                   // cell 1 would not pay
             {{PlainUnits::Of(10), {0, 3}}, {PlainUnits::Of(59), {1}}},        // less than is said
             {{PlainUnits::Of(10), {0, 1, 3}}, {PlainUnits::Of(60), {1}}},     // one twice
             {{PlainUnits::Of(10), {0, 2, 3}}, {PlainUnits::Of(60), {1}}}}) {  // one that is not charged
      request.parts = wrong;
      EXPECT_EQ(book.Charge(request).error().code, Code::kInvalidArgument);
    }
    EXPECT_EQ(Counts(book.Totals().value().spent), (std::vector<std::int64_t>{10, 60, 0, 10}));
  }
  const Ledger again = OpenOrDie(scratch / "a.ledger", 4);
  EXPECT_EQ(Counts(again.Totals().value().spent), (std::vector<std::int64_t>{10, 60, 0, 10}));
  const auto history = again.History().value();
  ASSERT_EQ(history.size(), 1U);
  EXPECT_EQ(history[0].units.count(), 60) << "the most that a cell paid";
  EXPECT_EQ(history[0].cells, (std::vector<std::size_t>{0, 1, 3}));
  EXPECT_TRUE(again.Verify());
}

TEST(Ledger, ACellThatIsOverItsLimitStopsChargesElsewhere) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 2);
  EXPECT_TRUE(book.Charge(Request(60, {0}, 2, 100)));
  const auto lowered = book.Charge(Request(1, {1}, 2, 50));  // the policy's budget was lowered in the meantime
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().code, Code::kBudgetExhausted);
  EXPECT_TRUE(book.Charge(Request(0, {1}, 2, 50))) << "a charge of nothing";
  EXPECT_TRUE(book.Charge(Request(5, {}, 2, 50))) << "a charge of nothing";
  EXPECT_EQ(Counts(book.Totals().value().spent), (std::vector<std::int64_t>{60, 0}));
}

TEST(Ledger, TheLargestTotalsDoNotOverflow) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  EXPECT_TRUE(book.Charge(Request(PlainUnits::kMax, {0}, 1)));
  for (const std::int64_t units : {std::int64_t{1}, PlainUnits::kMax}) {
    const auto refused = book.Charge(Request(units, {0}, 1));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kBudgetExhausted);
  }
}

TEST(Ledger, RefusesRequestsThatMakeNoSense) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 2);
  const std::vector<ChargeRequest> wrong = {Request(1, {0, 0}, 2), Request(1, {2}, 2), Request(1, {0}, 1),
                                            Request(1, {0}, 3)};
  for (const auto& request : wrong) {
    const auto refused = book.Charge(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
  }
  EXPECT_EQ(book.Head().value().number, 0);
  for (const std::size_t cells : {std::size_t{0}, Ledger::kMaxCells + 1}) {
    EXPECT_EQ(Ledger::Open(scratch / "b.ledger", Binding(cells), true).error().code, Code::kInvalidArgument);
  }
}

TEST(Ledger, AnswersAreKeptOnceAndFoundByKey) {
  const Scratch scratch;
  const std::string answer = std::string("{\"answer\": 1}\0with a zero byte", 30) + std::string(300'000, 'x');
  LedgerEntry first, second;
  {
    Ledger book = OpenOrDie(scratch / "a.ledger", 1);
    first = book.Charge(Request(1, {0}, 1)).value();
    EXPECT_FALSE(book.FindAnswer("key").value().has_value()) << "charged, but not answered";
    EXPECT_TRUE(book.StoreAnswer(first, "key", answer));
    const auto head = book.Head().value().head;
    EXPECT_TRUE(book.StoreAnswer(first, "key", answer)) << "again is fine";
    EXPECT_EQ(book.Head().value().head, head) << "and does nothing";
    second = book.Charge(Request(1, {0}, 1)).value();  // two callers at once may both pay
    EXPECT_EQ(second.number, 2) << "answers do not take the numbers of charges";
    EXPECT_TRUE(book.StoreAnswer(second, "key", "a later answer"));
  }
  Ledger again = OpenOrDie(scratch / "a.ledger", 1);
  const auto found = again.FindAnswer("key").value();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->answer, answer) << "the first one stays";
  EXPECT_EQ(found->entry.number, 1);
  EXPECT_EQ(found->entry.head, first.head);
  EXPECT_FALSE(again.FindAnswer("another key").value().has_value());
  const auto history = again.History().value();
  EXPECT_TRUE(history[0].answered && history[1].answered);
  EXPECT_TRUE(again.Verify());
}

TEST(Ledger, AnAnswerBelongsToItsCharge) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  const LedgerEntry entry = book.Charge(Request(1, {0}, 1)).value();
  EXPECT_EQ(book.StoreAnswer(entry, "other key", "a").error().code, Code::kInvalidArgument);
  EXPECT_EQ(book.StoreAnswer({2, entry.head}, "key", "a").error().code, Code::kInvalidArgument);
  EXPECT_EQ(book.StoreAnswer({1, std::string(64, '0')}, "key", "a").error().code, Code::kInvalidArgument);
  EXPECT_TRUE(book.StoreAnswer(entry, "key", "a"));
  EXPECT_EQ(book.StoreAnswer(entry, "key", "b").error().code, Code::kInvalidArgument);
  EXPECT_EQ(book.FindAnswer("key").value()->answer, "a");
}

TEST(Ledger, ANewPolicyIsNoticedAndWhatWasSpentStays) {
  const Scratch scratch;
  LedgerBinding changed = Binding(1);
  changed.policy = "another policy";
  EXPECT_FALSE(Ledger::Open(scratch / "a.ledger", changed, true).value().policy_changed()) << "nothing was charged yet";
  EXPECT_TRUE(OpenOrDie(scratch / "a.ledger", 1).Charge(Request(5, {0}, 1)));
  Ledger book = Ledger::Open(scratch / "a.ledger", changed, true).value();
  EXPECT_TRUE(book.policy_changed());
  EXPECT_EQ(book.Totals().value().spent[0].count(), 5);
  EXPECT_TRUE(book.Charge(Request(6, {0}, 1)));
  EXPECT_FALSE(book.policy_changed()) << "the change is now on record";
  const auto history = book.History().value();
  EXPECT_EQ(history[0].policy, "policy");
  EXPECT_EQ(history[1].policy, "another policy");
  EXPECT_TRUE(OpenOrDie(scratch / "a.ledger", 1).policy_changed()) << "and so is the way back";
}

TEST(Ledger, OtherDataAreRefusedWithTheReason) {
  const Scratch scratch;
  EXPECT_TRUE(OpenOrDie(scratch / "a.ledger", 2).Charge(Request(0, {}, 2))) << "public facts: an answer all the same";
  LedgerBinding other = Binding(2);
  other.identity = "other";
  const auto refused = Ledger::Open(scratch / "a.ledger", other, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
  EXPECT_NE(refused.error().what.find("another unit"), std::string::npos);
  EXPECT_NE(refused.error().next.find("only for other data"), std::string::npos);
  const auto cells = Ledger::Open(scratch / "a.ledger", Binding(3), true);
  ASSERT_FALSE(cells);
  EXPECT_EQ(cells.error().code, Code::kInvalidArgument);
}

TEST(Ledger, TheReasonNamesWhatDiffers) {
  const Scratch scratch;
  LedgerBinding before = Binding(1), now = Binding(1);
  before.identity = "1\nunit: table t, key id\ncolumn t.age: integer, lower 0, upper 120\ncolumn t.old: text\n";
  now.identity = "2\nunit: table t, key id\ncolumn t.age: integer, lower 0, upper 200\ncolumn t.new: text\n";
  EXPECT_TRUE(Ledger::Open(scratch / "a.ledger", before, true).value().Charge(Request(5, {0}, 1)));
  const auto refused = Ledger::Open(scratch / "a.ledger", now, true);
  ASSERT_FALSE(refused);
  const std::string what = refused.error().what;
  EXPECT_NE(what.find("column t.age was \"integer, lower 0, upper 120\" and is now \"integer, lower 0, upper 200\""),
            std::string::npos)
      << what;
  EXPECT_NE(what.find("column t.old is gone"), std::string::npos) << what;
  EXPECT_NE(what.find("column t.new is new"), std::string::npos) << what;
  EXPECT_EQ(what.find("key id"), std::string::npos) << what;
  now.identity = "1\nother words for the same";
  EXPECT_TRUE(Ledger::Open(scratch / "a.ledger", now, true)) << "the first line decides";
}

TEST(Ledger, NothingIsFrozenBeforeTheFirstEntry) {
  const Scratch scratch;
  LedgerBinding other = Binding(3);
  other.identity = "other";
  { OpenOrDie(scratch / "a.ledger", 2); }
  {
    auto bound = Ledger::Open(scratch / "a.ledger", other, true);
    ASSERT_TRUE(bound) << bound.error().Text();
    EXPECT_EQ(bound->Totals().value().spent.size(), 3U);
    EXPECT_TRUE(bound->Verify());
    EXPECT_TRUE(bound->Charge(Request(5, {2}, 3)));
  }
  EXPECT_FALSE(Ledger::Open(scratch / "a.ledger", Binding(2), true)) << "from now on it is frozen";
  EXPECT_EQ(Counts(Ledger::Open(scratch / "a.ledger", other, true).value().Totals().value().spent),
            (std::vector<std::int64_t>{0, 0, 5}));
}

// Rebound while somebody uses it: their view of the ledger is void, and they must not charge on it.
TEST(Ledger, WhoeverHadItOpenBeforeItWasBoundAnewCannotCharge) {
  const Scratch scratch;
  Ledger early = OpenOrDie(scratch / "a.ledger", 2);
  LedgerBinding other = Binding(2);
  other.identity = "other";
  ASSERT_TRUE(Ledger::Open(scratch / "a.ledger", other, true));
  EXPECT_EQ(early.Charge(Request(5, {0}, 2)).error().code, Code::kStorage);
}

TEST(Ledger, OnlyTheOwnerCanReadIt) {
  const Scratch scratch;
  const Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  for (const char* name : {"a.ledger", "a.ledger-wal", "a.ledger-shm", ".kith/a.ledger.created"}) {
    struct stat info {};
    ASSERT_EQ(::stat((scratch / name).c_str(), &info), 0) << name;
    EXPECT_EQ(info.st_mode & 0777U, 0600U) << name;
  }
}

TEST(Ledger, SetsOfCellsAreKeptSmall) {
  const Scratch scratch;
  constexpr int kCharges = 200;
  std::vector<std::size_t> all(Ledger::kMaxCells), every_second;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  for (std::size_t i = 0; i < all.size(); i += 2) every_second.push_back(i);
  const auto size_with = [&](const std::vector<std::size_t>& cells, const std::string& name) {
    {
      Ledger book = OpenOrDie(scratch / name, Ledger::kMaxCells);
      for (int i = 0; i < kCharges; ++i) EXPECT_TRUE(book.Charge(Request(3, cells, Ledger::kMaxCells)));
    }
    EXPECT_EQ(OpenOrDie(scratch / name, Ledger::kMaxCells).Totals().value().spent[4094].count(), 3 * kCharges);
    return std::filesystem::file_size(scratch / name);
  };
  { OpenOrDie(scratch / "empty.ledger", Ledger::kMaxCells); }
  const auto empty = std::filesystem::file_size(scratch / "empty.ledger");
  const auto once = 20U * Ledger::kMaxCells;  // the set itself, by value
  EXPECT_LT(size_with(all, "all.ledger") - empty, once + kCharges * 400U);
  EXPECT_LT(size_with(every_second, "second.ledger") - empty, once + kCharges * 400U);
}

TEST(Ledger, ThreadsShareOneLedger) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 2);
  std::atomic<int> charged = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        const auto entry = book.Charge(Request(10, {1}, 2, 1005));
        if (!entry) continue;
        ++charged;
        EXPECT_TRUE(book.StoreAnswer(*entry, "key", "answer"));
        EXPECT_TRUE(book.FindAnswer("key").value().has_value());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(charged, 100);
  EXPECT_EQ(Counts(book.Totals().value().spent), (std::vector<std::int64_t>{0, 1000}));
  EXPECT_TRUE(book.Verify());
}

TEST(Ledger, SeveralHandlesSeeEachOthersCharges) {
  const Scratch scratch;
  Ledger one = OpenOrDie(scratch / "a.ledger", 1);
  Ledger two = OpenOrDie(scratch / "a.ledger", 1);
  EXPECT_TRUE(one.Charge(Request(1, {0}, 1)));
  EXPECT_EQ(two.Charge(Request(2, {0}, 1)).value().number, 2);
  EXPECT_EQ(one.Totals().value().spent[0].count(), 3);
  EXPECT_EQ(one.Head().value().head, two.Head().value().head);
}

TEST(Ledger, AChildLeavesItsParentsLedgerAlone) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  EXPECT_TRUE(book.Charge(Request(1, {0}, 1)));
  const pid_t child = fork();
  if (child == 0) {
    const auto refused = book.Charge(Request(1, {0}, 1));
    { const Ledger dropped = std::move(book); }
    _exit(!refused && refused.error().code == Code::kStorage ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(book.Charge(Request(1, {0}, 1)));
  EXPECT_EQ(OpenOrDie(scratch / "a.ledger", 1).Totals().value().spent[0].count(), 2);
}

}  // namespace
}  // namespace kith::ledger

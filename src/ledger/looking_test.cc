// Ledgers that are open only for looking: nothing is written, whatever the disk is like and whatever writes in the
// meantime.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "ledger/ledger_test_tools.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;

Result<Ledger> Look(const fs::path& file, std::size_t cells = 1) {
  LedgerOptions options;
  options.read_only = true;
  options.patience = std::chrono::seconds(60);
  return Ledger::Open(file, Binding(cells), true, options);
}

std::vector<std::string> Names(const Scratch& scratch) {
  std::vector<std::string> names;
  for (const auto& each : fs::recursive_directory_iterator(scratch.path())) names.push_back(each.path().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path UsedLedger(const Scratch& scratch) {
  const fs::path file = scratch / "a%41?b#.ledger";  // nothing in a name may pass for a parameter
  Ledger book = OpenOrDie(file, 1);
  const auto entry = book.Charge(Request(5, {0}, 1));
  EXPECT_TRUE(book.StoreAnswer(*entry, "key", "answer"));
  return file;
}

TEST(LedgerLooking, ShowsEverythingAndWritesNothing) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  fs::remove_all(scratch / ".kith");
  const std::string before = ReadAll(file);
  const auto names = Names(scratch);
  auto book = Look(file);
  ASSERT_TRUE(book) << book.error().Text();
  EXPECT_EQ(book->Totals().value().spent[0].count(), 5);
  EXPECT_EQ(book->History().value().size(), 1U);
  EXPECT_EQ(book->FindAnswer("key").value()->answer, "answer");
  EXPECT_EQ(book->Head().value().number, 1);
  EXPECT_TRUE(book->Verify());
  EXPECT_EQ(book->Charge(Request(1, {0}, 1)).error().code, Code::kStorage);
  EXPECT_EQ(book->ReplaceData(0, "", "").error().code, Code::kStorage);
  EXPECT_EQ(book->StoreAnswer({1, book->Head().value().head}, "key", "b").error().code, Code::kStorage);
  const CancelFlag never;
  EXPECT_EQ(book->Lock("key", never).error().code, Code::kStorage);
  EXPECT_EQ(Names(scratch), names);
  EXPECT_EQ(ReadAll(file), before);
}

TEST(LedgerLooking, NothingIsCreatedOrBoundAnew) {
  const Scratch scratch;
  EXPECT_EQ(Look(scratch / "a.ledger").error().code, Code::kInvalidArgument);
  EXPECT_TRUE(Names(scratch).empty());
  { OpenOrDie(scratch / "a.ledger", 2); }
  EXPECT_EQ(Look(scratch / "a.ledger", 3).error().code, Code::kInvalidArgument);
  EXPECT_TRUE(Look(scratch / "a.ledger", 2));
}

TEST(LedgerLooking, ChangesAndOlderCopiesShow) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  EXPECT_TRUE(OpenOrDie(file, 1).Charge(Request(5, {0}, 1)));
  const std::string older = ReadAll(file);
  EXPECT_TRUE(OpenOrDie(file, 1).Charge(Request(5, {0}, 1)));
  WriteAll(file, older);
  EXPECT_NE(Look(file).error().what.find("went back"), std::string::npos);
  ForgetCount(scratch / ".kith/a.ledger.created");
  EXPECT_TRUE(Look(file));
  Sql(file, "UPDATE postings SET amount = 4");
  EXPECT_NE(Look(file).error().what.find("changed by something other"), std::string::npos);
}

// In a child that is an ordinary user, because root may write everywhere.
int AsOrdinaryUser(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(getuid() == 0 && setresuid(65534, 65534, 65534) != 0 ? 99 : body());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(LedgerLooking, WhereNothingCanBeWritten) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  const auto seen = [&] {
    const auto book = Look(file);
    if (!book) fprintf(stderr, "%s\n", book.error().Text().c_str());
    return book && book->Totals().value().spent[0].count() == 5 && book->Verify() ? 0 : 1;
  };
  for (const fs::path& each : {file, scratch / ".kith" / (file.filename().string() + ".created")})
    chmod(each.c_str(), 0444);
  chmod((scratch / ".kith").c_str(), 0555);
  chmod(scratch.path().c_str(), 0555);
  EXPECT_EQ(AsOrdinaryUser(seen), 0);
  chmod(scratch.path().c_str(), 0755);
  chmod((scratch / ".kith").c_str(), 0755);
}

// A log that a crash left over is read where its index can be; otherwise the error says what to do.
TEST(LedgerLooking, ALogThatWasLeftOverCounts) {
  const Scratch scratch, elsewhere;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  EXPECT_TRUE(book.Charge(Request(5, {0}, 1)));
  for (const char* name : {"a.ledger", "a.ledger-wal", "a.ledger-shm"})
    WriteAll(elsewhere / name, ReadAll(scratch / name));
  const std::string log = ReadAll(elsewhere / "a.ledger-wal");
  EXPECT_EQ(Look(elsewhere / "a.ledger")->Totals().value().spent[0].count(), 5);
  EXPECT_EQ(ReadAll(elsewhere / "a.ledger-wal"), log) << "not folded in";
  fs::remove(elsewhere / "a.ledger-shm");
  chmod(elsewhere.path().c_str(), 0555);
  for (const char* name : {"a.ledger", "a.ledger-wal"}) chmod((elsewhere / name).c_str(), 0444);
  EXPECT_EQ(AsOrdinaryUser([&] {
              const auto refused = Look(elsewhere / "a.ledger");
              return !refused && refused.error().next.find("copy both files") != std::string::npos ? 0 : 1;
            }),
            0);
  chmod(elsewhere.path().c_str(), 0755);
}

// Somebody charges, and comes and goes, while others look: each look is at one whole state, and never at an older one.
TEST(LedgerLooking, BesideAWriter) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  { OpenOrDie(file, 1); }
  std::atomic<bool> done = false;
  std::atomic<std::int64_t> told = 0;
  std::atomic<std::size_t> opened = 0;
  std::jthread writer([&] {  // until somebody has looked twice
    for (int session = 0; session < 40 || (opened < 2 && session < 4000); ++session) {
      Ledger book = OpenOrDie(file, 1);  // closing folds the log in
      for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(book.Charge(Request(1, {0}, 1)));
        ++told;
      }
    }
    done = true;
  });
  std::size_t looks = 0;
  while (!done) {
    const std::int64_t least = told;
    auto book = Look(file);
    ASSERT_TRUE(book) << book.error().Text();
    ++opened;
    EXPECT_GE(book->Head().value().number, least);
    for (int i = 0; i < 20; ++i, ++looks) {
      const auto totals = book->Totals();
      ASSERT_TRUE(totals) << totals.error().Text();
      const auto history = book->History();
      ASSERT_TRUE(history) << history.error().Text();
      EXPECT_GE(static_cast<std::int64_t>(history->size()), totals->spent[0].count());
      EXPECT_GE(totals->spent[0].count(), least);
    }
  }
  writer.join();
  EXPECT_GT(opened, 1U);
  EXPECT_EQ(Look(file)->Totals().value().spent[0].count(), told);
  EXPECT_GE(told, 200);
}

}  // namespace
}  // namespace kith::ledger

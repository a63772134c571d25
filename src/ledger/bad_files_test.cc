// Files that are lost, damaged, locked or not ours: a clear refusal, and nothing is forgotten.
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>

#include "ledger/ledger_test_tools.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;

// A closed ledger with one charge of 5 units on its one cell.
fs::path UsedLedger(const Scratch& scratch, const std::string& name = "a.ledger") {
  EXPECT_TRUE(OpenOrDie(scratch / name, 1).Charge(Request(5, {0}, 1)));
  return scratch / name;
}

void ExpectRefused(const fs::path& file, Code code, const std::string& words, bool create = true) {
  const auto opened = Ledger::Open(file, Binding(1), create, {std::chrono::milliseconds(50)});
  ASSERT_FALSE(opened) << "expected: " << words;
  EXPECT_EQ(opened.error().code, code) << opened.error().Text();
  EXPECT_NE(opened.error().Text().find(words), std::string::npos) << opened.error().Text();
  EXPECT_FALSE(opened.error().where.empty());
  EXPECT_FALSE(opened.error().next.empty());
}

TEST(LedgerFiles, ALedgerIsOnlyMadeWhereAskedFor) {
  const Scratch scratch;
  ExpectRefused(scratch / "a.ledger", Code::kInvalidArgument, "there is no ledger yet", false);
  EXPECT_FALSE(Ledger::Exists(scratch / "a.ledger").value());
  EXPECT_TRUE(fs::is_empty(scratch.path()));
  ExpectRefused(scratch / "no/such/folder/a.ledger", Code::kStorage, "folder of the ledger does not exist");
  EXPECT_EQ(Ledger::Open("", Binding(1), true).error().code, Code::kInvalidArgument);
}

TEST(LedgerFiles, CreationLeavesNothingElseBehind) {
  const Scratch scratch;
  { OpenOrDie(scratch / "a.ledger", 1); }
  std::vector<std::string> names;
  for (const auto& each : fs::recursive_directory_iterator(scratch.path())) names.push_back(each.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{".kith", "a.ledger", "a.ledger.created"}));
}

TEST(LedgerFiles, ALostLedgerIsNoFreshStart) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  const std::string backup = ReadAll(file);
  fs::remove(file);
  ExpectRefused(file, Code::kStorage, "the ledger is lost");
  ExpectRefused(file, Code::kStorage, "the ledger is lost", false);
  EXPECT_FALSE(Ledger::Exists(file)) << "an error, not a no";
  WriteAll(file, backup);
  EXPECT_EQ(OpenOrDie(file, 1).Totals().value().spent[0].count(), 5) << "restored";
  fs::remove(file);
  fs::remove(scratch / ".kith/a.ledger.created");  // knowingly
  EXPECT_EQ(OpenOrDie(file, 1).Totals().value().spent[0].count(), 0);
}

TEST(LedgerFiles, ALogWithoutItsLedgerIsNoFreshStartEither) {
  const Scratch scratch;
  WriteAll(scratch / "a.ledger-wal", "left over");
  ExpectRefused(scratch / "a.ledger", Code::kStorage, "the ledger is lost");
}

TEST(LedgerFiles, TheMarkerComesBackWithACopiedLedger) {
  const Scratch scratch, elsewhere;
  fs::copy_file(UsedLedger(scratch), elsewhere / "a.ledger");
  EXPECT_EQ(OpenOrDie(elsewhere / "a.ledger", 1).Totals().value().spent[0].count(), 5);
  fs::remove(elsewhere / "a.ledger");
  ExpectRefused(elsewhere / "a.ledger", Code::kStorage, "the ledger is lost");
}

TEST(LedgerFiles, AnotherLedgerUnderTheSameNameIsRefused) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  { OpenOrDie(scratch / "fresh.ledger", 1); }
  fs::rename(scratch / "fresh.ledger", file);
  ExpectRefused(file, Code::kStorage, "the file was swapped");
  WriteAll(scratch / ".kith/a.ledger.created", "rubbish");
  ExpectRefused(file, Code::kStorage, "the marker is damaged");
}

// Charges made through one of two hard links are not seen through the other: each has its own log.
TEST(LedgerFiles, ALedgerWithTwoNamesIsRefused) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  Ledger early = OpenOrDie(file, 1);
  fs::create_hard_link(file, scratch / "b.ledger");
  ExpectRefused(file, Code::kStorage, "two names");
  ExpectRefused(scratch / "b.ledger", Code::kStorage, "two names");
  const auto refused = early.Charge(Request(1, {0}, 1));
  ASSERT_FALSE(refused) << "nor by those who had it open";
  EXPECT_NE(refused.error().what.find("two names"), std::string::npos) << refused.error().Text();
  fs::remove(scratch / "b.ledger");
  EXPECT_TRUE(early.Charge(Request(1, {0}, 1)));
  EXPECT_EQ(OpenOrDie(file, 1).Totals().value().spent[0].count(), 6);
}

TEST(LedgerFiles, AnOlderCopyIsRefused) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  const std::string older = ReadAll(file);
  EXPECT_TRUE(OpenOrDie(file, 1).Charge(Request(1, {0}, 1)));
  const std::string newest = ReadAll(file);
  WriteAll(file, older);
  ExpectRefused(file, Code::kStorage, "it has 1 charges, but had 2 or more");
  WriteAll(file, newest);
  EXPECT_EQ(OpenOrDie(file, 1).Totals().value().spent[0].count(), 6) << "restored";
  WriteAll(file, older);
  ForgetCount(scratch / ".kith/a.ledger.created");
  EXPECT_EQ(OpenOrDie(file, 1).Totals().value().spent[0].count(), 5) << "without the marker nobody could tell";
}

// An older log next to the newer ledger sets it back without a trace in the chain.
TEST(LedgerFiles, AnOlderLogIsRefused) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  std::string older, log;
  {
    Ledger book = OpenOrDie(file, 1);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(book.Charge(Request(1, {0}, 1)));
    older = ReadAll(file);
    log = ReadAll(scratch / "a.ledger-wal");
    EXPECT_TRUE(book.Charge(Request(1, {0}, 1)));
  }
  WriteAll(scratch / "a.ledger-wal", log);
  const auto opened = Ledger::Open(file, Binding(1), true);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::kStorage) << opened.error().Text();
}

// Two processes note their charges in whatever order: the marker may be behind, and is never ahead.
TEST(LedgerFiles, TheMarkerCountsChargesAndIsNeverAhead) {
  const Scratch scratch;
  const fs::path marker = scratch / ".kith/a.ledger.created";
  Ledger one = OpenOrDie(scratch / "a.ledger", 1);
  Ledger two = OpenOrDie(scratch / "a.ledger", 1);
  EXPECT_NE(ReadAll(marker).find("\ncharges 00000000000000000000 or more\n"), std::string::npos);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE((i % 2 == 0 ? one : two).Charge(Request(1, {0}, 1)));
  EXPECT_NE(ReadAll(marker).find("\ncharges 00000000000000000005 or more\n"), std::string::npos);
  const std::string whole = ReadAll(marker);
  WriteAll(marker, whole.substr(0, whole.find('\n') + 1) + "of an older version\n");
  EXPECT_TRUE(one.Charge(Request(1, {0}, 1))) << "a marker without the line is left alone";
  EXPECT_EQ(ReadAll(marker).find("charges"), std::string::npos);
  EXPECT_EQ(OpenOrDie(scratch / "a.ledger", 1).Totals().value().spent[0].count(), 6);
  EXPECT_NE(ReadAll(marker).find("\ncharges 00000000000000000006 or more\n"), std::string::npos) << "made anew";
}

TEST(LedgerFiles, FilesThatAreNoLedger) {
  const Scratch scratch;
  fs::create_directory(scratch / "folder");
  ExpectRefused(scratch / "folder", Code::kStorage, "is a folder");
  WriteAll(scratch / "empty", "");
  ExpectRefused(scratch / "empty", Code::kStorage, "is empty");
  WriteAll(scratch / "text", std::string(5000, 'x'));
  ExpectRefused(scratch / "text", Code::kStorage, "not a kith ledger");
  WriteAll(scratch / "short", "SQLite");
  ExpectRefused(scratch / "short", Code::kStorage, "not a kith ledger");
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  ExpectRefused(scratch / "pipe", Code::kStorage, "not an ordinary file");
  fs::create_symlink(scratch / "nowhere", scratch / "link");
  ExpectRefused(scratch / "link/a.ledger", Code::kStorage, "folder of the ledger does not exist");
  const fs::path other = UsedLedger(scratch);
  Sql(other, "PRAGMA application_id = 1");
  ExpectRefused(other, Code::kStorage, "not a kith ledger");
  Sql(other, "PRAGMA application_id = 1802073192; PRAGMA user_version = 7");
  ExpectRefused(other, Code::kStorage, "has format 7, this kith reads format 6");
  for (const char* older : {"1", "2", "3", "4", "5"}) {
    Sql(other, std::string("PRAGMA user_version = ") + older);
    const std::string before = ReadAll(other);
    ExpectRefused(other, Code::kStorage, std::string("has format ") + older);
    EXPECT_EQ(ReadAll(other), before) << "touched nothing";
  }
  for (const char* name : {"empty", "text", "short"}) EXPECT_TRUE(fs::exists(scratch / name)) << "touched nothing";
}

// SQLite calls a read error of the disk damage; a backup would forget charges and fix nothing.
TEST(LedgerFiles, AReadErrorIsNoDamage) {
  const Scratch scratch;
  const auto connection = Connection::Open(UsedLedger(scratch), std::chrono::seconds(1));
  errno = EIO;
  const Error failed = (*connection)->Failure(SQLITE_CORRUPT);
  EXPECT_NE(failed.what.find("disk of the ledger failed"), std::string::npos) << failed.Text();
  EXPECT_EQ(failed.next.find("backup"), std::string::npos) << failed.Text();
  errno = 0;
  const Error damaged = (*connection)->Failure(SQLITE_CORRUPT);
  EXPECT_NE(damaged.what.find("is damaged"), std::string::npos) << damaged.Text();
  EXPECT_EQ(damaged.next.find("ask again"), 0U) << damaged.Text();
}

TEST(LedgerFiles, ALinkLeadsToTheLedgerItself) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  fs::create_directory(scratch / "links");
  fs::create_symlink(file, scratch / "links/b.ledger");
  Ledger one = OpenOrDie(file, 1);
  Ledger two = OpenOrDie(scratch / "links/b.ledger", 1);
  EXPECT_TRUE(two.Charge(Request(1, {0}, 1)));
  EXPECT_EQ(one.Totals().value().spent[0].count(), 6);
  EXPECT_FALSE(fs::exists(scratch / "links/b.ledger-wal"));
}

TEST(LedgerFiles, ACutOffFileIsRefused) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  const std::string whole = ReadAll(file);
  for (std::size_t size = 512; size < whole.size(); size += 1024) {
    WriteAll(file, whole.substr(0, size));
    const auto opened = Ledger::Open(file, Binding(1), true);
    ASSERT_FALSE(opened) << size;
    EXPECT_EQ(opened.error().code, Code::kStorage);
  }
  WriteAll(file, whole);
  EXPECT_TRUE(OpenOrDie(file, 1).Verify());
}

// A process died before it could fold its log into the file: copies of both carry everything.
TEST(LedgerFiles, ALogThatWasLeftOverCounts) {
  const Scratch scratch, elsewhere;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  EXPECT_TRUE(book.Charge(Request(5, {0}, 1)));
  for (const char* name : {"a.ledger", "a.ledger-wal"}) WriteAll(elsewhere / name, ReadAll(scratch / name));
  EXPECT_EQ(OpenOrDie(elsewhere / "a.ledger", 1).Totals().value().spent[0].count(), 5);
  EXPECT_FALSE(fs::exists(elsewhere / "a.ledger-wal")) << "folded in by the last user";
}

TEST(LedgerFiles, TheLogOfAnotherLedgerIsRefused) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  Ledger other = OpenOrDie(scratch / "b.ledger", 1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(other.Charge(Request(1, {0}, 1)));
  WriteAll(scratch / "a.ledger-wal", ReadAll(scratch / "b.ledger-wal"));
  ExpectRefused(file, Code::kStorage, "changed by something other than kith");
}

// Holds a lock in another process until the end of its scope.
class Holder {
 public:
  Holder(const fs::path& file, const char* sql) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    child_ = fork();
    if (child_ == 0) {
      const auto connection = Connection::Open(file, std::chrono::seconds(1));
      const bool held = connection && (*connection)->Run(sql);
      const char said = held ? 'y' : 'n';
      if (write(ready[1], &said, 1) == 1) pause();
      _exit(0);
    }
    char said = 'n';
    EXPECT_EQ(read(ready[0], &said, 1), 1);
    EXPECT_EQ(said, 'y');
    close(ready[0]);
    close(ready[1]);
  }
  ~Holder() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

 private:
  pid_t child_ = -1;
};

TEST(LedgerFiles, AStuckProcessIsReportedAndNothingIsCharged) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  {
    const Holder writer(file, "BEGIN IMMEDIATE");
    Ledger book = Ledger::Open(file, Binding(1), true, {std::chrono::milliseconds(50)}).value();  // reading still works
    EXPECT_EQ(book.Totals().value().spent[0].count(), 5);
    const auto refused = book.Charge(Request(1, {0}, 1));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kStorage);
    EXPECT_NE(refused.error().what.find("locked for 0.05 seconds"), std::string::npos) << refused.error().Text();
    EXPECT_EQ(refused.error().next.find("nothing was charged"), 0U) << refused.error().Text();
    const auto unanswered = book.StoreAnswer({1, book.Head().value().head}, "key", "answer");
    ASSERT_FALSE(unanswered);
    EXPECT_EQ(unanswered.error().Text().find("nothing was charged"), std::string::npos) << "it was, before";
  }
  {
    const Holder owner(file, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE summary SET id = id");
    ExpectRefused(file, Code::kStorage, "locked for 0.05 seconds");
  }
  Ledger book = OpenOrDie(file, 1);
  EXPECT_TRUE(book.Charge(Request(1, {0}, 1))) << "free again";
  EXPECT_EQ(book.Totals().value().spent[0].count(), 6);
}

// In a child that is an ordinary user, because root may write everywhere.
int AsOrdinaryUser(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(getuid() == 0 && setresuid(65534, 65534, 65534) != 0 ? 99 : body());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(LedgerFiles, AFileOrFolderThatCannotBeWrittenIsReported) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  const auto refused = [&] {
    const auto opened = Ledger::Open(file, Binding(1), true);
    if (opened) return 1;
    if (opened.error().code != Code::kStorage || opened.error().next.empty()) return 2;
    return opened.error().what.find("cannot be") == std::string::npos ? 3 : 0;
  };
  chmod(scratch.path().c_str(), 0755);
  chmod((scratch / ".kith").c_str(), 0755);
  chmod((scratch / ".kith/a.ledger.created").c_str(), 0644);
  chmod(file.c_str(), 0000);
  EXPECT_EQ(AsOrdinaryUser(refused), 0) << "no permission at all";
  chmod(file.c_str(), 0444);
  EXPECT_EQ(AsOrdinaryUser(refused), 0) << "read-only file";
  chmod(file.c_str(), 0666);
  chmod(scratch.path().c_str(), 0555);
  EXPECT_EQ(AsOrdinaryUser(refused), 0) << "read-only folder: no log";
  EXPECT_EQ(AsOrdinaryUser([&] {
              const auto opened = Ledger::Open(scratch / "new.ledger", Binding(1), true);
              return !opened && opened.error().code == Code::kStorage ? 0 : 1;
            }),
            0)
      << "read-only folder: no new ledger";
  chmod(scratch.path().c_str(), 0755);
  EXPECT_EQ(OpenOrDie(file, 1).Totals().value().spent[0].count(), 5);
}

TEST(LedgerFiles, AFileThatIsSwappedWhileInUseStopsTheCharges) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  const std::string old = ReadAll(file);
  const std::vector<std::function<void()>> accidents = {
      [&] { fs::rename(file, scratch / "moved.ledger"); },
      [&] {
        WriteAll(scratch / "old.ledger", old);
        fs::rename(scratch / "old.ledger", file);
      },
      [&] { fs::remove(scratch / "a.ledger-wal"); },
  };
  for (const auto& accident : accidents) {
    WriteAll(file, old);
    Ledger book = OpenOrDie(file, 1);
    EXPECT_TRUE(book.Charge(Request(1, {0}, 1)));
    accident();
    const auto refused = book.Charge(Request(1, {0}, 1));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kStorage);
    EXPECT_FALSE(book.Totals());
    EXPECT_FALSE(book.Verify());
  }
}

TEST(LedgerFiles, ALedgerThatGoesBackWhileInUseIsNoticed) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  Ledger book = OpenOrDie(file, 1);
  EXPECT_TRUE(book.Charge(Request(1, {0}, 1)));
  Sql(file,
      "DELETE FROM entries WHERE position = 2; UPDATE summary SET position = 1, charges = 1, totals = x'0105', "
      "head = (SELECT head FROM entries WHERE position = 1)");
  const auto refused = book.Charge(Request(1, {0}, 1));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("had 2 before"), std::string::npos) << refused.error().Text();
}

}  // namespace
}  // namespace kith::ledger

// Snapshots: when they are made again, who may read them, what happens when the file or the disk gets in the way.
#include "engine/duckdb/snapshot.h"

#include <fmt/format.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <optional>

#include "engine/duckdb/engine_fixture.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

class SnapshotTest : public EngineFixture {
 protected:
  SnapshotTest() {
    Declare("id", ColumnType::kInteger);
    Write("people.csv", "id,name\n1,ann\n2,bob\n");
  }
  std::vector<fs::path> Files(const std::string& with) const {
    std::vector<fs::path> found;
    if (!fs::exists(folder_ / ".kith")) return found;
    for (const auto& entry : fs::directory_iterator(folder_ / ".kith")) {
      if (entry.path().filename().string().find(with) != std::string::npos) found.push_back(entry.path());
    }
    return found;
  }
  Result<std::unique_ptr<Session>> ImportWhile(const Progress& meanwhile) {
    EngineOptions options;
    options.threads = 1;
    Call call = Heard();
    call.progress = meanwhile;
    return ImportAndOpen(policy_, options, call);
  }
};

constexpr char kSum[] = "SELECT sum(id) FROM people";

TEST_F(SnapshotTest, AChangedFileIsNotLookedAt_ENGINE7) {
  ASSERT_EQ(Import("a-1"), "");
  for (const char* csv : {"id,name\n5,eve\n", "no header\n", ""}) {
    Write("people.csv", csv);
    EXPECT_EQ(AskImport("a-1", kSum), "3") << csv;
  }
  fs::remove(folder_ / "people.csv");
  auto engine = OpenImport("a-1");
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine, kSum), "3");
  EXPECT_TRUE((*engine)->Current());
  Write("people.csv", "id,name\n5,eve\n");
  EXPECT_EQ(Ask(**engine, kSum), "3");
  EXPECT_TRUE((*engine)->Current());
  EXPECT_EQ(Notices(), "read 2 rows of people.csv\n");
}

// The check above would see an opening that reads the file: the same changes show in an import.
TEST_F(SnapshotTest, AnImportReadsTheFileAnew) {
  ASSERT_EQ(Import("a-1"), "");
  Write("people.csv", "id,name\n5,eve\n");
  ASSERT_EQ(Import("a-2", "a-1"), "");
  EXPECT_EQ(AskImport("a-2", kSum), "5");
  EXPECT_EQ(AskImport("a-1", kSum), "3");
  EXPECT_TRUE(Has(Notices(), "people.csv has changed since the previous import"));
  notices_.clear();
  ASSERT_EQ(Import("a-3", "a-2"), "");
  EXPECT_TRUE(Has(Notices(), "people.csv has not changed since the previous import"));
  fs::remove(folder_ / "people.csv");
  EXPECT_TRUE(Has(Import("a-4", "a-3"), "there is no such file"));
  EXPECT_EQ(AskImport("a-3", kSum), "5");
}

TEST_F(SnapshotTest, NothingInTheFolderIsNamedAfterTheData) {
  ASSERT_EQ(Import("a-1"), "");
  const auto before = Files("");
  fs::remove_all(folder_ / ".kith");
  Write("people.csv", "id,name\n5,a longer name\n6,x\n7,y\n");
  ASSERT_EQ(Import("a-1"), "");
  EXPECT_EQ(Files(""), before);
}

TEST_F(SnapshotTest, AFolderThatMovedKeepsItsImports) {
  ASSERT_EQ(Import("a-1"), "");
  const fs::path there = folder_.string() + "-moved";
  fs::rename(folder_, there);
  folder_ = there;
  policy_.file = there / "policy.toml";
  EXPECT_EQ(AskImport("a-1", kSum), "3");
}

TEST_F(SnapshotTest, OtherColumnsNeedAnotherImport) {
  ASSERT_EQ(Import("a-1"), "");
  Declare("name", ColumnType::kText);
  const std::string refused = AskImport("a-1", kSum);
  EXPECT_TRUE(Has(refused, "other columns than were imported"));
  EXPECT_TRUE(Has(refused, "the curator imports the data again"));
  ASSERT_EQ(Import("a-2", "a-1"), "");
  EXPECT_EQ(AskImport("a-2", "SELECT count(name) FROM people"), "2");
}

TEST_F(SnapshotTest, AMissingOrDamagedSnapshotIsAnError) {
  const auto refused = [this](const std::string& what) {
    auto engine = OpenImport("a-1");
    ASSERT_FALSE(engine);
    EXPECT_EQ(engine.error().code, Code::kStorage);
    EXPECT_EQ(engine.error().what, what);
    EXPECT_EQ(engine.error().where, "people.csv");
    EXPECT_EQ(engine.error().next, "the curator imports the data again");
  };
  refused("the imported data are not there");
  ASSERT_EQ(Import("a-1"), "");
  const fs::path snapshot = Files(".duckdb").at(0);
  fs::permissions(snapshot, fs::perms::owner_all);
  const auto size = fs::file_size(snapshot);
  fs::resize_file(snapshot, size / 2);
  refused("the imported data are damaged");
  for (const char* junk : {"", "no database", "DUCK"}) {
    fs::remove(snapshot);
    std::ofstream(snapshot) << junk;
    refused("the imported data are damaged");
  }
  fs::remove(snapshot);
  WithDuckDb("ATTACH '" + snapshot.string() + "' AS d; CREATE TABLE d.data AS SELECT 1 AS id; DETACH d");
  refused("the imported data are damaged");
  fs::remove(snapshot);
  refused("the imported data are not there");
  ASSERT_EQ(Import("a-1"), "");
  EXPECT_EQ(AskImport("a-1", kSum), "3");
}

TEST_F(SnapshotTest, OlderImportsOfOneLedgerAreRemovedAndNoOthers) {
  DeclareTable("wards", "wards.csv", "ward", ColumnType::kText);
  Write("wards.csv", "ward\nnorth\n");
  for (const char* id : {"abc-1-x", "abc-2-y", "abd-1-z", "ab-1-x"}) ASSERT_EQ(Import(id), "");
  const std::string outdated = "people.0123456789abcdef-0123456789abcdef-fedcba9876543210.duckdb";
  std::ofstream(folder_ / ".kith" / outdated) << "left by an earlier version";
  std::ofstream(folder_ / ".kith" / "people.ledger.created") << "not a snapshot";
  const auto lock = ImportLock::Take(policy_, cancel_);
  ASSERT_TRUE(lock.has_value());
  RemoveImports(*lock, policy_, "abc-", "abc-2-y");
  EXPECT_EQ(Files("abc-1-x").size(), 0U);
  EXPECT_EQ(Files("abc-2-y").size(), 2U);
  EXPECT_EQ(Files("abd-1-z").size(), 2U);
  EXPECT_EQ(Files("ab-1-x").size(), 2U);
  EXPECT_EQ(Files(outdated).size(), 0U);
  EXPECT_EQ(Files("people.ledger.created").size(), 1U);
}

// A table that breaks a promise must not become what every question reads.
TEST_F(SnapshotTest, AnImportThatFailsLeavesNothing) {
  policy_.unit.key = "id";
  Declare("name", ColumnType::kText, true);
  ASSERT_EQ(Import("a-1"), "");
  Write("people.csv", "id,name\n1,ann\n1,bob\n");
  EXPECT_TRUE(Has(Import("a-2", "a-1"), "differs between rows of one unit"));
  EXPECT_EQ(Files("a-2").size(), 0U);
  EXPECT_EQ(AskImport("a-1", kSum), "3");
}

TEST_F(SnapshotTest, IdsThatAreNoFileNamesAreRefused) {
  for (const char* id : {"", "a/b", "..", "a.b", "a b", "a\n"}) EXPECT_TRUE(Has(Import(id), "cannot be the id")) << id;
}

// Whatever protects the file (its folder, its group), the copy is for nobody else. An older folder is closed as well.
TEST_F(SnapshotTest, NobodyElseMayReadTheSnapshot) {
  fs::create_directory(folder_ / ".kith");
  fs::permissions(folder_ / ".kith", fs::perms::owner_all | fs::perms::group_all | fs::perms::others_all);
  fs::permissions(folder_ / "people.csv", fs::perms::owner_all | fs::perms::group_read | fs::perms::others_read);
  ASSERT_EQ(OpenAndAsk("SELECT sum(id) FROM people"), "3");
  EXPECT_EQ(fs::status(Files(".duckdb").at(0)).permissions(), fs::perms::owner_read);
  EXPECT_EQ(fs::status(folder_ / ".kith").permissions(), fs::perms::owner_all);
}

TEST_F(SnapshotTest, AFileThatGrowsDuringTheImportIsReadAgain) {
  bool grown = false;
  auto engine = ImportWhile([&](double) {
    if (!std::exchange(grown, true)) std::ofstream(folder_ / "people.csv", std::ios::app) << "3,cec\n";
  });
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine, "SELECT count(*) FROM people"), "3");
}

TEST_F(SnapshotTest, AFileThatNeverRestsIsRefused) {
  auto engine = ImportWhile([&](double) { std::ofstream(folder_ / "people.csv", std::ios::app) << "3,cec\n"; });
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::kStorage);
  EXPECT_TRUE(Has(engine.error().Text(), "keeps changing"));
  EXPECT_EQ(Files("import-").size(), 0U);
}

TEST_F(SnapshotTest, CancellingAnImportLeavesNothing) {
  std::string csv = "id,name\n";
  while (csv.size() < (std::size_t{20} << 20)) csv += "1,a name that fills the file\n";
  Write("people.csv", csv);
  auto engine = ImportWhile([&](double) { cancel_.Cancel(); });
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::kCancelled) << engine.error().Text();
  EXPECT_EQ(Files("import-").size(), 0U);
  EXPECT_EQ(Files(".duckdb").size(), 0U);
}

/// While it lives, no file of this process can grow beyond some bytes: writes fail as on a full disk.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit small{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  void (*handler_)(int);
  rlimit old_{};
};

// Wherever the disk becomes full: while rows are written, at the commit, at the checkpoint.
TEST_F(SnapshotTest, AFullDiskIsAClearErrorAndLeavesNothing) {
  std::string csv = "id,name\n";
  for (int i = 0; i < 300'000; ++i) csv += fmt::format("{},x\n", (i * 7919LL) % 1'000'003 * 1'000'003);
  Write("people.csv", csv);
  for (const rlim_t bytes : {4'096, 20'000, 100'000, 262'144, 300'000, 500'000, 800'000, 1'048'576, 1'500'000}) {
    std::optional<Result<std::unique_ptr<Session>>> engine;
    {
      const SmallFiles limit(bytes);
      engine = Open();
    }
    ASSERT_FALSE(*engine) << bytes;
    EXPECT_EQ(engine->error().code, Code::kStorage) << bytes;
    EXPECT_TRUE(Has(engine->error().Text(), "the disk is full")) << bytes;
    EXPECT_EQ(Files("import-").size(), 0U);
    EXPECT_EQ(Files(".duckdb").size(), 0U);
  }
  EXPECT_EQ(OpenAndAsk("SELECT count(*) FROM people"), "300000");
}

/// Runs `body` in a separate process, as a user without rights if we are root. Returns its exit status.
int InChild(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool root = ::geteuid() == 0;
    if (root && (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(99);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// However few files may be open: it works, or the error is about the machine and not about kith.
TEST_F(SnapshotTest, TooManyOpenFilesAreNoBug) {
  int refused = 0;
  for (rlim_t files = 3; files < 40; ++files) {
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit few{files, files};
      ::setrlimit(RLIMIT_NOFILE, &few);
      const auto engine = Open();
      ::_exit(engine ? 0 : engine.error().code == Code::kStorage ? 1 : 2);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << files;
    ASSERT_LE(WEXITSTATUS(status), 1) << files;
    refused += WEXITSTATUS(status);
  }
  EXPECT_GT(refused, 3);
  EXPECT_LT(refused, 36);
}

TEST_F(SnapshotTest, AFolderThatCannotBeWritten) {
  fs::permissions(folder_,
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  EXPECT_EQ(InChild([&] {
              const auto lock = ImportLock::Take(policy_, cancel_);
              if (lock) return 1;
              if (lock.error().code != Code::kStorage) return 2;
              return lock.error().Text().find("make the policy's folder writable") == std::string::npos ? 3 : 0;
            }),
            0);
  // Once somebody has imported and lets others in, read access is enough.
  fs::permissions(folder_, fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  ASSERT_EQ(Import("a-1"), "");
  fs::permissions(folder_ / ".kith",
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(Files(".duckdb").at(0), fs::perms::others_read, fs::perm_options::add);
  EXPECT_EQ(InChild([&] {
              const std::string answer = AskImport("a-1", kSum);
              if (answer == "3") return 0;
              std::fprintf(stderr, "%s\n", answer.c_str());
              return 1;
            }),
            0);
  fs::permissions(folder_ / ".kith", fs::perms::owner_all);
}

TEST_F(SnapshotTest, OneProcessImportsAtATime) {
  std::string csv = "id,name\n";
  for (int i = 0; i < 200'000; ++i) csv += fmt::format("{},x\n", i);
  Write("people.csv", csv);
  std::vector<pid_t> children;
  for (int i = 0; i < 5; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto lock = ImportLock::Take(policy_, cancel_);
      if (!lock) ::_exit(9);
      // Under the lock, a process that finds another's import needs none of its own.
      if (OpenImport("a-1")) ::_exit(0);
      ::_exit(ImportTables(*lock, policy_, "a-1", {}, Options(), cancel_) ? 1 : 9);
    }
    children.push_back(child);
  }
  int imports = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_LE(WEXITSTATUS(status), 1);
    imports += WEXITSTATUS(status);
  }
  EXPECT_EQ(imports, 1);
  EXPECT_EQ(AskImport("a-1", kSum), "19999900000");
  EXPECT_EQ(Files(".duckdb").size(), 1U);
  EXPECT_EQ(Files("import-").size(), 0U);
}

}  // namespace
}  // namespace kith

// Snapshots: when they are made again, who may read them, what happens when the file or the disk gets in the way.
#include "engine/snapshot.h"

#include <fmt/format.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>

#include "engine/engine_fixture.h"

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
  std::string Version() {
    auto engine = Open();
    return engine ? (*engine)->DataVersion().value_or("error") : engine.error().Text();
  }
  EngineOptions Loud() {
    EngineOptions options;
    options.threads = 1;
    options.notice = [this](const std::string& text) { notices_.push_back(text); };
    return options;
  }
};

TEST_F(SnapshotTest, AChangedFileIsImportedAgainAndTheOldSnapshotGoes) {
  const std::string before = Version();
  const auto old = Files(".duckdb");
  ASSERT_EQ(old.size(), 1U);
  Write("people.csv", "id,name\n1,ann\n2,bob\n3,cec\n");
  EXPECT_EQ(OpenAndAsk("SELECT count(*) FROM people"), "3");
  EXPECT_NE(Version(), before);
  ASSERT_EQ(Files(".duckdb").size(), 1U);
  EXPECT_NE(Files(".duckdb"), old);
}

TEST_F(SnapshotTest, AnOpenEngineKeepsItsData) {
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  const std::string before = (*engine)->DataVersion().value();
  Write("people.csv", "id,name\n5,eve\n");
  EXPECT_EQ(OpenAndAsk("SELECT sum(id) FROM people"), "5");
  EXPECT_EQ(Ask(**engine, "SELECT sum(id) FROM people"), "3");
  EXPECT_EQ((*engine)->DataVersion().value(), before);
}

// The ledger's stored answers stay valid when a file is copied or touched.
TEST_F(SnapshotTest, TheSameBytesAreTheSameVersion) {
  const std::string before = Version();
  Write("copy.csv", "id,name\n1,ann\n2,bob\n");
  fs::rename(folder_ / "copy.csv", folder_ / "people.csv");
  notices_.clear();
  EXPECT_EQ(Version(), before);
  EXPECT_EQ(Notices(), "imported 2 rows of people.csv\n");
}

TEST_F(SnapshotTest, OneByteMakesAnotherVersion) {
  const std::string before = Version();
  Write("people.csv", "id,name\n1,anN\n2,bob\n");
  const std::string value = Version();
  EXPECT_NE(value, before);
  Write("people.csv", "id,namE\n1,anN\n2,bob\n");
  EXPECT_NE(Version(), value);
}

TEST_F(SnapshotTest, OtherColumnsAreAnotherVersionAndKeepTheFirstSnapshot) {
  const std::string before = Version();
  Declare("name", ColumnType::kText);
  EXPECT_NE(Version(), before);
  EXPECT_EQ(Files(".duckdb").size(), 2U);
  policy_.tables[0].columns.pop_back();
  notices_.clear();
  EXPECT_EQ(Version(), before);
  EXPECT_EQ(Notices(), "");
}

TEST_F(SnapshotTest, ADamagedSnapshotIsMadeAgain) {
  ASSERT_EQ(OpenAndAsk("SELECT sum(id) FROM people"), "3");
  for (const char* junk : {"", "no database", "DUCK"}) {
    const fs::path snapshot = Files(".duckdb").at(0);
    fs::remove(snapshot);
    std::ofstream(snapshot) << junk;
    EXPECT_EQ(OpenAndAsk("SELECT sum(id) FROM people"), "3") << junk;
  }
  const fs::path snapshot = Files(".duckdb").at(0);
  fs::permissions(snapshot, fs::perms::owner_all);
  fs::resize_file(snapshot, fs::file_size(snapshot) / 2);
  EXPECT_EQ(OpenAndAsk("SELECT sum(id) FROM people"), "3");
}

TEST_F(SnapshotTest, WhoMayNotReadTheFileMayNotReadTheSnapshot) {
  fs::permissions(folder_ / "people.csv", fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_EQ(OpenAndAsk("SELECT sum(id) FROM people"), "3");
  EXPECT_EQ(fs::status(Files(".duckdb").at(0)).permissions(), fs::perms::owner_read);
}

TEST_F(SnapshotTest, AFileThatGrowsDuringTheImportIsReadAgain) {
  EngineOptions options = Loud();
  bool grown = false;
  options.progress = [&](double) {
    if (!std::exchange(grown, true)) std::ofstream(folder_ / "people.csv", std::ios::app) << "3,cec\n";
  };
  auto engine = OpenEngine(policy_, options, cancel_);
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine, "SELECT count(*) FROM people"), "3");
}

TEST_F(SnapshotTest, AFileThatNeverRestsIsRefused) {
  EngineOptions options = Loud();
  options.progress = [&](double) { std::ofstream(folder_ / "people.csv", std::ios::app) << "3,cec\n"; };
  auto engine = OpenEngine(policy_, options, cancel_);
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::kStorage);
  EXPECT_TRUE(Has(engine.error().Text(), "keeps changing"));
  EXPECT_EQ(Files("import-").size(), 0U);
}

TEST_F(SnapshotTest, CancellingAnImportLeavesNothing) {
  EngineOptions options = Loud();
  options.progress = [&](double) { cancel_.Cancel(); };
  std::string csv = "id,name\n";
  while (csv.size() < (std::size_t{20} << 20)) csv += "1,a name that fills the file\n";
  Write("people.csv", csv);
  auto engine = OpenEngine(policy_, options, cancel_);
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::kCancelled) << engine.error().Text();
  EXPECT_EQ(Files("import-").size(), 0U);
  EXPECT_EQ(Files(".duckdb").size(), 0U);
}

TEST_F(SnapshotTest, AFullDiskIsAClearErrorAndLeavesNothing) {
  std::string csv = "id,name\n";
  for (int i = 0; i < 300'000; ++i) csv += fmt::format("{},x\n", (i * 7919LL) % 1'000'003 * 1'000'003);
  Write("people.csv", csv);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{1 << 20, old.rlim_max};
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  auto engine = Open();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::kStorage);
  EXPECT_TRUE(Has(engine.error().Text(), "the disk is full"));
  EXPECT_EQ(Files("import-").size(), 0U);
  EXPECT_EQ(Files(".duckdb").size(), 0U);
  EXPECT_EQ(OpenAndAsk("SELECT count(*) FROM people"), "300000");
}

/// Runs `body` in a process of its own, as a user without rights if we are root. Returns its exit status.
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

TEST_F(SnapshotTest, AFolderThatCannotBeWritten) {
  fs::permissions(folder_,
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  EXPECT_EQ(InChild([&] {
              auto engine = Open();
              if (engine) return 1;
              if (engine.error().code != Code::kStorage) return 2;
              return engine.error().Text().find("make the policy's folder writable") == std::string::npos ? 3 : 0;
            }),
            0);
  // Once somebody has imported, reading is enough.
  fs::permissions(folder_, fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  ASSERT_EQ(OpenAndAsk("SELECT sum(id) FROM people"), "3");
  fs::permissions(folder_ / ".kith",
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  EXPECT_EQ(InChild([&] {
              const std::string answer = OpenAndAsk("SELECT sum(id) FROM people");
              if (answer == "3") return 0;
              std::fprintf(stderr, "%s\n", answer.c_str());
              return 1;
            }),
            0);
  fs::permissions(folder_ / ".kith", fs::perms::owner_all);
}

TEST_F(SnapshotTest, SeveralProcessesImportOnce) {
  std::string csv = "id,name\n";
  for (int i = 0; i < 200'000; ++i) csv += fmt::format("{},x\n", i);
  Write("people.csv", csv);
  std::vector<pid_t> children;
  for (int i = 0; i < 5; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const bool right = OpenAndAsk("SELECT sum(id) FROM people") == "19999900000";
      ::_exit(!right ? 9 : Notices().find("imported") != std::string::npos ? 1 : 0);
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
  EXPECT_EQ(Files(".duckdb").size(), 1U);
  EXPECT_EQ(Files("import-").size(), 0U);
}

}  // namespace
}  // namespace kith

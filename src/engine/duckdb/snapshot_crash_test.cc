// kill -9 in the middle of an import: no half-written snapshot is ever used, and nothing of it remains.
#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "engine/duckdb/engine_fixture.h"

namespace kith {
namespace {

class SnapshotCrashTest : public EngineFixture {
 protected:
  SnapshotCrashTest() {
    Declare("id", ColumnType::kInteger);
    std::string csv = "id,name\n";
    for (int i = 0; i < 400'000; ++i) csv += fmt::format("{},a name that makes the line longer\n", i);
    Write("people.csv", csv);
  }

  /// An import in a separate process, which `killer` ends. Returns whether it was killed before it was done.
  template <class Killer>
  bool ImportAndKill(Killer killer) {
    const pid_t child = ::fork();
    if (child == 0) {
      EngineOptions options;
      options.threads = 1;
      Call call(cancel_);
      call.progress = [&](double done) { killer(done, ::getpid()); };
      const auto lock = ImportLock::Take(policy_, call);
      ::_exit(lock && ImportTables(*lock, policy_, "a-1", {}, options, call) ? 0 : 1);
    }
    killer(-1.0, child);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status);
  }

  /// What the dead import left is whole or not there; after the next one nothing else remains.
  void ExpectClean() {
    auto left = OpenImport("a-1");
    if (left) {
      EXPECT_EQ(Ask(**left, "SELECT count(*), sum(id) FROM people"), "400000,79999800000");
    } else {
      EXPECT_TRUE(Has(left.error().Text(), "are not there")) << left.error().Text();
    }
    ASSERT_EQ(Import("a-2"), "");
    EXPECT_EQ(AskImport("a-2", "SELECT count(*), sum(id) FROM people"), "400000,79999800000");
    const auto lock = ImportLock::Take(policy_, cancel_);
    ASSERT_TRUE(lock.has_value());
    RemoveImports(*lock, policy_, "a-", "a-2");
    int snapshots = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / ".kith")) {
      const std::string name = entry.path().filename().string();
      EXPECT_NE(name.rfind("import-", 0), 0U) << name;
      snapshots += entry.path().extension() == ".duckdb" ? 1 : 0;
    }
    EXPECT_EQ(snapshots, 1);
    std::filesystem::remove_all(folder_ / ".kith");
  }
};

TEST_F(SnapshotCrashTest, KilledWhileReading) {
  EXPECT_TRUE(ImportAndKill([](double done, pid_t who) {
    if (done >= 0) ::kill(who, SIGKILL);
  }));
  ExpectClean();
}

TEST_F(SnapshotCrashTest, KilledAtManyMoments) {
  int killed = 0;
  for (int delay = 5; delay <= 400; delay += delay < 100 ? 19 : 75) {
    killed += ImportAndKill([delay](double done, pid_t who) {
      if (done >= 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(delay));
      ::kill(who, SIGKILL);
    });
    ExpectClean();
  }
  EXPECT_GE(killed, 1);
}

}  // namespace
}  // namespace kith

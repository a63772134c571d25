#include "release/upkeep/doctor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>

#include "base/clock.h"
#include "base/entropy.h"
#include "engine/duckdb/scratch.h"
#include "ledger/files.h"
#include "release/release.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

Finding Good(const char* about, std::string what) { return {about, Health::kGood, std::move(what), {}}; }
Finding Bad(const char* about, const Error& error) { return {about, Health::kBad, error.what, error.next}; }

Finding OfEngine(const Call& call) {
  const auto scratch = Scratch::Open();
  if (!scratch) return Bad("engine", scratch.error());
  const auto sum = scratch->Rows("SELECT CAST(sum(v) AS BIGINT) FROM range(1001) AS t(v)", call.cancel);
  if (!sum) return Bad("engine", sum.error());
  if (sum->size() != 1 || sum->front() != std::vector<Value>{Value(std::int64_t{500500})})
    return {"engine", Health::kBad, "DuckDB adds wrongly", "install kith again: its copy of DuckDB is damaged"};
  return Good("engine", "DuckDB answers");
}

// One look cannot show that bits are good, only that they come and are not all the same.
Finding OfRandomness() {
  std::array<unsigned char, 64> one{}, two{};
  const bool came = getrandom(one.data(), one.size(), GRND_NONBLOCK) == static_cast<ssize_t>(one.size()) &&
                    getrandom(two.data(), two.size(), GRND_NONBLOCK) == static_cast<ssize_t>(two.size());
  if (!came || one == two)
    return {"randomness", Health::kBad, "the operating system gives no random bits",
            "wait until it has collected enough (a machine that has just started), or give a virtual machine a source "
            "(virtio-rng)"};
  return Good("randomness", "the operating system gives random bits");
}

constexpr std::int64_t kThisProgramIsYounger = 1'760'000'000;  // October 2025

Finding OfClock() {
  if (UnixSeconds() < kThisProgramIsYounger)
    return {"clock", Health::kBad, "the clock shows a time before this program was written",
            "set it: tokens expire, approvals lapse and entries of ledgers are dated by it"};
  return Good("clock", "plausible");
}

// Locks and syncs of these are what their server makes of them.
const char* Remote(const fs::path& folder) {
  struct statfs info {};
  if (statfs(folder.c_str(), &info) != 0) return nullptr;
  switch (static_cast<unsigned long>(info.f_type)) {
    case 0x6969:
      return "NFS";
    case 0xff534d42:
    case 0x517b:
    case 0xfe534d42:
      return "SMB";
    case 0x65735546:
      return "FUSE";
    case 0x01021994:
      return "memory (tmpfs): it is gone after a restart";
    default:
      return nullptr;
  }
}

// What a charge does to the disk: one write and one sync. Nothing: it cannot be written.
std::optional<std::int64_t> MicrosecondsOfASync(const fs::path& folder) {
  const fs::path file = folder / (".kith-doctor-" + RandomHex(8));
  const ledger::Descriptor fd(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (fd.get() < 0) return std::nullopt;
  constexpr int kTimes = 5;
  const std::array<char, 4096> block{};
  bool written = true;
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < kTimes; ++k)
    written = written && write(fd.get(), block.data(), block.size()) == static_cast<ssize_t>(block.size()) &&
              fdatasync(fd.get()) == 0;
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  unlink(file.c_str());
  if (!written) return std::nullopt;
  return took.count() / kTimes;
}

Finding OfDisk(const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed))
    return {"disk", Health::kBad, "the folder of the ledger does not exist: " + folder.string(),
            "create it, or correct [budget] ledger"};
  const auto sync = MicrosecondsOfASync(folder);
  if (!sync)
    return {"disk", Health::kBad, "nothing can be written beside the ledger: " + folder.string(),
            "make the folder writable for this user, on a disk with room"};
  if (const char* kind = Remote(folder))
    return {"disk", Health::kDoubtful, fmt::format("the ledger is on {}", kind),
            "keep it on a local disk, where a lock is a lock and what was written stays written"};
  struct statvfs room {};
  constexpr std::uint64_t kMega = 1 << 20, kLeast = 256;
  const std::uint64_t left = statvfs(folder.c_str(), &room) == 0 ? room.f_bavail * room.f_frsize / kMega : 0;
  if (left < kLeast)
    return {"disk", Health::kDoubtful, fmt::format("{} MB are left under the ledger", left),
            "make room: a question that cannot be charged is not answered"};
  return Good("disk", fmt::format("a durable write takes {} microseconds; {} MB are left", *sync, left));
}

Finding OfPermissions(const fs::path& ledger) {
  struct stat info {};
  if (stat(ledger.c_str(), &info) != 0)
    return Good("permissions", "there is no ledger yet: it will be its owner's alone");
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return {"permissions", Health::kBad, "others than its owner can write to the ledger",
            "chmod 600 the ledger: whoever can write to it can undo what was spent"};
  if ((info.st_mode & (S_IRGRP | S_IROTH)) != 0)
    return {"permissions", Health::kDoubtful,
            "others than its owner can read the ledger, with all questions and answers",
            "chmod 600 the ledger, unless they may know them"};
  return Good("permissions", "the ledger is its owner's alone");
}

Finding OfSources(const Policy& policy) {
  if (policy.engine != "duckdb") return Good("sources", "on a server: " + policy.engine);
  for (const Table& table : policy.tables) {
    if (table.source.empty() || table.source.find('*') != std::string::npos) continue;
    const fs::path file = policy.file.parent_path() / table.source;
    struct stat info {};
    if (stat(file.c_str(), &info) != 0 || access(file.c_str(), R_OK) != 0)
      return {"sources", Health::kBad, fmt::format("the source of {} cannot be read", table.name),
              "put the file where [data] says, readable for this user"};
    if (S_ISREG(info.st_mode) && (info.st_mode & S_IROTH) != 0)
      return {"sources", Health::kDoubtful,
              fmt::format("everybody on this machine can read the source of {}", table.name),
              "chmod 600 the file: analysts get answers, not the data"};
  }
  return Good("sources", "there, and not for everybody");
}

Finding OfLedger(const Curator& curator) {
  const auto budget = curator.Budget();
  if (!budget) return Bad("ledger", budget.error());
  if (budget->history.empty()) return Good("ledger", "nothing has been charged yet");
  constexpr std::int64_t kAllowance = 300;  // clocks of two machines
  if (budget->history.back().unix_seconds > UnixSeconds() + kAllowance)
    return {"ledger", Health::kDoubtful, "its last entry is dated in the future",
            "set the clock: one of two machines that use this ledger is wrong"};
  return Good("ledger", fmt::format("whole: {} charges in an unbroken chain", budget->history.size()));
}

}  // namespace

std::vector<Finding> Examine(const fs::path& policy, const Call& call) {
  std::vector<Finding> found = {OfEngine(call), OfRandomness(), OfClock()};
  if (policy.empty()) return found;
  const auto curator = Curator::Open(policy, {}, call);
  if (!curator) {
    found.push_back(Bad("policy", curator.error()));
    return found;
  }
  found.push_back(Good("policy", "it can be used"));
  const Policy& used = curator->policy();
  found.push_back(OfSources(used));
  found.push_back(OfDisk(used.ledger.parent_path()));
  found.push_back(OfPermissions(used.ledger));
  found.push_back(OfLedger(*curator));
  return found;
}

}  // namespace kith

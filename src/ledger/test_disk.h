// A disk for crash tests: SQLite writes through it, it notes every write, sync, cut and deletion, can fail at any of
// them, and can say what would be left of the files if the power had failed at any moment.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

struct sqlite3_vfs;

namespace kith::ledger {

struct DiskStep {
  enum Kind { kCreate, kWrite, kTruncate, kSync, kDelete, kNote };
  Kind kind = kNote;
  std::string file;         // full path
  std::int64_t offset = 0;  // kWrite; kTruncate: the new size; kNote: what the test noted
  std::string bytes;        // kWrite
};

/// What a disk may do to writes that were not synced when the power failed.
enum class Loss {
  kAll,        // none of them is there
  kNothing,    // all are there
  kSome,       // an arbitrary choice is there: disks reorder
  kTorn,       // all but the last, which is there up to a sector
  kScrambled,  // as kSome, and the last holds garbage from some sector on
};
inline constexpr Loss kLosses[] = {Loss::kAll, Loss::kNothing, Loss::kSome, Loss::kTorn, Loss::kScrambled};

using Files = std::map<std::string, std::string>;  // path -> bytes

/// SQLite's default file system for the lifetime of the object. Real files underneath; one at a time.
class TestDisk {
 public:
  TestDisk();
  ~TestDisk();
  TestDisk(const TestDisk&) = delete;
  TestDisk& operator=(const TestDisk&) = delete;

  const std::vector<DiskStep>& steps() const { return steps_; }
  /// Notes the steps from now on; `Surviving` starts from the files as they are now.
  void StartRecording(const std::filesystem::path& folder);
  /// Remembers in the record that something happened here.
  void Note(std::int64_t what) { steps_.push_back({DiskStep::kNote, {}, what, {}}); }

  /// The files that are left if the power fails before step number `cut`, when unsynced writes suffer `loss`.
  /// A lying disk says that it synced and did not.
  Files Surviving(std::size_t cut, Loss loss, bool lying = false) const;

  /// From now on, the `nth` step (1 = the next) fails with this SQLite code: after doing nothing, or half of a write.
  /// With the code of success it is a lie: nothing is done.
  struct Fault {
    std::int64_t nth = 0;  // 0: none
    int code = 0;
    bool half = false;
    bool forever = false;  // every later step fails as well
  };
  void Plan(const Fault& fault) {
    fault_ = fault;
    seen_ = 0;
  }
  std::int64_t seen() const { return seen_; }

  // For the file system's own functions.
  struct Order {
    bool carry_out = true;
    bool half = false;
    int code = 0;
  };
  Order Before(DiskStep step);

 private:
  bool recording_ = false;
  std::vector<DiskStep> steps_;
  Files start_;
  Fault fault_;
  std::int64_t seen_ = 0;
  sqlite3_vfs* vfs_ = nullptr;
};

}  // namespace kith::ledger

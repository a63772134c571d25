// The files around a ledger: creation in one step, names, files swapped while in use. The marker: marker.h
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"

namespace kith::ledger {

struct Places {
  std::filesystem::path file;    // absolute, links followed
  std::filesystem::path log;     // SQLite's write-ahead log
  std::filesystem::path marker;  // .kith/<name>.created in the ledger's folder
  std::filesystem::path asking;  // .kith/<name>.asking: locks of questions, no content

  /// Fails: kInvalidArgument if there is no name; kStorage if the folder cannot be examined.
  static Result<Places> Of(const std::filesystem::path& file);
};

/// Whether there is a ledger to open.
/// Fails: kStorage if it is a folder, empty, known under two names, or lost: not there although the marker or a log
/// says that it was.
Result<bool> IsThere(const Places& places);

/// Lets `fill` build the ledger under a temporary name (mode 0600), then renames it: other processes see a whole
/// ledger or none. If another process came first, its ledger stays and this one is dropped.
Result<void> CreateWhole(const Places& places, const std::function<Result<void>(const std::filesystem::path&)>& fill);

/// Which files the names refer to. A process whose ledger is moved, deleted or replaced would go on counting in the
/// wrong file.
struct Identity {
  dev_t device = 0;
  ino_t file = 0;
  ino_t log = 0;
  nlink_t names = 0;  // of the file

  static Identity Of(const Places& places);  // zeros where there is none
  bool operator==(const Identity&) const = default;
};

/// Whether anything wrote to the ledger's files, as far as sizes and times show.
struct Stamp {
  std::int64_t size = 0, seconds = 0, nanoseconds = 0, log_size = 0;

  static Stamp Of(const Places& places);  // zeros where there is none
  bool operator==(const Stamp&) const = default;
};

/// Two hard links have two logs: charges made through one are not seen through the other.
Error TwoNames(const Places& places);

/// Replaces a small file as a whole, durably.
Result<void> WriteDurably(const std::filesystem::path& file, const std::string& text);
Result<void> SyncFolder(const std::filesystem::path& folder);

/// An open file, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  /// Leaves closing to the caller.
  int Release();

 private:
  int fd_;
};

}  // namespace kith::ledger

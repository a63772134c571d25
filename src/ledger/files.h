// The files around a ledger: creation in one step, the marker that tells a lost ledger from a new one, files swapped
// meanwhile.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"

namespace kith::ledger {

struct Places {
  std::filesystem::path file;    // absolute, links followed
  std::filesystem::path log;     // SQLite's write-ahead log
  std::filesystem::path marker;  // .kith/<name>.created in the ledger's folder

  /// Fails: kInvalidArgument if there is no name; kStorage if the folder cannot be looked at.
  static Result<Places> Of(const std::filesystem::path& file);
};

/// Whether there is a ledger to open.
/// Fails: kStorage if it is a folder, empty, or lost: not there although the marker or a log says that it was.
Result<bool> IsThere(const Places& places);

/// Lets `fill` build the ledger under a temporary name (mode 0600), then gives it its name: other processes see a whole
/// ledger or none. If another process was faster, its ledger stays and this one is dropped.
Result<void> CreateWhole(const Places& places, const std::function<Result<void>(const std::filesystem::path&)>& fill);

/// Writes the marker, durably, or checks that it names this ledger.
/// Fails: kStorage if it names another one: the ledger was swapped.
Result<void> KeepMarker(const Places& places, const std::string& ledger_id);

/// Which files the names stand for. A process whose ledger is moved, deleted or replaced would go on counting in the
/// wrong file.
struct Identity {
  dev_t device = 0;
  ino_t file = 0;
  ino_t log = 0;

  static Identity Of(const Places& places);  // zeros where there is none
  bool operator==(const Identity&) const = default;
};

std::string RandomHex(std::size_t bytes);

}  // namespace kith::ledger

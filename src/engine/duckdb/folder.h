// The folder .kith beside a policy, as far as the engine uses it: snapshots, marks of finished checks, spilled sorts.
// All of these can be deleted when kith is not running; they are made again.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/cancel.h"
#include "base/digest.h"
#include "base/result.h"

namespace kith {

/// An open descriptor; closing it also lets go of its lock.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

class KithFolder {
 public:
  explicit KithFolder(std::filesystem::path policy_folder);

  const std::filesystem::path& path() const { return path_; }

  /// Fails: kStorage if the folder cannot be made or written to.
  Result<void> Create() const;

  /// What is made here, one at a time: snapshots of CSV files, and copies of Parquet files (while snapshots are made,
  /// copies may be).
  enum class Work { kImport, kCopy };

  /// One process at a time for each kind of work. `waiting` is called once if another process is doing it.
  /// Fails: kStorage, kCancelled.
  Result<Descriptor> Lock(Work work, const CancelFlag& cancel, const std::function<void()>& waiting) const;

  /// A fresh folder, readable by its owner only. Requires: the lock of this work, because leftovers of processes that
  /// died are removed first.
  Result<std::filesystem::path> MakeWorkFolder(Work work) const;

  /// Has a check with this name been passed before? Marks are hints that save time; a folder that cannot be written has
  /// none.
  bool Marked(const std::string& name) const;
  void Mark(const std::string& name) const;

  /// Text that was found before, under a name that says everything it follows from; also a hint.
  std::optional<std::string> Recall(const std::string& name) const;
  void Remember(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

/// Runs a check unless it is marked as passed for exactly what `what` says.
template <class Check>
Result<void> Once(const KithFolder& folder, const std::string& what, Check check) {
  const std::string mark = Sha256(what);
  if (folder.Marked(mark)) return {};
  if (auto passed = check(); !passed) return passed.error();
  folder.Mark(mark);
  return {};
}

/// A place for DuckDB to spill to, removed at the end. Leftovers of processes that died are removed by the next one.
class SpillFolder {
 public:
  /// Nothing if the folder cannot be written: then queries have to fit into memory.
  static std::unique_ptr<SpillFolder> Make(const KithFolder& folder);
  ~SpillFolder();
  SpillFolder(const SpillFolder&) = delete;
  SpillFolder& operator=(const SpillFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  SpillFolder(std::filesystem::path path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  Descriptor lock_;  // held while in use
};

/// fsync of a file or folder. Fails: kStorage.
Result<void> SyncToDisk(const std::filesystem::path& path);

/// What the operating system said about a failed file operation, with the advice that fits.
Error FolderError(const std::string& what, const std::filesystem::path& path, int system_error);

}  // namespace kith

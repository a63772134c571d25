#include <gtest/gtest.h>
#include <sqlite3.h>

#include <random>

#include "ledger/ledger_test_tools.h"
#include "ledger/test_disk.h"

namespace kith::ledger {
namespace {

sqlite3_vfs* Real() {
  static sqlite3_vfs* const real = sqlite3_vfs_find("unix");
  return real;
}

TestDisk& DiskOf(sqlite3_vfs* vfs) { return *static_cast<TestDisk*>(vfs->pAppData); }

struct DiskFile {
  sqlite3_file base;
  TestDisk* disk;
  const char* path;  // SQLite keeps it as long as the file is open
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

DiskFile& Of(sqlite3_file* file) { return *reinterpret_cast<DiskFile*>(file); }
sqlite3_file* RealOf(sqlite3_file* file) { return Of(file).real(); }

int Close(sqlite3_file* file) { return RealOf(file)->pMethods->xClose(RealOf(file)); }

int Read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  return RealOf(file)->pMethods->xRead(RealOf(file), out, size, offset);
}

int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const std::string copy(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  const auto order = Of(file).disk->Before({DiskStep::kWrite, Of(file).path, offset, copy});
  if (order.carry_out) return RealOf(file)->pMethods->xWrite(RealOf(file), bytes, size, offset);
  if (order.half) RealOf(file)->pMethods->xWrite(RealOf(file), bytes, size / 2, offset);
  return order.code;
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  const auto order = Of(file).disk->Before({DiskStep::kTruncate, Of(file).path, size, {}});
  return order.carry_out ? RealOf(file)->pMethods->xTruncate(RealOf(file), size) : order.code;
}

// The record takes the place of the disk, so nothing has to wait for the real one.
int Sync(sqlite3_file* file, int) { return Of(file).disk->Before({DiskStep::kSync, Of(file).path, 0, {}}).code; }

int FileSize(sqlite3_file* file, sqlite3_int64* size) { return RealOf(file)->pMethods->xFileSize(RealOf(file), size); }
int Lock(sqlite3_file* file, int level) { return RealOf(file)->pMethods->xLock(RealOf(file), level); }
int Unlock(sqlite3_file* file, int level) { return RealOf(file)->pMethods->xUnlock(RealOf(file), level); }
int CheckReserved(sqlite3_file* file, int* out) {
  return RealOf(file)->pMethods->xCheckReservedLock(RealOf(file), out);
}
int FileControl(sqlite3_file* file, int op, void* argument) {
  return RealOf(file)->pMethods->xFileControl(RealOf(file), op, argument);
}
int SectorSize(sqlite3_file* file) { return RealOf(file)->pMethods->xSectorSize(RealOf(file)); }
int Characteristics(sqlite3_file* file) { return RealOf(file)->pMethods->xDeviceCharacteristics(RealOf(file)); }
int ShmMap(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  return RealOf(file)->pMethods->xShmMap(RealOf(file), page, size, extend, out);
}
int ShmLock(sqlite3_file* file, int offset, int count, int flags) {
  return RealOf(file)->pMethods->xShmLock(RealOf(file), offset, count, flags);
}
void ShmBarrier(sqlite3_file* file) { RealOf(file)->pMethods->xShmBarrier(RealOf(file)); }
int ShmUnmap(sqlite3_file* file, int remove) { return RealOf(file)->pMethods->xShmUnmap(RealOf(file), remove); }

const sqlite3_io_methods kMethods = {
    2,        Close,         Read,        Write,      Truncate,        Sync,   FileSize, Lock,
    Unlock,   CheckReserved, FileControl, SectorSize, Characteristics, ShmMap, ShmLock,  ShmBarrier,
    ShmUnmap, nullptr,       nullptr};

int Open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  DiskFile& opened = Of(file);
  opened.disk = &DiskOf(vfs);
  opened.path = name;
  int there = 0;
  Real()->xAccess(Real(), name, SQLITE_ACCESS_EXISTS, &there);
  if (there == 0 && (flags & SQLITE_OPEN_CREATE) != 0) {
    if (opened.disk->Before({DiskStep::kCreate, name, 0, {}}).code != SQLITE_OK) return SQLITE_CANTOPEN;
  }
  const int code = Real()->xOpen(Real(), name, opened.real(), flags, out_flags);
  if (code == SQLITE_OK) file->pMethods = &kMethods;
  return code;
}

int Delete(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  const auto order = DiskOf(vfs).Before({DiskStep::kDelete, name, 0, {}});
  return order.carry_out ? Real()->xDelete(Real(), name, sync_folder) : order.code;
}

int Access(sqlite3_vfs*, const char* name, int flags, int* out) { return Real()->xAccess(Real(), name, flags, out); }
int FullPathname(sqlite3_vfs*, const char* name, int size, char* out) {
  return Real()->xFullPathname(Real(), name, size, out);
}
int Randomness(sqlite3_vfs*, int size, char* out) { return Real()->xRandomness(Real(), size, out); }
int Sleep(sqlite3_vfs*, int microseconds) { return Real()->xSleep(Real(), microseconds); }
int CurrentTime(sqlite3_vfs*, double* now) { return Real()->xCurrentTime(Real(), now); }
int LastError(sqlite3_vfs*, int size, char* out) { return Real()->xGetLastError(Real(), size, out); }
int CurrentTime64(sqlite3_vfs*, sqlite3_int64* now) { return Real()->xCurrentTimeInt64(Real(), now); }

void Apply(const DiskStep& step, std::string& bytes, std::size_t length) {
  const auto offset = static_cast<std::size_t>(step.offset);
  if (step.kind == DiskStep::kTruncate) {
    bytes.resize(offset);
    return;
  }
  if (bytes.size() < offset + length) bytes.resize(offset + length);
  bytes.replace(offset, length, step.bytes, 0, length);
}

// What is on the platter, and what was promised since.
struct Platter {
  bool exists = false;
  std::string bytes;
  std::vector<const DiskStep*> pending;
};

// Lets the power fail for one file.
void Settle(Platter& platter, Loss loss, std::mt19937_64& random) {
  if (loss == Loss::kAll) return;
  for (std::size_t i = 0; i < platter.pending.size(); ++i) {
    const DiskStep& step = *platter.pending[i];
    const bool last = i + 1 == platter.pending.size();
    const bool choice = loss == Loss::kSome || loss == Loss::kScrambled;
    if (step.kind == DiskStep::kCreate) {
      platter.exists = true;  // the name may come without the bytes
    } else if (step.kind == DiskStep::kDelete) {
      if (choice && random() % 2 == 0) return;  // then the old file is still there, and no new one under its name
      platter.exists = false;
      platter.bytes.clear();
    } else if (last && step.kind == DiskStep::kWrite && (loss == Loss::kTorn || loss == Loss::kScrambled)) {
      const std::size_t cut = random() % (step.bytes.size() / 512 + 1) * 512;
      Apply(step, platter.bytes, cut);
      if (loss == Loss::kTorn) continue;
      DiskStep garbage = step;
      for (std::size_t j = cut; j < garbage.bytes.size(); ++j) garbage.bytes[j] = static_cast<char>(random());
      Apply(garbage, platter.bytes, garbage.bytes.size());
    } else if (!choice || random() % 2 == 0) {
      Apply(step, platter.bytes, step.bytes.size());
    }
  }
}

}  // namespace

TestDisk::TestDisk() : vfs_(new sqlite3_vfs{}) {
  vfs_->iVersion = 2;
  vfs_->szOsFile = static_cast<int>(sizeof(DiskFile)) + Real()->szOsFile;
  vfs_->mxPathname = Real()->mxPathname;
  vfs_->zName = "kith-test-disk";
  vfs_->pAppData = this;
  vfs_->xOpen = Open;
  vfs_->xDelete = Delete;
  vfs_->xAccess = Access;
  vfs_->xFullPathname = FullPathname;
  vfs_->xRandomness = Randomness;
  vfs_->xSleep = Sleep;
  vfs_->xCurrentTime = CurrentTime;
  vfs_->xGetLastError = LastError;
  vfs_->xCurrentTimeInt64 = CurrentTime64;
  EXPECT_EQ(sqlite3_vfs_register(vfs_, 1), SQLITE_OK);
}

TestDisk::~TestDisk() {
  sqlite3_vfs_unregister(vfs_);
  sqlite3_vfs_register(Real(), 1);
  delete vfs_;
}

TestDisk::Order TestDisk::Before(DiskStep step) {
  ++seen_;
  const bool fails = fault_.nth > 0 && (seen_ == fault_.nth || (fault_.forever && seen_ > fault_.nth));
  if (fails) return {false, fault_.half, fault_.code};
  if (recording_) steps_.push_back(std::move(step));
  return {};
}

void TestDisk::StartRecording(const std::filesystem::path& folder) {
  recording_ = true;
  steps_.clear();
  start_.clear();
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    if (each.is_regular_file()) start_[each.path().string()] = ReadAll(each.path());
  }
}

Files TestDisk::Surviving(std::size_t cut, Loss loss, bool lying) const {
  std::map<std::string, Platter> platters;
  for (const auto& [path, bytes] : start_) platters[path] = {true, bytes, {}};
  for (std::size_t i = 0; i < cut; ++i) {
    const DiskStep& step = steps_[i];
    if (step.kind == DiskStep::kNote) continue;
    Platter& platter = platters[step.file];
    if (step.kind != DiskStep::kSync) {
      platter.pending.push_back(&step);
    } else if (!lying) {
      std::mt19937_64 unused;
      Settle(platter, Loss::kNothing, unused);
      platter.pending.clear();
    }
  }
  Files files;
  std::mt19937_64 random(cut * 8 + static_cast<std::size_t>(loss));
  for (auto& [path, platter] : platters) {
    Settle(platter, loss, random);
    if (platter.exists) files[path] = platter.bytes;
  }
  return files;
}

namespace {

TEST(TestDisk, KnowsWhatSurvives) {
  const Scratch scratch;
  TestDisk disk;
  disk.StartRecording(scratch.path());
  const auto add = [&](DiskStep::Kind kind, std::int64_t offset, const std::string& bytes) {
    EXPECT_TRUE(disk.Before({kind, "f", offset, bytes}).carry_out);
  };
  add(DiskStep::kCreate, 0, "");
  add(DiskStep::kWrite, 0, "abc");
  add(DiskStep::kSync, 0, "");
  add(DiskStep::kWrite, 1, "xyz");
  add(DiskStep::kDelete, 0, "");
  EXPECT_EQ(disk.Surviving(0, Loss::kNothing), Files{});
  EXPECT_EQ(disk.Surviving(2, Loss::kAll), Files{});
  EXPECT_EQ(disk.Surviving(2, Loss::kNothing), (Files{{"f", "abc"}}));
  EXPECT_EQ(disk.Surviving(3, Loss::kAll), (Files{{"f", "abc"}}));
  EXPECT_EQ(disk.Surviving(3, Loss::kAll, true), Files{}) << "the sync was a lie";
  EXPECT_EQ(disk.Surviving(4, Loss::kAll), (Files{{"f", "abc"}}));
  EXPECT_EQ(disk.Surviving(4, Loss::kNothing), (Files{{"f", "axyz"}}));
  EXPECT_EQ(disk.Surviving(5, Loss::kAll), (Files{{"f", "abc"}})) << "a deletion can be lost too";
  EXPECT_EQ(disk.Surviving(5, Loss::kNothing), Files{});
}

}  // namespace
}  // namespace kith::ledger

// The power fails at every step of a busy ledger's life; and every step fails once. No acknowledged charge may be
// missing.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "ledger/ledger_test_tools.h"
#include "ledger/test_disk.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCells = 20;

/// What the ledger's user was told.
struct Told {
  std::vector<LedgerEntry> charges;                          // acknowledged, in order
  std::vector<std::vector<std::int64_t>> totals;             // after each of them (at least)
  std::vector<std::vector<std::int64_t>> deltas;             // the same for what is counted besides pure losses
  std::vector<std::pair<std::string, std::string>> answers;  // key, text
  int attempts = 0;                                          // charges asked for

  std::vector<std::int64_t> Least() const {
    return totals.empty() ? std::vector<std::int64_t>(kCells, 0) : totals.back();
  }
};

std::vector<std::size_t> CellsOf(int i) {
  std::vector<std::size_t> cells;
  for (std::size_t c = static_cast<std::size_t>(i) % 3; c < kCells; c += 1 + static_cast<std::size_t>(i) % 4)
    cells.push_back(c);
  return cells;
}

// Some charges have a delta with their pure loss; the first brings an entry that fixes caps.
void PutBeside(ChargeRequest& request, std::int64_t delta) {
  request.beside = DeltaCharge{.delta = delta, .caps = {}, .words = {}};
  request.beside->caps = [](const std::vector<PlainUnits>& spent) -> Result<std::vector<std::int64_t>> {
    return std::vector<std::int64_t>(spent.size(), 1000);
  };
}

// One charge, sometimes with its answer. Reports what happened; notes it on the disk.
void Ask(Ledger& book, int i, Told& told, TestDisk& disk) {
  ChargeRequest request = Request(1000 + i, CellsOf(i), kCells);
  request.answer_key = "key " + std::to_string(i);
  request.question.append(static_cast<std::size_t>(i) * 150, ' ');  // pages fill up and split
  PutBeside(request, i % 3 == 2 ? 7 : 0);
  ++told.attempts;
  const auto entry = book.Charge(request);
  if (!entry) {
    EXPECT_EQ(entry.error().code, Code::kStorage) << entry.error().Text();
    EXPECT_FALSE(entry.error().next.empty());
    return;
  }
  auto totals = told.Least();
  auto deltas = told.deltas.empty() ? std::vector<std::int64_t>(kCells, 0) : told.deltas.back();
  for (const std::size_t cell : request.cells) {
    totals[cell] += request.units.count();
    deltas[cell] += request.beside->delta;
  }
  told.deltas.push_back(deltas);
  told.charges.push_back(*entry);
  told.totals.push_back(totals);
  disk.Note(1);
  if (i % 2 == 0) return;
  const std::string answer(static_cast<std::size_t>(i) * 700, 'a');
  if (!book.StoreAnswer(*entry, request.answer_key, answer)) return;
  told.answers.emplace_back(request.answer_key, answer);
  disk.Note(2);
}

// Folds the log into the file, so that later charges write over the log from its start.
void Checkpoint(const fs::path& file) {
  const auto connection = Connection::Open(file, std::chrono::milliseconds(10));
  if (connection) (void)(*connection)->Run("PRAGMA wal_checkpoint(RESTART)");
}

// Two sessions with checkpoints between the charges and the clean-up at the end of each.
void BusyLife(const fs::path& file, Told& told, TestDisk& disk) {
  for (int session = 0; session < 2; ++session) {
    auto book = Ledger::Open(file, Binding(kCells), true, {std::chrono::milliseconds(10)});
    if (!book) continue;
    for (int i = 0; i < 6; ++i) {
      Ask(*book, session * 6 + i, told, disk);
      if (i % 3 == 1) Checkpoint(file);
    }
  }
}

// What is wrong with a ledger, given what its users were told; empty if nothing is.
std::string Fault(const fs::path& file, std::size_t charges, const std::vector<std::int64_t>& least, int attempts,
                  const Told& told, std::size_t answers) {
  auto book = Ledger::Open(file, Binding(kCells), false);
  if (!book) return "does not open: " + book.error().Text();
  if (const auto verified = book->Verify(); !verified) return "does not verify: " + verified.error().Text();
  const auto history = book->History().value();
  if (history.size() < charges) return "lost a charge";
  if (history.size() > static_cast<std::size_t>(attempts)) return "has charges that nobody asked for";
  for (std::size_t i = 0; i < charges; ++i) {
    if (history[static_cast<std::size_t>(told.charges[i].number - 1)].head != told.charges[i].head)
      return "rewrote a charge";
  }
  const auto spent = Counts(book->Totals().value().spent);
  for (std::size_t c = 0; c < kCells; ++c) {
    if (spent[c] < least[c]) return "counts too little";
  }
  const auto gaussian = book->Totals().value().gaussian;
  if (gaussian && !gaussian->open) return "counts Gaussian loss, which nobody asked for";
  for (std::size_t c = 0; charges > 0 && c < kCells; ++c) {
    if ((gaussian ? gaussian->delta[c] : 0) < told.deltas[charges - 1][c]) return "counts too small a delta";
  }
  for (std::size_t i = 0; i < answers; ++i) {
    const auto found = book->FindAnswer(told.answers[i].first).value();
    if (!found || found->answer != told.answers[i].second) return "lost an answer";
  }
  ChargeRequest more = Request(1, {0}, kCells);
  PutBeside(more, 1);
  const auto next = book->Charge(more);
  if (!next) return "cannot go on: " + next.error().Text();
  if (next->number != static_cast<std::int64_t>(history.size()) + 1) return "goes on with the wrong number";
  return {};
}

// Puts the files that survived into a separate folder, as a machine would find them after the power came back.
void Restore(const Files& files, const fs::path& folder) {
  ForgetCount(folder / ".kith/a.ledger.created");
  for (const char* ending : {"", "-wal", "-shm"}) fs::remove(folder / ("a.ledger" + std::string(ending)));
  for (const auto& [path, bytes] : files) WriteAll(folder / fs::path(path).filename(), bytes);
}

struct Verdict {
  std::size_t images = 0;
  std::size_t faulty = 0;
  std::string first;
};

// Lives a busy life, then lets the power fail before each of its steps, in every way of losing unsynced writes.
Verdict CutEverywhere(bool lying_disk) {
  const Scratch scratch, after;
  { OpenOrDie(scratch / "a.ledger", kCells); }
  fs::copy(scratch / ".kith", after / ".kith", fs::copy_options::recursive);
  TestDisk disk;
  disk.StartRecording(scratch.path());
  Told told;
  BusyLife(scratch / "a.ledger", told, disk);
  EXPECT_EQ(told.charges.size(), 12U);
  EXPECT_EQ(told.answers.size(), 6U);
  const std::vector<DiskStep> steps = disk.steps();
  Verdict verdict;
  std::size_t charges = 0, answers = 0;
  std::map<Files, std::string> judged;  // fault by image: many cuts leave the same, as long as nobody is told more
  for (std::size_t cut = 0; cut <= steps.size(); ++cut) {
    if (cut > 0 && steps[cut - 1].kind == DiskStep::kNote) {
      (steps[cut - 1].offset == 1 ? charges : answers) += 1;
      judged.clear();
    }
    for (const Loss loss : kLosses) {
      const auto [image, is_new] = judged.try_emplace(disk.Surviving(cut, loss, lying_disk));
      if (is_new) {
        Restore(image->first, after.path());
        const auto least = charges == 0 ? std::vector<std::int64_t>(kCells, 0) : told.totals[charges - 1];
        const int attempts = static_cast<int>(std::min<std::size_t>(charges + 1, 12));
        image->second = Fault(after / "a.ledger", charges, least, attempts, told, answers);
      }
      const std::string& fault = image->second;
      ++verdict.images;
      if (fault.empty()) continue;
      if (verdict.faulty++ == 0) verdict.first = "cut " + std::to_string(cut) + ": " + fault;
    }
  }
  return verdict;
}

TEST(LedgerPower, NoCutLosesAnAcknowledgedCharge_LEDGER2) {
  const Verdict verdict = CutEverywhere(false);
  EXPECT_GT(verdict.images, 1000U);
  EXPECT_EQ(verdict.faulty, 0U) << verdict.first;
}

TEST(LedgerPower, TheCheckAboveSeesADiskThatLiesAboutSyncing) {
  const Verdict verdict = CutEverywhere(true);
  EXPECT_GT(verdict.faulty, verdict.images / 10);
  EXPECT_NE(verdict.first.find("lost a charge"), std::string::npos) << verdict.first;
}

struct Failure {
  int code;
  bool half, forever;
  std::int64_t first = 1;  // where every second step fails: so chosen that each fails in part and as a whole
};
const Failure kFailures[] = {{SQLITE_FULL, true, false, 1},
                             {SQLITE_FULL, false, true, 1},
                             {SQLITE_IOERR_WRITE, true, true, 2},
                             {SQLITE_IOERR_FSYNC, false, false, 2},
                             {SQLITE_IOERR_FSYNC, true, true, 1}};

// Every step of a life fails, once or from then on. The verdict is over one life for each step.
// By default every second step fails in each way, so that each step is seen in two or three of the five. In nightly
// runs (KITH_KILLS is set) every step fails in every way.
Verdict FailEverywhere(const Failure& failure) {
  const std::int64_t apart = std::getenv("KITH_KILLS") != nullptr ? 1 : 2;
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  { OpenOrDie(file, kCells); }
  const std::string fresh = ReadAll(file);
  TestDisk disk;
  Verdict verdict;
  for (std::int64_t nth = std::min(failure.first, apart);; nth += apart) {
    for (const char* ending : {"-wal", "-shm"}) fs::remove(file.string() + ending);
    WriteAll(file, fresh);
    ForgetCount(scratch / ".kith/a.ledger.created");
    Told told;
    disk.Plan({nth, failure.code, failure.half, failure.forever});
    BusyLife(file, told, disk);
    const bool reached = disk.seen() >= nth;
    disk.Plan({});
    const std::string fault = Fault(file, told.charges.size(), told.Least(), told.attempts, told, told.answers.size());
    ++verdict.images;
    if (!fault.empty() && verdict.faulty++ == 0) verdict.first = "step " + std::to_string(nth) + ": " + fault;
    if (!reached) return verdict;
  }
}

TEST(LedgerPower, NoFailedWriteOrSyncLosesAnAcknowledgedCharge_LEDGER2) {
  for (const Failure& failure : kFailures) {
    const Verdict verdict = FailEverywhere(failure);
    EXPECT_GT(verdict.images, 50U);
    EXPECT_EQ(verdict.faulty, 0U) << "SQLite code " << failure.code << ": " << verdict.first;
  }
}

TEST(LedgerPower, TheCheckAboveSeesADiskThatDropsAWriteSilently) {
  const Verdict verdict = FailEverywhere({SQLITE_OK, false, false});
  EXPECT_GT(verdict.faulty, verdict.images / 10) << verdict.images;
}

// A failed creation leaves no ledger, no marker and no litter, and can be tried again.
TEST(LedgerPower, CreationFailsWholeOrSucceedsWhole) {
  TestDisk disk;
  for (std::int64_t nth = 1;; ++nth) {
    const Scratch scratch;
    disk.Plan({nth, SQLITE_FULL, true, false});
    const bool made = Ledger::Open(scratch / "a.ledger", Binding(kCells), true).has_value();
    const bool reached = disk.seen() >= nth;
    disk.Plan({});
    if (!made) {
      for (const auto& each : fs::directory_iterator(scratch.path())) {
        EXPECT_EQ(each.path().string().find(".new-"), std::string::npos) << "step " << nth << ": " << each.path();
      }
    }
    Ledger book = OpenOrDie(scratch / "a.ledger", kCells);
    EXPECT_TRUE(book.Charge(Request(1, {0}, kCells)));
    EXPECT_TRUE(book.Verify());
    if (reached) continue;
    EXPECT_TRUE(made);
    EXPECT_GT(nth, 20);
    break;
  }
}

// What is given its name must already be on the disk: the rename may survive the power, and then so must the content.
TEST(LedgerPower, ANewLedgerIsSyncedBeforeItGetsItsName_LEDGER2) {
  const Scratch scratch;
  TestDisk disk;
  disk.StartRecording(scratch.path());
  { OpenOrDie(scratch / "a.ledger", kCells); }
  const std::string name = (scratch / "a.ledger.new-").string();
  std::optional<std::size_t> last_write, last_sync;
  for (std::size_t i = 0; i < disk.steps().size(); ++i) {
    const DiskStep& step = disk.steps()[i];
    if (step.file.rfind(name, 0) != 0 || step.file.find("-wal") != std::string::npos ||
        step.file.find("-journal") != std::string::npos) {
      continue;
    }
    if (step.kind == DiskStep::kWrite) last_write = i;
    if (step.kind == DiskStep::kSync) last_sync = i;
  }
  ASSERT_TRUE(last_write && last_sync);
  EXPECT_LT(*last_write, *last_sync);
}

}  // namespace
}  // namespace kith::ledger

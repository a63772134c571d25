// A ledger of an older format becomes one of this format, or stays what it was: its entries are replayed, written as
// entries with postings, and replayed again before anything is committed.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/entropy.h"
#include "ledger/old_formats.h"
#include "ledger/schema.h"
#include "ledger/store.h"

namespace kith::ledger {
namespace {

// What both formats must say alike.
bool Agree(const View& before, const View& after) {
  const auto same = [](const OneSidedAccount& a, const OneSidedAccount& b) {
    return a.name == b.name && a.spent == b.spent && a.rules == b.rules;
  };
  const auto& one = before.one_sided.accounts();
  const auto& two = after.one_sided.accounts();
  return before.head == after.head && before.charges == after.charges && before.totals == after.totals &&
         before.any == after.any && before.policy == after.policy && before.data == after.data &&
         before.charged == after.charged && before.moved == after.moved && before.apart == after.apart &&
         before.SafeFrom() == after.SafeFrom() && std::equal(one.begin(), one.end(), two.begin(), two.end(), same);
}

}  // namespace

Result<void> Store::CopyOldEntries(std::int64_t format) {
  auto rows = connection_->Prepare(OldReplay(format, birth_.stream, "old_entries").c_str());
  if (!rows) return rows.error();
  rows->Bind(1, std::int64_t{0}).Bind(2, std::numeric_limits<std::int64_t>::max());
  while (true) {
    const auto row = rows->Step();
    if (!row) return row.error();
    if (!*row) return {};
    const auto entry = ReadOldRow(*rows, birth_.stream, book());
    if (!entry) return InternalError("an entry that was verified cannot be read again");
    if (auto done = Append(*entry, rows->Bytes(10)); !done) return done;
  }
}

Result<void> Store::Upgrade(std::int64_t unix_seconds, const std::vector<LedgerColumn>& columns) {
  auto transaction = Transaction::BeginWrite(*connection_);
  if (!transaction) return transaction.error();
  const auto version = connection_->Ask("PRAGMA user_version");
  if (!version) return version.error();
  if (*version != std::to_string(format_)) return Load();  // another process came first
  if (!ProperColumns(columns, birth_.cells.size())) return InternalError("columns that are not those of the cells");
  birth_.columns = columns;
  StartWith(columns);
  // What is wrong before must not look right afterwards.
  View view = View::AtBirth(birth_);
  if (auto done = CatchUp(view); !done) return done;
  const std::int64_t old_format = format_;
  if (birth_.secret.empty()) birth_.secret = RandomHex(32);
  if (birth_.old_entries == kAllOld) birth_.old_entries = view.position;
  birth_.entries_4 = view.position;
  format_ = kFormat;
  DropStatements();
  if (auto done = PutAside(*connection_, birth_); !done) return done;
  if (auto done = PrepareAll(); !done) return done;
  if (auto done = CopyOldEntries(old_format); !done) return done;
  if (auto done = TakeOver(*connection_); !done) return done;

  view.formula = Formula::Of(birth_);
  Entry entry;
  entry.position = view.position + 1;
  entry.kind = Kind::kFormat;
  entry.number = old_format;
  entry.unix_seconds = unix_seconds;
  const std::string cells = view.formula.cells;
  entry.digest = cells;
  if (const auto wrong = view.Add(entry)) return InternalError(*wrong);
  if (auto done = Append(entry, view.head); !done) return done;
  if (auto done = WriteSummary(view); !done) return done;
  View again = View::AtBirth(birth_);
  if (auto done = CatchUp(again); !done) return done;
  if (!Agree(view, again)) return InternalError("a ledger of an older format could not be rewritten");
  if (auto done = transaction->Commit(); !done) return done;
  return StillInPlace();
}

}  // namespace kith::ledger

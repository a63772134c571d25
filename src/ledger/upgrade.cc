// A ledger of an older format becomes one of this format, or stays what it was.
#include "base/entropy.h"
#include "ledger/schema.h"
#include "ledger/store.h"

namespace kith::ledger {

Result<void> Store::Upgrade(std::int64_t unix_seconds) {
  auto transaction = Transaction::BeginWrite(*connection_);
  if (!transaction) return transaction.error();
  const auto version = connection_->Ask("PRAGMA user_version");
  if (!version) return version.error();
  if (*version != std::to_string(format_)) return Load();  // another process was faster
  // What is wrong before must not look right afterwards.
  View view = View::AtBirth(birth_);
  CellReader reader(birth_.cells.size());
  if (auto done = CatchUp(view, reader); !done) return done;
  birth_.secret = RandomHex(32);
  birth_.old_entries = view.position;
  format_ = kFormat;
  DropStatements();
  if (auto done = Rebuild(*connection_, birth_); !done) return done;
  if (auto done = PrepareAll(); !done) return done;
  view.formula = Formula::Of(birth_);
  Entry entry;
  entry.position = view.position + 1;
  entry.kind = Kind::kFormat;
  entry.number = birth_.old_format;
  entry.unix_seconds = unix_seconds;
  entry.units = birth_.old_entries;
  if (const auto wrong = view.Add(entry, reader)) return InternalError(*wrong);
  if (auto done = Append(entry, view.head); !done) return done;
  if (auto done = WriteSummary(view); !done) return done;
  if (auto done = transaction->Commit(); !done) return done;
  return StillInPlace();
}

}  // namespace kith::ledger

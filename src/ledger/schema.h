// The tables of a ledger, as SQL, in each format. What a file holds must be exactly these texts.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/chain.h"
#include "ledger/sqlite.h"

namespace kith::ledger {

/// Format 1 counts for ever; format 2 is the ledger of a stream; format 3 has the tables of format 1, and charges with
/// a one-sided part. Format 4 is for all of them, and has a secret.
std::vector<std::string> SchemaOf(std::int64_t format, bool stream);

/// All tables of a ledger of format 4 without entries. Requires: a write transaction and no tables.
Result<void> Fill(const Connection& connection, const Birth& birth);

/// The tables of format 4 in place of those of `birth.old_format`, with all that they hold; the summary stays that of
/// the old format. Requires: a write transaction and no open statements.
Result<void> Rebuild(const Connection& connection, const Birth& birth);

}  // namespace kith::ledger

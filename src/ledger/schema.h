// The tables of a ledger, as SQL. What a file holds must be exactly this text. Older formats: old_formats.h
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/chain.h"
#include "ledger/sqlite.h"

namespace kith::ledger {

inline constexpr std::int64_t kFormat = 5;

/// Of any format. `stream` matters only to older ones.
std::vector<std::string> SchemaOf(std::int64_t format, bool stream);

/// All tables of a ledger without entries, and its format. Requires: a write transaction and no tables.
Result<void> Fill(const Connection& connection, const Birth& birth);
/// Removes all tables of a format. Requires: a write transaction and no open statements.
Result<void> DropAll(const Connection& connection, std::int64_t format);

/// Puts the tables of an older format aside under names that begin with "old_", and makes those of this one. The
/// summary stays. Requires: a write transaction and no open statements.
Result<void> PutAside(const Connection& connection, const Birth& birth);
/// Takes over what the old tables hold besides the entries, and removes them.
Result<void> TakeOver(const Connection& connection);

}  // namespace kith::ledger

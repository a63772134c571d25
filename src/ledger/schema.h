// The tables of a ledger, as SQL. What a file holds must be exactly this text.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/chain.h"
#include "ledger/sqlite.h"

namespace kith::ledger {

inline constexpr std::int64_t kFormat = 6;

std::vector<std::string> Schema();

/// All tables of a ledger without entries, and its format. Requires: a write transaction and no tables.
Result<void> Fill(const Connection& connection, const Birth& birth);
/// Removes all tables. Requires: a write transaction and no open statements.
Result<void> DropAll(const Connection& connection);

}  // namespace kith::ledger

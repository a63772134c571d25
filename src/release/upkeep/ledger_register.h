// Which ledgers count for one table: a file beside the data, `<source>.kith`, by which a fresh ledger learns that
// another knows what was spent. A safeguard against forgetting, not a proof: without the file nothing is said.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "ledger/ledger.h"
#include "policy/policy.h"

namespace kith {

/// Where ledgers of the unit's table are written down (those of other tables of the units beside their own sources);
/// for tables of a server in the user's own folder for states.
std::filesystem::path RegisterOf(const Policy& policy);

/// Of a warning: what to do. The program that shows it may say how.
inline constexpr const char* kCarryOver = "Carry it over to this ledger";

/// Writes this ledger down, and returns a warning for each of those that were written down before it for the same table
/// and were not carried over to it, unless nothing was spent there or it is sealed (then the ledger that continues it
/// counts). If anything goes wrong, nothing is returned. Nothing here depends on data.
std::vector<std::string> RegisterLedger(const Policy& policy, const Ledger& book);

/// Writes down that the policy's ledger continues with what another lost.
void RegisterCarry(const Policy& policy, const std::string& from_id, const std::string& to_id);

}  // namespace kith

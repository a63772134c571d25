// The alarms of a ledger under a declaration.
#pragma once
#include <string>

#include "ledger/ledger.h"
#include "policy/policy.h"

namespace kith {

/// What is said with every total under this declaration: the last alarm that still applies. Empty: none does.
/// Ensures [CHECK-4]: as check::Contradicts; what an older program kept applies while the declaration is the same.
/// Fails: as Ledger::Alarms.
Result<std::string> AlarmUnder(const Ledger& book, const Dependence& declared);

}  // namespace kith

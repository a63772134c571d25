// A look at a ledger that belongs to another policy: whether anything was spent there.
#pragma once
#include <filesystem>
#include <optional>

namespace kith {

struct LedgerUse {
  bool used = false;    // something was charged, or carried over to it
  bool sealed = false;  // nothing more can be charged: what was spent is counted elsewhere
};

/// Nothing: there is no such file, or it is not a ledger of this format. Verifies nothing and writes nothing.
std::optional<LedgerUse> PeekLedger(const std::filesystem::path& file);

}  // namespace kith

#include "ledger/peek.h"

#include <fmt/format.h>

#include "ledger/chain.h"
#include "ledger/sqlite.h"

namespace kith {

std::optional<LedgerUse> PeekLedger(const std::filesystem::path& file) {
  using ledger::Kind;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return std::nullopt;
  constexpr std::chrono::milliseconds kPatience{200};
  const auto connection = ledger::Connection::Open(file, kPatience, ledger::Use::kLook);
  if (!connection) return std::nullopt;
  const auto any = [&](const std::string& condition) -> std::optional<bool> {
    const auto count = (*connection)->Ask(fmt::format("SELECT count(*) FROM entries WHERE {}", condition).c_str());
    if (!count || count->empty()) return std::nullopt;
    return *count != "0";
  };
  // What is carried over to a ledger has postings as a charge has.
  const auto used = any("position IN (SELECT position FROM postings WHERE amount > 0)");
  const auto sealed = any(fmt::format("kind = {}", static_cast<std::int64_t>(Kind::kSeal)));
  if (!used || !sealed) return std::nullopt;
  return LedgerUse{*used, *sealed};
}

}  // namespace kith

// The one-sided part of a charge, written in front of its question: the chain covers it, and the tables stay as they
// are. Byte layout: docs/guide/ledger_format.md
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/ledger.h"

namespace kith::ledger {

/// What a question is preceded by.
struct OneSidedPart {
  std::int64_t units = 0;
  std::string_view account, rule;
  std::string_view question;  // the rest
};

/// "one-sided <units> <bytes>:<account> <bytes>:<rule>; <question>".
std::string WithOneSided(const OneSidedCharge& charge, std::string_view question);
/// True if a text claims to have such a part: then it must have one.
bool ClaimsOneSided(std::string_view text);
/// Nothing if the text has no such part, or not a lawful one.
std::optional<OneSidedPart> ReadOneSided(std::string_view text);

/// Accounts after some charges.
class OneSidedTotals {
 public:
  /// False if the part exceeds every limit; then nothing changes.
  bool Add(const OneSidedPart& part);
  std::int64_t Of(std::string_view account) const;
  const std::vector<OneSidedAccount>& accounts() const { return accounts_; }

 private:
  std::vector<OneSidedAccount> accounts_;
};

}  // namespace kith::ledger

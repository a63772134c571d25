// The answer to a charge of the history.
#pragma once
#include <cstdint>
#include <optional>

#include "ledger/ledger.h"

namespace kith {

/// By the number of the charge; nothing: none was stored. As Ledger::FindAnswer otherwise.
/// Ensures [LEDGER-3]: a changed answer is refused.
Result<std::optional<StoredAnswer>> AnswerTo(const Ledger& book, std::int64_t number);

}  // namespace kith

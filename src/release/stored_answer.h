// The answers of a history, with the certificates that they had.
#pragma once
#include <cstdint>
#include <optional>

#include "release/release.h"

namespace kith {

/// The answer to charge `number` of the curator's ledger, as it was given then; its guarantee is that of its time.
/// For a plan it has the certificate, and for what was computed on several private answers, these answers: the rest is
/// computed when it is asked again. Nothing else that the ledger keeps is given out.
/// Nothing: no such charge, none was kept, or it is not a table (true rows, steps of a stream). Reads only the ledger.
/// Ensures [LEDGER-3]: a changed answer is refused. Fails: kStorage.
Result<std::optional<Answer>> StoredAnswerTo(const Curator& curator, std::int64_t number);

}  // namespace kith

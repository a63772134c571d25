// What was bought about rows that do not count, said with every answer that they are missing from, and before it.
#pragma once
#include "release/pipeline.h"

namespace kith {

/// Adds what the ledger has about rows beyond max_rows of the tables that the release reads, if anything: noisy numbers
/// that were paid for, about the same version of the data. Reads no data. Fails: kStorage.
Result<void> TellOfCutRows(const CuratorState& curator, const Ledger& book, const DataState& data,
                           const Release& release, std::vector<Note>& notes);

}  // namespace kith

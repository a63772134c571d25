// What is said about a failure of a Trino server: its word for the error before data are read, and one fixed text
// afterwards, whatever happened, because it may follow from data: divisions, overflows, memory, time.
#pragma once
#include <string>

#include "base/result.h"
#include "engine/trino/client.h"

namespace kith::trino {

/// Before data are read. `server`: the policy's words for it.
Error BeforeData(const Failure& failure, const std::string& server);

/// Afterwards, always the same.
Error AfterData();

/// Is the failure about the words of the statement, whatever the data are?
bool IsAboutWords(const Failure& failure);

}  // namespace kith::trino

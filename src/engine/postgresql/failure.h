// What is said about a failure of the server: five characters (SQLSTATE) before data are read, and one fixed text
// afterwards, whatever happened, because it may follow from data: divisions, overflows, memory, time.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace kith {

/// The class and subclass that the last line of libpq's message ends with, if it was told to say nothing else; empty:
/// the server said nothing.
std::string SqlStateOf(std::string_view message);

/// Before data are read. An empty SQLSTATE: the server cannot be reached.
Error BeforeData(const std::string& sqlstate, const std::string& server);

/// Afterwards, always the same.
Error AfterData();

}  // namespace kith

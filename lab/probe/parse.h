// From what a program printed to an outcome, and from one line to the words of a command.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "probe/probe.h"

namespace kith::probe {

/// The words of a command line: separated by spaces; quotes of both kinds and backslashes as in a shell, nothing else.
/// Fails: kInvalidArgument if it is empty or a quote is left open.
Result<std::vector<std::string>> Words(const std::string& command);

/// Every `name` in braces replaced: Filled("a {run}", "run", "7") is "a 7".
std::string Filled(std::string text, std::string_view name, std::string_view value);

/// All numbers in the text, in order. A number is on its own or between punctuation: the 2 of "x2" is not one.
std::vector<double> NumbersIn(std::string_view text);

/// The outcome of a run that printed this. With places (JSON pointers such as /answer/rows/0/0) the text must be JSON,
/// and the outcome is what is there; text that is not JSON, or lacks a place, is an outcome without numbers.
Outcome Parsed(const std::string& text, const std::vector<std::string>& places);

/// Fails: kInvalidArgument if one of them is not a JSON pointer.
Result<void> CheckPlaces(const std::vector<std::string>& places);

}  // namespace kith::probe

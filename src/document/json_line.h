// Documents as JSON text.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "document/to_json.h"

namespace kith::document {

/// What ToJson makes of it, on one line. Instantiated in json_line.cc for every document that a program shows.
template <class Document>
std::string JsonLine(const Document& document);

/// `stay`: as in ToJson.
std::string JsonLine(const BudgetReport& report, const std::string& stay);
/// A report with what went wrong after it.
std::string JsonLine(const ImportReport& report, const Error& error);

/// What StepToJson makes of it, on one line.
std::string StepJsonLine(const Answer& step);
/// The inverse, as far as the number of the step: nothing if this is not such a line.
std::optional<std::int64_t> StepOfJsonLine(const std::string& line);

}  // namespace kith::document

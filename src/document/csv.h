// Answers and steps as CSV (RFC 4180, lines end in \n); noisy columns are followed by one with their error bars,
// quantiles by both ends of their interval and whether it says anything.
#pragma once
#include <string>
#include <vector>

#include "release/release.h"
#include "release/stream/stream.h"

namespace kith::document {

/// A field, quoted where it must be.
std::string CsvField(const std::string& text);

/// A header and a line for each row, after what must be said first as comments (#).
std::string ToCsv(const Answer& answer);

/// Columns that have an error bar in some row: keys and public facts have none.
std::vector<bool> ColumnsWithError(const Answer& answer);
/// Columns that have an interval instead: quantiles.
std::vector<bool> ColumnsWithInterval(const Answer& answer);

std::string StepCsvHeader(const std::vector<std::string>& columns);
/// A line for each row of an answer that is a step.
std::string StepCsv(const Answer& step);

}  // namespace kith::document

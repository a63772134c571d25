// Answers as people and programs read them.
#pragma once
#include <string>

#include "release/release.h"

namespace kith::cli {

/// `format`: table, json or csv.
void PrintAnswer(const Answer& answer, const std::string& format);

/// A field, quoted where it must be.
std::string CsvText(const std::string& text);

/// A header and a line for each row; noisy columns are followed by one with their error bars.
std::string AnswerToCsv(const Answer& answer);

}  // namespace kith::cli

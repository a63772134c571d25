// Answers as people and programs read them.
#pragma once
#include <string>

#include "release/release.h"

namespace kith::cli {

/// A table with error bars, and what holds for it.
std::string AnswerText(const Answer& answer, std::size_t width);

/// What moves lose, next to a line with the neighbours, which says what both end with (bounds and what they do not
/// cover).
std::string MovesBeside(const std::string& neighbours, const std::string& moves);

/// `format`: table, json or csv.
std::string AnswerAs(const Answer& answer, const std::string& format, std::size_t width);

/// Shows it. CSV has room only for numbers: its notes go to standard error.
void ShowAnswer(const Answer& answer, const std::string& format, std::size_t width);

}  // namespace kith::cli

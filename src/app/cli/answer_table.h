// The rows of an answer.
#pragma once
#include <string>

#include "release/release.h"

namespace kith::cli {

/// Only its rows, with error bars.
std::string AnswerTable(const Answer& answer, std::size_t width);

}  // namespace kith::cli

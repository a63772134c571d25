// The cells of an answer as JSON.
#pragma once
#include <vector>

#include "base/json.h"
#include "release/release.h"

namespace kith {

/// Members "rows" and "error_95"; and where cells have them, "interval_95" and "only_noise".
void PutCells(const std::vector<std::vector<AnswerCell>>& rows, Json& into);
/// What PutCells put there; throws JsonError.
std::vector<std::vector<AnswerCell>> CellsFrom(const Json& in);

}  // namespace kith

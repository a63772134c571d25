// The cells of an answer as JSON.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "release/release.h"

namespace kith {

/// Members "rows" and "error_95"; and where cells have them, "interval_95" and "only_noise".
void PutCells(const std::vector<std::vector<AnswerCell>>& rows, nlohmann::json& into);
/// What PutCells put there; throws nlohmann's exceptions.
std::vector<std::vector<AnswerCell>> CellsFrom(const nlohmann::json& in);

}  // namespace kith

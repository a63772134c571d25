#include "engine/data_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace kith {

std::string LineNumbers(std::int64_t count, const std::vector<std::int64_t>& first) {
  const auto others = count - static_cast<std::int64_t>(first.size());
  std::string text = count == 1 ? "line " : "lines ";
  for (std::size_t k = 0; k < first.size(); ++k) {
    const bool last = k + 1 == first.size() && others == 0;
    text += fmt::format("{}{}", k == 0 ? "" : last ? " and " : ", ", first[k]);
  }
  if (others > 0) text += fmt::format(" and {} {}", others, others == 1 ? "other" : "others");
  return text;
}

std::optional<std::int64_t> UnitsReport::Proposed() const {
  if (largest <= 1) return std::nullopt;
  const auto worse = [](const RowLimit& a, const RowLimit& b) {
    return static_cast<double>(a.rows_beyond) + a.error_95 < static_cast<double>(b.rows_beyond) + b.error_95;
  };
  const auto best = std::min_element(limits.begin(), limits.end(), worse);
  return best == limits.end() ? std::nullopt : std::optional(best->max_rows);
}

}  // namespace kith

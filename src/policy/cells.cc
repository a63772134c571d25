// Cells: which public strata plain loss is counted in, and which class of the dependence model each belongs to.
#include <algorithm>

#include "base/check.h"
#include "policy/policy.h"

namespace kith {
namespace {

bool IsCellColumn(const Column& column) { return column.is_public && !column.values.empty(); }

std::size_t CountOf(const Column& column) { return column.values.size() + (column.required ? 0 : 1); }

}  // namespace

std::string Cells::ValueName(const Value& value) {
  const std::string text = ToText(value);
  if (!std::holds_alternative<std::string>(value)) return text;
  const bool plain = !text.empty() && text != "NULL" && text.find_first_of(",='") == std::string::npos;
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

Cells Cells::Of(const Table& unit_table, const std::string& strength_column) {
  const Column* strength = unit_table.Find(strength_column);
  KITH_CHECK(strength_column.empty() || (strength != nullptr && IsCellColumn(*strength)));
  std::size_t reserved = strength == nullptr ? 1 : CountOf(*strength);
  KITH_CHECK(reserved <= kMax);
  bool full = false;
  Cells cells;
  for (const auto& column : unit_table.columns) {
    if (!IsCellColumn(column)) continue;
    if (&column == strength) {
      reserved = 1;
    } else {
      full = full || cells.size_ * reserved * CountOf(column) > kMax;
      if (full) continue;
    }
    cells.size_ *= CountOf(column);
    std::vector<Value> values = column.values;
    if (!column.required) values.emplace_back();  // NULL
    cells.columns_.push_back({column.name, std::move(values)});
  }
  return cells;
}

Cells Cells::OfAnybody() const {
  Cells cells = *this;
  for (CellColumn& column : cells.columns_) column.name = '\x1f' + column.name;  // no declared name has such a sign
  return cells;
}

const Value& Cells::At(std::size_t cell, std::size_t k) const {
  KITH_CHECK(cell < size_ && k < columns_.size());
  for (std::size_t i = columns_.size() - 1; i > k; --i) cell /= columns_[i].values.size();
  return columns_[k].values[cell % columns_[k].values.size()];
}

std::string Cells::Name(std::size_t cell) const {
  if (columns_.empty()) return "everyone";
  std::string name;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    name += (k == 0 ? "" : ", ") + columns_[k].name + "=" + ValueName(At(cell, k));
  }
  return name;
}

std::size_t Policy::ClassOf(std::size_t cell) const {
  KITH_CHECK(cell < cells.size());
  if (!dependence.strength_column) return 0;
  for (std::size_t k = 0; k < cells.columns().size(); ++k) {
    if (cells.columns()[k].name == *dependence.strength_column) return ClassOfValue(cells.At(cell, k));
  }
  KITH_CHECK(false);  // Cells::Of always takes the strength column
}

std::size_t Policy::ClassOfValue(const Value& value) const {
  const auto& group = std::get<Group>(dependence.model);
  const std::size_t classes = group.classes.size();
  KITH_CHECK(dependence.strength_column && classes == dependence.class_values.size() && classes > 0);
  const auto found = std::find(dependence.class_values.begin(), dependence.class_values.end(), value);
  if (found != dependence.class_values.end()) return static_cast<std::size_t>(found - dependence.class_values.begin());
  // NULL: it is not known how strongly the unit depends on its group, so the strongest class is assumed.
  for (std::size_t strongest = 0; strongest < classes; ++strongest) {
    bool covers = true;
    for (std::size_t other = 0; other < classes; ++other) covers = covers && AtLeastAsStrong(group, strongest, other);
    if (covers) return strongest;
  }
  KITH_CHECK(false);  // then units without a value have their own class
}

}  // namespace kith

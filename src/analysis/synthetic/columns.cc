#include "analysis/synthetic/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/derived/derived.h"
#include "analysis/number_column.h"
#include "sql/quote.h"

namespace kith::synthetic {

Result<TableColumn> TableColumn::Of(const std::string& name, std::size_t parts, const Policy& policy) {
  const Column* declared = policy.unit_table().Find(name);
  if (declared == nullptr) {
    return InvalidArgument(fmt::format("there is no column {} in {}", name, policy.unit.table), {},
                           "name columns that the policy declares")
        .For("synthetic.columns");
  }
  TableColumn column;
  column.name_ = name;
  column.declared_ = *declared;
  column.key_ = QuotedName(name);
  if (!declared->values.empty()) return column;
  const bool number = declared->type == ColumnType::kInteger || declared->type == ColumnType::kReal;
  if (!number || !declared->lower || !declared->upper) {
    return InvalidArgument(fmt::format("{} has no finite domain", name), {},
                           "declare its values in the policy, or bounds if it is a number")
        .For("synthetic.columns");
  }
  column.parted_ = true;
  column.whole_ = declared->type == ColumnType::kInteger;
  column.low_ = *declared->lower;
  column.high_ = *declared->upper;
  const double range = column.high_ - column.low_, in = static_cast<double>(parts);
  column.width_ = column.whole_ ? std::ceil((range + 1) / in) : range / in;
  if (!(column.width_ > 0))
    return InvalidArgument(fmt::format("{} can take one value only", name), {}, "leave it out")
        .For("synthetic.columns");
  column.key_ =
      fmt::format("floor(({} - {}) / {})", QuotedName(name), SqlNumber(column.low_), SqlNumber(column.width_));
  return column;
}

std::string TableColumn::Is(const Value& key) const {
  if (std::holds_alternative<Null>(key)) return fmt::format("{} IS NULL", QuotedName(name_));
  if (parted_) return fmt::format("{} = {}", key_, SqlNumber(NumberIn(key).value_or(0)));
  return fmt::format("{} = {}", key_, DeclaredValue(declared_, key));
}

Value TableColumn::Show(const Value& key, BitSource& bits) const {
  const auto part = NumberIn(key);
  if (!parted_ || !part) return key;
  const double low = std::clamp(low_ + *part * width_, low_, high_);
  if (whole_) {
    const double last = std::min(high_, low + width_ - 1);
    const auto more = Below(static_cast<std::uint64_t>(std::max(0.0, last - low)) + 1, bits);
    return static_cast<std::int64_t>(low) + static_cast<std::int64_t>(more);
  }
  // A thousand steps in a part are finer than anything that was measured.
  return std::min(high_, low + width_ * static_cast<double>(Below(1000, bits)) / 1000);
}

}  // namespace kith::synthetic

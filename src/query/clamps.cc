#include "query/clamps.h"

#include <fmt/format.h>

#include <utility>

#include "query/range/range.h"
#include "sql/quote.h"

namespace kith {

std::string ClampName(const Table& table, const Column& column) {
  const IntegerBounds bounds = BoundsOf(column);
  return fmt::format("{}.{} from {} to {}{}", IdentifierText(table.name), IdentifierText(column.name), bounds.low,
                     bounds.high, NeverNull(column) ? ", never missing" : "");
}

std::vector<Clamp> ClampsOf(const Policy& policy) {
  const Table& table = policy.unit_table();
  std::vector<Clamp> clamps;
  for (const Column& column : table.columns) {
    const Type type = TypeOf(column.type);
    const bool whole = type == Type::kInteger || type == Type::kDate || type == Type::kTimestamp;
    if (!whole || !column.values.empty() || !OwnerOf(column).empty()) continue;
    if (type == Type::kInteger && !column.lower && !column.upper) continue;  // read as it is anyway
    const IntegerBounds bounds = BoundsOf(column);
    const sql::Term raw = sql::Column("t", column.name);
    sql::Term holds = sql::Between(raw, sql::Literal(bounds.low, type), sql::Literal(bounds.high, type));
    if (!NeverNull(column)) holds = sql::Infix(" OR ", {std::move(holds), sql::Suffix(raw, " IS NULL")});
    clamps.push_back({ClampName(table, column), sql::IsNotTrue(sql::Paren(std::move(holds)))});
  }
  return clamps;
}

}  // namespace kith

#include "query/reads.h"

#include "base/value.h"

namespace kith {

Reads::Reads(const Table& table) {
  constexpr std::size_t kAround = 8;
  for (const Column& column : table.columns) {
    std::size_t sum = 0;
    for (const Value& value : column.values) sum += ToText(value).size() + kAround;
    bytes_.push_back(sum);
  }
}

std::optional<Error> Reads::Add(const Expr& expr) {
  ForEachColumn(expr, [&](std::size_t column) { total_ += bytes_[column]; });
  return Check();
}

std::optional<Error> Reads::Add(const std::vector<Value>& values) {
  constexpr std::size_t kAround = 24;
  for (const Value& value : values) total_ += ToText(value).size() + kAround;
  return Check();
}

std::optional<Error> Reads::Check() const {
  if (total_ <= kMostBytes) return std::nullopt;
  return Unsupported("the question reads columns with very many declared values too often", {},
                     "ask several shorter questions");
}

}  // namespace kith

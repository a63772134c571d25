// An engine that hands over the same rows whatever is asked.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/session.h"

namespace kith::testing {

class HandedRows final : public Session {
 public:
  /// Whole steps; as a table, each is one row.
  explicit HandedRows(std::vector<std::vector<std::int64_t>> rows) : rows_(std::move(rows)) {}
  /// Fails with this instead.
  explicit HandedRows(Error error) : error_(std::move(error)) {}

  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  std::optional<std::string> version() const override { return std::nullopt; }
  bool Current() const override { return true; }
  Result<IntegerTable> RunText(const std::string&, const CancelFlag&) const override {
    if (error_) return *error_;
    IntegerTable table;
    for (const auto& row : rows_) table.rows.emplace_back(row.begin(), row.end());
    table.columns = rows_.empty() ? 0 : rows_.front().size();
    return table;
  }
  Result<void> ScanText(const std::string&, const IntegerSink& sink, const CancelFlag&) const override {
    if (error_) return *error_;
    for (const auto& row : rows_) {  // one at a time: a chunk may have any length
      std::vector<std::span<const std::int64_t>> columns;
      for (const auto& value : row) columns.emplace_back(&value, 1);
      if (auto taken = sink(columns); !taken) return taken;
    }
    return {};
  }

 private:
  std::vector<std::vector<std::int64_t>> rows_;
  std::optional<Error> error_;
};

}  // namespace kith::testing

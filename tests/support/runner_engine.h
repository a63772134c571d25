// A test's engine as kith's.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/session.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing {

/// Statements go to the runner, whatever was loaded there last.
class RunnerEngine final : public Session {
 public:
  explicit RunnerEngine(SqlRunner& runner) : runner_(runner) {}
  const sql::Dialect& dialect() const override { return runner_.dialect(); }
  std::optional<std::string> version() const override { return std::nullopt; }
  bool Current() const override { return true; }
  Result<IntegerTable> RunText(const std::string& sql, const CancelFlag&) const override {
    IntegerTable table;
    table.rows = runner_.Run(sql);
    if (!table.rows.empty()) table.columns = table.rows[0].size();
    return table;
  }
  Result<void> ScanText(const std::string& sql, const IntegerSink& sink, const CancelFlag&) const override {
    for (const auto& row : runner_.Run(sql)) {
      std::vector<std::int64_t> values;
      for (const auto& value : row) values.push_back(static_cast<std::int64_t>(value.value()));
      std::vector<std::span<const std::int64_t>> columns;
      for (const auto& value : values) columns.emplace_back(&value, 1);
      if (auto taken = sink(columns); !taken) return taken.error();
    }
    return {};
  }

 private:
  SqlRunner& runner_;
};

}  // namespace kith::testing

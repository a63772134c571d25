// Rows handed to a statistic as an engine would, and functions that misbehave.
#pragma once
#include <cmath>
#include <limits>
#include <stdexcept>

#include "analysis/own/own.h"
#include "tests/support/policies.h"

namespace kith::testing {

/// Hands over rows of whole steps, whatever is asked for.
class HandedRows final : public Session {
 public:
  explicit HandedRows(std::vector<std::vector<std::int64_t>> rows) : rows_(std::move(rows)) {}
  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  std::optional<std::string> version() const override { return std::nullopt; }
  bool Current() const override { return true; }
  Result<IntegerTable> RunText(const std::string&, const CancelFlag&) const override {
    return InternalError("a statistic streams its rows");
  }
  Result<void> ScanText(const std::string&, const IntegerSink& sink, const CancelFlag&) const override {
    for (const auto& row : rows_) {  // one at a time: a chunk may have any length
      std::vector<std::span<const std::int64_t>> columns;
      for (const auto& value : row) columns.emplace_back(&value, 1);
      if (auto taken = sink(columns); !taken) return taken;
    }
    return {};
  }

 private:
  std::vector<std::vector<std::int64_t>> rows_;
};

/// x in [-2, 6], y in 0..9, and a public weight of 0, 1/4, ... 1; two rows for each unit.
inline Policy OwnPolicy(const std::string& presence = "public", int max_rows = 2) {
  return MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = " + std::to_string(max_rows) +
      "\npresence = \"" + presence +
      "\"\n[columns.t]\nx = { type = \"real\", lower = -2, upper = 6, required = true }\n"
      "y = { lower = 0, upper = 9, required = true }\nquarters = { type = \"integer\", lower = 0, upper = 4, public = "
      "true, required = true }\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\n"
      "ledger = \"l\"\n");
}

/// A sum in [-1, 2] by quarters, and counts of which at most two rise.
inline OwnOptions TwoParts() {
  OwnOptions options;
  options.name = "test 1";
  options.values = {"x", "y"};
  options.parts = {{.name = "sum", .low = -1, .high = 2, .step = 0.25, .most = {}},
                   {.name = "counts", .size = 5, .low = 0, .high = 1, .step = 1, .most = 2, .weight = 3}};
  return options;
}

}  // namespace kith::testing

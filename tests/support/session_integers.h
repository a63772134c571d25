// What sessions on different engines give for one statement, in a fixed order, so that it can be compared.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/session.h"

namespace kith::testing {

using Integers = std::vector<std::vector<std::optional<Int128>>>;

/// No rows, and a failure of the test, for an error.
inline Integers Sorted(const Result<IntegerTable>& table) {
  EXPECT_TRUE(table) << table.error().Text();
  Integers rows = table ? table->rows : Integers();
  std::sort(rows.begin(), rows.end());
  return rows;
}

inline Integers RunOn(const Session& session, const sql::Statement& statement) {
  return Sorted(session.Run(statement, {}));
}

inline Integers ScanOn(const Session& session, const sql::Statement& statement) {
  IntegerTable table;
  const auto sink = [&](IntegerColumns columns) -> Result<void> {
    for (std::size_t row = 0; row < columns[0].size(); ++row) {
      table.rows.emplace_back();
      for (const auto& column : columns) table.rows.back().emplace_back(column[row]);
    }
    return {};
  };
  const auto scanned = session.Scan(statement, sink, {});
  if (!scanned) return Sorted(scanned.error());
  return Sorted(table);
}

}  // namespace kith::testing

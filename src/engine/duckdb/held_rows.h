// The rows of a small table in memory, where programs (engine/memory/program.h) read them: over a few thousand rows, a
// program has made its sums before DuckDB has set up a plan that it already knows.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/duckdb/duckdb_session.h"
#include "engine/memory/block.h"
#include "engine/memory/program.h"
#include "engine/session.h"

namespace kith {

/// Immutable. Thread-safe.
class HeldRows {
 public:
  static constexpr std::size_t kMostValues = 1 << 20;  // rows by columns: 8 MB

  /// Numbers and strings.
  static bool IsHeld(ColumnType type);
  /// Reads columns of a table of the policy, all in one statement: rows stay rows. `wanted`: these, at places from 0
  /// on. Fails: as DuckDbConnection::Integers; kInternal if there is more than kMostValues, or a column of another
  /// type.
  static Result<std::unique_ptr<const HeldRows>> Read(const DuckDbConnection& connection, FramedTable wanted,
                                                      const CancelFlag& cancel);

  ~HeldRows();
  HeldRows(const HeldRows&) = delete;
  HeldRows& operator=(const HeldRows&) = delete;

  /// As programs see it.
  const FramedTable& table() const { return table_; }
  /// What the statement that the program was made from gives.
  /// Ensures [ENGINE-18]: the same integers as DuckDB's.
  IntegerTable Run(const memory::Program& program) const;

 private:
  HeldRows();

  struct Held;
  FramedTable table_;
  std::vector<Held> held_;                    // by place
  std::vector<memory::StoredColumn> stored_;  // of these
  std::int64_t rows_ = 0;
};

}  // namespace kith

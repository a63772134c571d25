// A separate DuckDB for what is computed on noisy answers: in memory, fenced in, with no access to a policy's tables.
// What is put into it is all that it can read.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/value.h"

namespace kith {

enum class ScratchType { kWhole, kReal, kTruth, kText };

class Scratch {
 public:
  static constexpr std::size_t kMostRows = 100000;

  /// Fails: kInternal.
  /// Ensures [AFTER-1]: nothing but what Create was given can be read by Rows: no file, no extension, no setting, no
  /// other database.
  static Result<Scratch> Open() { return OpenFor({}); }
  /// The same, for noisy tables that are written to a file: Execute may write only this file.
  static Result<Scratch> OpenForFile(const std::string& file) { return OpenFor({file}); }

  Scratch(Scratch&&) noexcept;
  Scratch& operator=(Scratch&&) noexcept;
  ~Scratch();

  /// A table; names of columns are c0, c1, ... Requires: values of the types, or NULL.
  Result<void> Create(const std::string& name, const std::vector<ScratchType>& types,
                      const std::vector<std::vector<Value>>& rows);
  /// kith's own statements.
  Result<void> Execute(const std::string& sql) const;

  using Table = std::vector<std::vector<Value>>;
  /// One SELECT. Dates and times come as text. Fails: kUnsupportedQuery if it does not fit the tables, with DuckDB's
  /// words (call it first while the tables are empty: then they are only about the question), or if it fails while it
  /// runs; kCancelled.
  Result<Table> Rows(const std::string& select, const CancelFlag& cancel) const;

  struct Column {
    std::string name;
    ScratchType type = ScratchType::kText;
  };
  struct Named {
    std::vector<Column> columns;
    Table rows;
  };
  /// The same, with the columns that it has. What is neither a number nor a truth value is text.
  Result<Named> Select(const std::string& select, const CancelFlag& cancel) const;
  /// How much work one run of a SELECT is, which this does once: rows that its steps read and make, and pairs of rows
  /// that joins compare. However fast or busy the machine is, the same tables give the same number. Fails: as Rows.
  Result<double> WorkOf(const std::string& select, const CancelFlag& cancel) const;

 private:
  struct State;
  enum class Kind { kSelect, kExplain };
  Result<Named> Run(const std::string& select, Kind kind, const CancelFlag& cancel) const;
  static Result<Scratch> OpenFor(const std::vector<std::string>& files);
  explicit Scratch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith

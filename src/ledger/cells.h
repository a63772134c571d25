// Sets of cells by column and value: what a posting says it charges means the same whatever the policy's order of cells
// is. Grammar: docs/guide/ledger_format.md, "Sets of cells"
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/ledger.h"

namespace kith::ledger {

using CellSet = std::vector<std::size_t>;  // ascending, without repeats

/// A set of cells as a posting names it.
struct NamedSet {
  std::string text;    // by column and value; every set has one text
  std::string digest;  // SHA-256 of the text: what a posting holds and the chain covers
  CellSet cells;       // the same in the order of the ledger's cells
  bool known = true;   // false: it names cells that this ledger does not have
};
using NamedSetPtr = std::shared_ptr<const NamedSet>;

/// The cells of one ledger, and the sets of them that were seen. Few different sets are charged again and again:
/// reading each once keeps the opening of a long ledger fast.
class CellBook {
 public:
  /// Requires: ProperColumns.
  explicit CellBook(std::vector<LedgerColumn> columns);
  std::size_t size() const { return size_; }

  /// Requires: cells below size(), ascending.
  NamedSetPtr Of(const CellSet& cells);
  /// The set with this digest, if it is one of those seen last; otherwise nullptr.
  NamedSetPtr Seen(std::string_view digest) const;
  /// Nullptr if the digest is not that of the text.
  NamedSetPtr Read(std::string_view digest, std::string_view text);

 private:
  std::string Write(std::size_t column, CellSet::const_iterator begin, CellSet::const_iterator end) const;
  std::optional<CellSet> Parse(std::size_t column, std::string_view& text) const;
  void Remember(const NamedSetPtr& set);

  struct Column {
    std::string name;
    std::vector<std::string> values;
    std::map<std::string, std::size_t, std::less<>> numbers;  // of the values
    std::size_t stride = 1;                                   // how many cells one value of the columns so far has
  };
  std::vector<Column> columns_;
  std::size_t size_ = 1;
  std::map<std::string, NamedSetPtr, std::less<>> by_digest_;
  std::map<CellSet, NamedSetPtr> by_cells_;
};

/// True if the columns have values, no value occurs twice in a column, and there are `cells` combinations.
bool ProperColumns(const std::vector<LedgerColumn>& columns, std::size_t cells);
/// The set of all cells, which names every column and value in order.
std::string ColumnsText(const std::vector<LedgerColumn>& columns);
/// Nothing if the text is not such a set.
std::optional<std::vector<LedgerColumn>> ReadColumns(std::string_view text);

}  // namespace kith::ledger

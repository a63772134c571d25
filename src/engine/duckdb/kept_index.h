// Which rows of the unit's table are kept where units have more of them than count: found once for each state of the
// data, remembered next to the marks of finished checks, and looked up by each question with one bit for each row.
#pragma once
#include <compare>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/folder.h"

namespace kith {

/// Rows are named as in OpenedTable::numbered_sql. All are kept but those that are dropped.
class KeptIndex {
 public:
  void Drop(std::int64_t row);
  bool Kept(std::int64_t row) const;
  /// kept[i] = Kept(rows[i])
  void Look(const std::int64_t* rows, std::size_t count, bool* kept) const;

  /// All of it as bytes, with a digest; bytes that are not exactly what ToBytes made for `subject` give nothing.
  std::string ToBytes(const std::string& subject) const;
  static std::optional<KeptIndex> FromBytes(const std::string& bytes, const std::string& subject);

  bool operator==(const KeptIndex&) const = default;

 private:
  std::vector<std::vector<std::uint64_t>> dropped_;  // of each file; what is beyond the end is kept
};

/// A row of a unit whose key is a whole number.
struct RowOfUnit {
  std::int64_t unit = 0, hash = 0, row = 0;
  auto operator<=>(const RowOfUnit&) const = default;
};

/// Drops all but the first `most` rows of each unit, in the order of their hashes. Returns the units in which the last
/// that is kept and the first that is not have hashes that agree except for their last `bits` bits.
std::vector<std::int64_t> DropBeyondFirst(std::vector<RowOfUnit>* rows, std::int64_t most, int bits, KeptIndex* index);

/// The index that was saved for this subject (all that it follows from, with the state of the data), if it is whole.
std::shared_ptr<const KeptIndex> LoadKept(const KithFolder& folder, const std::string& subject);

/// Saves it, readable by its owner only, and removes those of earlier subjects with the same `owner`. Written under
/// another name, synced, then renamed: a crash leaves no half index. False: it could not be saved.
bool SaveKept(const KithFolder& folder, const std::string& owner, const std::string& subject, const KeptIndex& index);

/// Makes the view `name` of those rows of `numbered_sql` that are kept. The index must outlive every query on it.
Result<void> ShowKept(const DuckDbConnection& connection, const std::string& name, const std::string& columns,
                      const std::string& numbered_sql, const KeptIndex& index, const CancelFlag& cancel);

}  // namespace kith

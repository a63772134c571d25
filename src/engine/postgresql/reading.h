// How a column of a PostgreSQL table is read as its declared type.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/postgresql/binary.h"
#include "policy/policy.h"

namespace kith {

/// A column as the catalog describes it; of a domain, what the domain is made of.
struct PgColumn {
  std::string name;
  PgType type = PgType::kText;
  std::string type_name;         // for messages: "citext", "money"
  bool is_enum = false;          // then `type` means nothing
  bool built_in = true;          // the type is one of pg_catalog
  bool by_bytes = true;          // its collation, if any, is deterministic: different bytes are never equal
  bool usual_collation = false;  // its collation is the database's
  bool computed = false;         // at every reading: a virtual generated column
  bool unique = false;  // by an index that holds for the whole table
};

struct PgReading {
  std::string sql;          // over the table's own columns
  bool keeps_apart = true;  // values that are not equal are read as values that are not equal, or as NULL
  bool is_boolean = false, is_uuid = false;  // of what is read
  bool is_plain_text = false;                // its collation is the database's: statements say how text is ordered
};

/// SQL that reads the column as `type`: NULL where it cannot, never an error. Infinite dates and times, and those
/// before 4713 BC or after 289,000, are NULL; times with a zone move to UTC; text is compared by its bytes. Without
/// a type: as it is. A mark for what is missing applies to text and numbers. Fails: kInvalidArgument with what to do
/// instead, if the stored type cannot be read as the declared one. Ensures [ENGINE-5]: no value makes it fail.
Result<PgReading> ReadColumn(const PgColumn& column, std::optional<ColumnType> type, const ColumnReading& reading);

/// The type that declares it as it is stored. Requires: ReadColumn reads it without a type.
ColumnType NaturalType(const PgColumn& column);

}  // namespace kith

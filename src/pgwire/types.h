// Types as clients know them: values to bytes, and parameters to literals.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "engine/duckdb/scratch.h"

namespace kith::pgwire {

using Oid = std::uint32_t;
inline constexpr Oid kBool = 16, kInt8 = 20, kInt2 = 21, kInt4 = 23, kText = 25, kOidType = 26, kFloat4 = 700,
                     kFloat8 = 701, kUnknown = 705, kBpchar = 1042, kVarchar = 1043, kDate = 1082, kTimestamp = 1114,
                     kTimestamptz = 1184, kNumeric = 1700;

/// How a column of a scratch database is sent.
Oid TypeOf(ScratchType type);

struct Field {
  std::string name;
  Oid type = kText;
};
struct Rows {
  std::vector<Field> fields;
  std::vector<std::vector<Value>> rows;
};

/// 0: text, 1: binary; of all fields, or one for each, or none (all are text). Fails: kInvalidArgument.
using Formats = std::vector<std::int16_t>;
Result<void> CheckFormats(const Formats& formats, std::size_t fields);

std::string RowDescription(const std::vector<Field>& fields, const Formats& formats);
std::string DataRow(const std::vector<Field>& fields, const std::vector<Value>& row, const Formats& formats);

/// A parameter as SQL writes it: a number, a truth value, NULL, or a quoted string; nothing else can come out of it.
/// `bytes`: nothing is NULL. Fails: kInvalidArgument if it is not a value of the type; kUnsupportedQuery for types that
/// are not known here.
Result<std::string> LiteralOf(Oid type, std::int16_t format, const std::optional<std::string>& bytes);
/// Some value of the type, for a statement that is described before it has values.
std::string ExampleOf(Oid type);

}  // namespace kith::pgwire

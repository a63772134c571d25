#include "engine/trino/connection.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <span>
#include <utility>

#include "base/json.h"
#include "engine/trino/failure.h"

namespace kith::trino {

namespace {

constexpr char kNoIntegers[] = "the engine was asked for something that is not an integer";

std::optional<Int128> FromDigits(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  constexpr std::size_t kDigits = 38;  // 10^38 < 2^127
  if (text.empty() || text.size() > kDigits) return std::nullopt;
  Int128 value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

std::string TextOf(const Json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool AllHold(const std::vector<Column>& columns, bool narrow) {
  for (const Column& column : columns) {
    if (!HoldsIntegers(column.type, narrow)) return false;
  }
  return !columns.empty();
}

}  // namespace

bool HoldsIntegers(const std::string& type, bool narrow) {
  if (type == "bigint" || type == "integer" || type == "smallint" || type == "tinyint" || type == "boolean")
    return true;
  return !narrow && type.starts_with("decimal(") && (type.ends_with(", 0)") || type.ends_with(",0)"));
}

std::optional<Whole> WholeOf(const Json& value) {
  if (value.is_null()) return Whole{};
  if (value.is_boolean()) return Whole{Int128{value.get<bool>() ? 1 : 0}};
  if (value.is_number_integer()) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
      return std::nullopt;
    return Whole{Int128{value.get<std::int64_t>()}};
  }
  if (!value.is_string()) return std::nullopt;
  const auto whole = FromDigits(value.get_ref<const std::string&>());
  if (!whole) return std::nullopt;
  return Whole{whole};
}

Connection::Connection(Server server, std::string words, FailureLog log)
    : client_(std::move(server)), words_(std::move(words)), log_(std::move(log)) {}

Error Connection::Failed(const Failure& failure, const char* stage) {
  if (failure.kind == Failure::Kind::kCancelled) return Cancelled("stopped before the engine had finished");
  if (!reads_data_) return BeforeData(failure, words_);
  if (log_) log_(failure.name, stage);
  if (IsAboutWords(failure))
    return InternalError(fmt::format("the Trino server does not take the SQL ({})", failure.name));
  return AfterData();
}

Result<std::optional<Connection::Texts>> Connection::MetadataIfThere(const std::string& sql, const CancelFlag& cancel) {
  Texts texts;
  const auto failure = client_.Run(
      sql,
      [&](const auto&, const Json& rows) {
        for (const Json& row : rows) {
          auto& to = texts.emplace_back();
          for (const Json& value : row) to.push_back(TextOf(value));
        }
        return true;
      },
      cancel);
  const bool there = !failure || failure->kind != Failure::Kind::kStatement ||
                     (failure->name != "TABLE_NOT_FOUND" && failure->name != "SCHEMA_NOT_FOUND");
  if (!there) return std::optional<Texts>();
  if (failure) return Failed(*failure, "metadata");
  return std::optional(std::move(texts));
}

Result<Connection::Texts> Connection::Metadata(const std::string& sql, const CancelFlag& cancel) {
  auto texts = MetadataIfThere(sql, cancel);
  if (!texts) return texts.error();
  if (!*texts) return Failed({Failure::Kind::kStatement, "TABLE_NOT_FOUND"}, "metadata");
  return **std::move(texts);
}

Result<std::vector<Column>> Connection::Columns(const std::string& sql, const CancelFlag& cancel) {
  std::vector<Column> columns;
  const auto failure = client_.Run(
      sql,
      [&](const std::vector<Column>& all, const Json&) {
        columns = all;
        return true;
      },
      cancel);
  if (failure) return Failed(*failure, "metadata");
  return columns;
}

Result<IntegerTable> Connection::Integers(const std::string& sql, const CancelFlag& cancel) {
  if (cancel.cancelled()) return Cancelled("stopped before the engine had begun");
  IntegerTable table;
  std::optional<Error> wrong;
  const auto take = [&](const std::vector<Column>& columns, const Json& rows) {
    if (!AllHold(columns, false)) wrong = InternalError(kNoIntegers);
    table.columns = columns.size();
    for (const Json& row : rows) {
      auto& to = table.rows.emplace_back();
      for (const Json& value : row) {
        const auto whole = WholeOf(value);
        if (!whole && !wrong) wrong = Failed({Failure::Kind::kLost, "NOT_WHOLE"}, "decode");
        if (wrong) return false;
        to.push_back(whole->value);
      }
      if (to.size() != table.columns) wrong = Failed({Failure::Kind::kLost, "NO_TABLE"}, "decode");
    }
    return !wrong;
  };
  if (const auto failure = client_.Run(sql, take, cancel)) return Failed(*failure, "run");
  if (wrong) return *wrong;
  if (table.columns == 0) return InternalError("the engine takes SELECT only");
  return table;
}

Result<void> Connection::Scan(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) {
  if (cancel.cancelled()) return Cancelled("stopped before the engine had begun");
  std::vector<std::vector<std::int64_t>> values;
  std::optional<Error> wrong;
  const auto take = [&](const std::vector<Column>& columns, const Json& rows) {
    if (!AllHold(columns, true)) {
      wrong = InternalError("the engine was asked to stream something wider than 64 bits");
      return false;
    }
    values.assign(columns.size(), {});
    for (const Json& row : rows) {
      if (row.size() != columns.size()) wrong = Failed({Failure::Kind::kLost, "NO_TABLE"}, "decode");
      for (std::size_t k = 0; !wrong && k < columns.size(); ++k) {
        const auto whole = WholeOf(row[k]);
        if (!whole || !whole->value) {
          wrong = InternalError("the engine was asked to stream a column that has NULL");
          break;
        }
        values[k].push_back(static_cast<std::int64_t>(*whole->value));
      }
      if (wrong) return false;
    }
    if (values.front().empty()) return true;
    const std::vector<std::span<const std::int64_t>> spans(values.begin(), values.end());
    if (auto taken = sink(spans); !taken) wrong = taken.error();
    return !wrong;
  };
  if (const auto failure = client_.Run(sql, take, cancel)) return Failed(*failure, "scan");
  if (wrong) return *wrong;
  if (values.empty()) return InternalError("the engine takes SELECT only");
  return {};
}

Result<void> Connection::Scan(const std::string& sql, const KeySink& sink, const CancelFlag& cancel) {
  if (cancel.cancelled()) return Cancelled("stopped before the engine had begun");
  bool begun = false;
  std::optional<Error> wrong;
  const auto take = [&](const std::vector<Column>& columns, const Json& rows) {
    begun = true;
    bool fits = columns.size() > 1 && HoldsIntegers(columns.back().type, true);
    for (std::size_t k = 0; fits && k + 1 < columns.size(); ++k) fits = columns[k].type.starts_with("varchar");
    if (!fits) wrong = InternalError("the engine was asked for something else than texts and a number");
    if (wrong) return false;
    std::vector<std::vector<std::string_view>> texts(columns.size() - 1);
    std::vector<std::int64_t> counts;
    for (const Json& row : rows) {
      if (row.size() != columns.size()) wrong = Failed({Failure::Kind::kLost, "NO_TABLE"}, "decode");
      for (std::size_t k = 0; !wrong && k < texts.size(); ++k) {
        if (row[k].is_string())
          texts[k].push_back(row[k].get_ref<const std::string&>());
        else
          wrong = InternalError("the engine was asked to stream a column that has NULL");
      }
      const auto count = wrong ? std::nullopt : WholeOf(row.back());
      if (!wrong && (!count || !count->value)) wrong = Failed({Failure::Kind::kLost, "NOT_WHOLE"}, "decode");
      if (wrong) return false;
      counts.push_back(static_cast<std::int64_t>(*count->value));
    }
    const std::vector<std::span<const std::string_view>> keys(texts.begin(), texts.end());
    if (auto taken = counts.empty() ? Result<void>() : sink({keys, counts}); !taken) wrong = taken.error();
    return !wrong;
  };
  if (const auto failure = client_.Run(sql, take, cancel)) return Failed(*failure, "scan");
  if (wrong) return *wrong;
  if (!begun) return InternalError("the engine takes SELECT only");
  return {};
}

}  // namespace kith::trino

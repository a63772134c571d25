// What a ledger's identity rests on, in words: for messages alone. Nothing is decided by them.
#include "base/digest.h"
#include "policy/canonical.h"
#include "policy/type_names.h"

namespace kith {
namespace {

std::string ReadingWords(const ColumnReading& reading) {
  std::string text;
  if (reading.decimal != '.') text += fmt::format(", decimal {}", reading.decimal);
  if (!reading.dates.empty()) text += ", dates " + reading.dates;
  for (std::size_t k = 0; k < reading.missing.size(); ++k)
    text += (k == 0 ? ", missing '" : "', '") + reading.missing[k];
  return reading.missing.empty() ? text : text + "'";
}

std::string FormatWords(const Table& table) {
  std::string text;
  for (const auto& source : table.more_sources) {
    text += " and " + std::filesystem::path(source).lexically_normal().generic_string();
  }
  const FileFormat& format = table.format;
  if (format.separator)
    text += *format.separator == '\t' ? ", separator tab" : fmt::format(", separator '{}'", *format.separator);
  if (format.encoding != "utf-8") text += ", encoding " + format.encoding;
  return format.row_names ? text + ", row names" : text;
}

std::string ColumnWords(const Column& column) {
  std::string text = TypeName(column.type);
  if (column.lower) text += fmt::format(", lower {}, upper {}", *column.lower, *column.upper);
  if (!column.values.empty()) {
    constexpr std::size_t kShown = 60;
    std::string values;
    Canonical whole("values");
    for (const auto& value : column.values) {
      values += (values.empty() ? "'" : ", '") + ToText(value) + "'";
      whole.Add(ToText(value));
    }
    const bool plain = values.size() <= kShown && values.find('\n') == std::string::npos;
    text += plain ? ", values " + values
                  : fmt::format(", {} values ({})", column.values.size(), Sha256(whole.text()).substr(0, 8));
  }
  text += column.is_public ? column.per_row ? ", public per row" : ", public" : ", secret";
  if (column.of_household) text += ", constant in households";
  if (column.constant) text += ", constant";
  return column.required ? text + ", required" : text;
}

}  // namespace

std::string Policy::identity_words() const {
  std::string text = fmt::format("unit: table {}, {}, presence {}\n", unit.table,
                                 unit.key ? fmt::format("key {}{}, max_rows {}", *unit.key,
                                                        unit.other_key ? " and " + *unit.other_key : "", unit.max_rows)
                                          : "row = true",
                                 unit.presence == Presence::kPublic ? "public" : "secret");
  if (unit.within) text += fmt::format("nesting: within {}, size {}\n", *unit.within, unit.size);
  if (unit.distance) {
    Canonical whole("distance");
    AddDistance(whole, *unit.distance);
    text += fmt::format("distance: {} ({})\n", NeighboursText(*unit.distance), Sha256(whole.text()).substr(0, 8));
    text += fmt::format("charges: {}\n", ByDistance(*this) ? "losses by distance only" : "any");
  }
  for (const Table* table : ByName(tables)) {
    text += fmt::format("table {}: {}{}{}{}{}\n", table->name,
                        std::filesystem::path(table->source).lexically_normal().generic_string(), FormatWords(*table),
                        table->is_public ? ", public" : "", table->key ? ", key " + *table->key : "",
                        table->OfUnits() ? fmt::format(", max_rows {}", table->max_rows) : "");
    if (table->other) {
      text.pop_back();
      text += fmt::format(", other {}, max_other {}\n", *table->other, table->max_other);
    }
    for (const Column* column : ByName(table->columns)) {
      text += fmt::format("column {}.{}: {}{}\n", table->name, column->name, ColumnWords(*column),
                          IsIdentity(*this, *table, *column) ? ReadingWords(column->reading) : "");
    }
    for (const auto& name : {unit.key, unit.other_key, unit.within, dependence.by, dependence.strength_column}) {
      if (!name || table->name != unit.table || table->Find(*name) != nullptr) continue;
      if (const std::string reading = ReadingWords(table->Undeclared()); !reading.empty()) {
        text += fmt::format("column {}.{}: not declared{}\n", table->name, *name, reading);
      }
    }
  }
  std::string order;
  for (const auto& column : cells.columns()) order += (order.empty() ? "" : ", ") + column.name;
  text += "order of public columns: " + order + "\n";
  if (stream) {
    text += fmt::format("stream: time {}, start {}, step {}, window {}\n", stream->time, stream->start, stream->step,
                        stream->window);
  }
  return text;
}

}  // namespace kith

// Fingerprints: SHA-256 of a canonical text, in which every part is preceded by its length so that no two policies have
// the same text.
#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "policy/policy.h"
#include "policy/type_names.h"

namespace kith {
namespace {

class Canonical {
 public:
  explicit Canonical(std::string_view purpose) { Add(purpose); }
  Canonical& Add(std::string_view part) {
    text_ += fmt::format("{}:{};", part.size(), part);
    return *this;
  }
  Canonical& Add(std::int64_t number) { return Add(std::string_view(fmt::format("{}", number))); }
  Canonical& Add(double number) {
    return Add(std::string_view(fmt::format("{}", number)));
  }  // shortest text that reads back exactly
  Canonical& Add(bool flag) { return Add(std::string_view(flag ? "true" : "false")); }
  Canonical& Add(const char* part) { return Add(std::string_view(part)); }
  Canonical& Add(const std::string& part) { return Add(std::string_view(part)); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <class T>
std::vector<const T*> ByName(const std::vector<T>& items) {
  std::vector<const T*> sorted;
  for (const auto& item : items) sorted.push_back(&item);
  std::sort(sorted.begin(), sorted.end(), [](const T* a, const T* b) { return a->name < b->name; });
  return sorted;
}

void AddColumn(Canonical& out, const Column& column) {
  out.Add("column")
      .Add(column.name)
      .Add(static_cast<std::int64_t>(column.type))
      .Add(column.is_public)
      .Add(column.required);
  if (column.constant) out.Add("constant");  // otherwise a number is here
  if (column.per_row) out.Add("per row");
  if (column.of_household) out.Add("of household");
  out.Add(static_cast<std::int64_t>(column.values.size()));
  for (const auto& value : column.values) out.Add(ToText(value));
  out.Add(column.lower.has_value());
  if (column.lower) out.Add(*column.lower).Add(*column.upper);
  if (column.pattern) out.Add("pattern").Add(column.pattern->text());
}

// How text becomes values; nothing where it is as usual, so that ledgers of such tables keep their identity.
void AddReading(Canonical& out, const std::string& name, const ColumnReading& reading) {
  if (reading == ColumnReading{}) return;
  out.Add("reading").Add(name).Add(std::string_view(&reading.decimal, 1)).Add(reading.dates);
  out.Add(static_cast<std::int64_t>(reading.missing.size()));
  for (const auto& mark : reading.missing) out.Add(mark);
}

void AddFormat(Canonical& out, const Table& table) {
  const FileFormat& format = table.format;
  for (const auto& source : table.more_sources) {
    out.Add("and file").Add(std::filesystem::path(source).lexically_normal().generic_string());
  }
  if (format.separator) out.Add("separator").Add(std::string_view(&*format.separator, 1));
  if (format.encoding != "utf-8") out.Add("encoding").Add(format.encoding);
  if (format.row_names) out.Add("row names");
}

// Columns that say who a unit is, or what everybody knows of it: another way of reading them makes other units, groups
// or cells. Public tables are public from end to end.
bool IsIdentity(const Policy& policy, const Table& table, const Column& column) {
  const auto is = [&column](const std::optional<std::string>& name) { return name == column.name; };
  if (table.is_public || column.is_public) return true;
  if (table.OfUnits()) return is(table.key) || is(table.other);
  return table.name == policy.unit.table &&
         (is(policy.unit.key) || is(policy.unit.other_key) || is(policy.unit.within) || is(policy.dependence.by) ||
          is(policy.dependence.strength_column));
}

void AddReadings(Canonical& out, const Policy& policy, const Table& table, bool identity) {
  for (const Column* column : ByName(table.columns)) {
    if (IsIdentity(policy, table, *column) == identity) AddReading(out, column->name, column->reading);
  }
  if (!identity || table.name != policy.unit.table) return;
  for (const auto& name : {policy.unit.key, policy.unit.other_key, policy.unit.within, policy.dependence.by,
                           policy.dependence.strength_column}) {
    if (name && table.Find(*name) == nullptr) AddReading(out, *name, table.Undeclared());
  }
}

void AddKnown(Canonical& out, const KnownTotals& known) {
  out.Add("known totals").Add(known.of).Add(known.range).Add(known.of_groups).Add(known.whole_record);
}

// What a charge means depends on it: a ledger's losses are for these moves and no others.
void AddDistance(Canonical& out, const Distance& distance) {
  out.Add("distance").Add(static_cast<std::int64_t>(distance.metric)).Add(distance.delta);
  for (const auto& column : distance.columns) out.Add(column);
  out.Add("sources").Add(static_cast<std::int64_t>(distance.sources.kind));
  for (const PlaceBox& place : distance.sources.places) {
    for (std::size_t k = 0; k < place.low.size(); ++k) out.Add(place.low[k]).Add(place.high[k]);
  }
}

// A lipschitz model transfers only losses by distance, so a ledger that holds other charges cannot serve it.
bool ByDistance(const Policy& policy) {
  return policy.unit.distance && std::holds_alternative<Lipschitz>(policy.dependence.model);
}

std::string IdentityText(const Policy& policy) {
  Canonical out("kith policy identity 1");
  const Unit& unit = policy.unit;
  out.Add("unit").Add(unit.table).Add(unit.key.has_value()).Add(unit.key.value_or("")).Add(unit.max_rows);
  out.Add(unit.presence == Presence::kPublic);
  if (unit.distance) AddDistance(out, *unit.distance);
  if (ByDistance(policy)) out.Add("losses by distance");
  if (unit.within) out.Add("within").Add(*unit.within).Add(unit.size);  // nothing otherwise: as above
  if (unit.other_key) out.Add("and").Add(*unit.other_key);              // no other part here has this name
  for (const Table* table : ByName(policy.tables)) {
    out.Add("table").Add(table->name).Add(table->is_public);
    out.Add(std::filesystem::path(table->source).lexically_normal().generic_string());
    if (table->key) out.Add("key").Add(*table->key);
    if (table->OfUnits()) out.Add("max_rows").Add(table->max_rows);  // nothing otherwise: as above
    if (table->other) out.Add("other").Add(*table->other).Add(table->max_other);
    for (const Column* column : ByName(table->columns)) AddColumn(out, *column);
    AddFormat(out, *table);
    AddReadings(out, policy, *table, true);
  }
  // Charges are kept by the number of a cell, so the order of the columns that make up cells matters.
  out.Add("cells");
  for (const auto& column : policy.cells.columns()) out.Add(column.name);
  if (policy.stream) {  // nothing otherwise: ledgers of tables keep their identity
    const Stream& stream = *policy.stream;
    out.Add("stream").Add(stream.time).Add(stream.start).Add(stream.step).Add(stream.window);
  }
  return out.text();
}

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

std::string Dependence::Declaration() const {
  Canonical out("kith declared dependence 1");
  out.Add(canonical).Add(by.value_or("")).Add(strength_column.value_or("")).Add(of_households);
  if (known) AddKnown(out, *known);
  return Sha256(out.text());
}

std::string Policy::identity_fingerprint() const { return Sha256(IdentityText(*this)); }

std::string Policy::fingerprint() const {
  Canonical out("kith policy 1");
  out.Add(IdentityText(*this)).Add(engine);
  if (!(server == Server{})) out.Add("server").Add(server.Text());
  out.Add("dependence").Add(dependence.source).Add(dependence.canonical);
  out.Add(dependence.by.value_or("")).Add(dependence.strength_column.value_or("")).Add(dependence.accept_unproven);
  out.Add("budget").Add(epsilon_total);
  if (dependence.of_households) out.Add("of").Add("households");
  if (dependence.known) AddKnown(out, *dependence.known);
  if (household_epsilon) out.Add("household").Add(*household_epsilon);
  if (counts_presence) out.Add("neighbours").Add("add or remove");  // nothing otherwise: as above
  if (with_delta) out.Add("delta").Add(with_delta->delta).Add(with_delta->keys);
  for (const Table* table : ByName(tables)) AddReadings(out, *this, *table, false);
  if (fixed_public_columns) out.Add("public columns").Add("fixed");  // nothing otherwise: old answers stay findable
  if (frozen) out.Add("data").Add("frozen");
  return Sha256(out.text());
}

}  // namespace kith

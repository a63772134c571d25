// Fingerprints: SHA-256 of a canonical text.
#include "base/digest.h"
#include "policy/canonical.h"

namespace kith {

bool IsIdentity(const Policy& policy, const Table& table, const Column& column) {
  const auto is = [&column](const std::optional<std::string>& name) { return name == column.name; };
  if (table.is_public || column.is_public) return true;
  if (table.OfUnits()) return is(table.key) || is(table.other);
  return table.name == policy.unit.table &&
         (is(policy.unit.key) || is(policy.unit.other_key) || is(policy.unit.within) || is(policy.dependence.by) ||
          is(policy.dependence.strength_column));
}

void AddDistance(Canonical& out, const Distance& distance) {
  out.Add("distance").Add(static_cast<std::int64_t>(distance.metric)).Add(distance.delta);
  for (const auto& column : distance.columns) out.Add(column);
  out.Add("sources").Add(static_cast<std::int64_t>(distance.sources.kind));
  for (const PlaceBox& place : distance.sources.places) {
    for (std::size_t k = 0; k < place.low.size(); ++k) out.Add(place.low[k]).Add(place.high[k]);
  }
}

bool ByDistance(const Policy& policy) {
  return policy.unit.distance && std::holds_alternative<Lipschitz>(policy.dependence.model);
}

namespace {

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

}  // namespace

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

// A policy as one line of JSON, with every part in its own place: what a ledger remembers of it.
#include <fmt/format.h>

#include <cctype>
#include <compare>
#include <map>
#include <mutex>
#include <set>

#include "base/check.h"
#include "base/digest.h"
#include "base/json.h"
#include "policy/group_size.h"
#include "policy/growth.h"
#include "policy/sections/section.h"
#include "policy/type_names.h"

namespace kith {
namespace {

Json TextOrNull(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

Json NamesOf(const std::vector<Value>& values) {
  Json names = Json::array();
  for (const Value& value : values) names.push_back(Cells::ValueName(value));
  return names;
}

Json DescribeReading(const ColumnReading& reading) {
  return {{"missing", reading.missing}, {"dates", reading.dates}, {"decimal", std::string(1, reading.decimal)}};
}

Json DescribeColumn(const Column& column) {
  Json out = {{"type", TypeName(column.type)},
              {"public", column.is_public},
              {"required", column.required},
              {"constant", column.constant},
              {"values", NamesOf(column.values)},
              {"lower", column.lower ? NumberOfDigits(*column.lower) : Json()},
              {"upper", column.upper ? NumberOfDigits(*column.upper) : Json()},
              {"reading", DescribeReading(column.reading)}};
  // Not there otherwise: what was described before there were such columns stays the same.
  if (column.per_row) out["per_row"] = true;
  if (column.of_household) out["of_household"] = true;
  if (column.pattern) out["pattern"] = column.pattern->text();
  return out;
}

// How a file is cut into fields, and how columns without a declaration (keys, groups) are read.
Json DescribeFormat(const Policy& policy, const Table& table) {
  const FileFormat& format = table.format;
  Json out = {{"separator", format.separator ? Json(std::string(1, *format.separator)) : Json()},
              {"encoding", format.encoding},
              {"row_names", format.row_names}};
  if (table.name != policy.unit.table) return out;
  for (const auto& name : {policy.unit.key, policy.unit.other_key, policy.unit.within, policy.dependence.by,
                           policy.dependence.strength_column}) {
    if (name && table.Find(*name) == nullptr) out["undeclared"][*name] = DescribeReading(table.Undeclared());
  }
  return out;
}

std::string Normal(const std::string& source) {
  return std::filesystem::path(source).lexically_normal().generic_string();
}

Json DescribeTable(const Policy& policy, const Table& table) {
  Json columns = Json::object();
  for (const Column& column : table.columns) columns[column.name] = DescribeColumn(column);
  Json sources = Normal(table.source);
  if (!table.more_sources.empty()) {
    sources = Json::array({sources});
    for (const std::string& source : table.more_sources) sources.push_back(Normal(source));
  }
  Json out = {{"source", std::move(sources)},
              {"public", table.is_public},
              {"key", TextOrNull(table.key)},
              {"columns", std::move(columns)},
              {"reading", DescribeFormat(policy, table)}};
  if (table.OfUnits()) out["max_rows"] = table.max_rows;  // nothing otherwise: as before there were such tables
  if (table.other) out["other"] = {{"column", *table.other}, {"most", table.max_other}};
  return out;
}

Json DescribeDistance(const Distance& distance) {
  Json places = Json::array();
  for (const PlaceBox& place : distance.sources.places) places.push_back({{"low", place.low}, {"high", place.high}});
  return {{"columns", distance.columns},
          {"metric", static_cast<int>(distance.metric)},
          {"plane", distance.metric != DistanceMetric::kGreatCircle},
          {"delta", NumberOfDigits(distance.delta)},
          {"sources", static_cast<int>(distance.sources.kind)},
          {"places", std::move(places)}};
}

Json DescribeUnit(const Policy& policy) {
  const Unit& unit = policy.unit;
  return {{"table", unit.table},
          {"within", TextOrNull(unit.within)},
          {"size", unit.size},
          {"level", unit.level == UnitLevel::kHousehold ? "household" : "person"},
          {"key", TextOrNull(unit.key)},
          {"other_key", TextOrNull(unit.other_key)},
          {"max_rows", unit.max_rows},
          {"presence", unit.presence == Presence::kPublic ? "public" : "secret"},
          {"distance", unit.distance ? DescribeDistance(*unit.distance) : Json()},
          {"by_distance", unit.distance && std::holds_alternative<Lipschitz>(policy.dependence.model)}};
}

Json DescribeStream(const Stream& stream) {
  return {{"time", stream.time}, {"start", stream.start}, {"step", stream.step}, {"window", stream.window}};
}

std::string DescribeEngine(const Policy& policy) {
  const std::string server = policy.server.Text();
  return server.empty() ? policy.engine : policy.engine + " " + Sha256(server).substr(0, 16);
}

// The words of a question, in lower case; what is in quotes is one word as well.
std::multiset<std::string> WordsOf(const std::string& question) {
  std::multiset<std::string> words;
  std::string word;
  const auto end = [&] {
    if (!word.empty()) words.insert(FoldName(word));
    word.clear();
  };
  for (std::size_t i = 0; i < question.size(); ++i) {
    const auto c = static_cast<unsigned char>(question[i]);
    if (c == '"') {
      end();
      for (++i; i < question.size() && (question[i] != '"' || question.substr(i + 1, 1) == "\""); ++i) {
        word += question[i];
        if (question[i] == '"') ++i;
      }
      end();
    } else if (std::isalnum(c) != 0 || c == '_' || c == '$' || c >= 0x80) {
      word += question[i];
    } else {
      end();
    }
  }
  end();
  return words;
}

// What a reading follows from, besides the policy: which of its names a question has, and whether it has a sub-select.
struct Mentions {
  std::set<std::string> names;  // in lower case
  bool nested = false;
  auto operator<=>(const Mentions&) const = default;
};

// Of tables, columns and columns with groups of a declared size, in lower case.
std::set<std::string> NamesIn(const Json& policy, const Json& sizes) {
  std::set<std::string> names;
  for (const auto& [column, size] : sizes.items()) names.insert(FoldName(column));
  for (const auto& [name, table] : policy.at("tables").items()) {
    names.insert(FoldName(name));
    for (const auto& [column, declared] : table.at("columns").items()) names.insert(FoldName(column));
  }
  return names;
}

Mentions MentionsIn(const std::string& question, const std::set<std::string>& known) {
  const std::multiset<std::string> words = WordsOf(question);
  Mentions mentions;
  mentions.nested = words.count("select") > 1;
  for (const std::string& name : known) {
    if (words.contains(name)) mentions.names.insert(name);
  }
  return mentions;
}

// `sizes`: of the columns with groups of a declared size. No `mentions`: everything is read.
std::string ReadingOf(const Json& policy, const Json& sizes, const std::optional<Mentions>& mentions) {
  const auto named = [&](const std::string& name) { return !mentions || mentions->names.contains(FoldName(name)); };
  Json out = {{"unit", policy.at("unit")}, {"stream", policy.at("stream")}, {"tables", Json::object()}};
  out["unit"].erase("by_distance");  // says what may be charged, not what is read
  if (out["unit"].at("level") == "person") {
    out["unit"].erase("within");
    out["unit"].erase("size");
  }
  // A row of a group is cut to what that many units can make, and its noise is made for that. Such rows are those of a
  // sub-select that names the column; whatever else has both is only found less often than it could be.
  for (const auto& [column, size] : sizes.items()) {
    if (named(column) && (!mentions || mentions->nested)) out["groups"][column] = size;
  }
  for (const auto& [name, table] : policy.at("tables").items()) {
    const bool secrets = name == policy.at("unit").at("table");
    if (!secrets && !named(name)) continue;
    Json read = {{"reading", table.at("reading")}, {"key", table.at("key")}, {"columns", Json::object()}};
    const bool of_units = table.contains("max_rows");
    if (of_units) read["max_rows"] = table.at("max_rows");
    if (table.contains("other")) read["other"] = table.at("other");
    // The version is that of the tables of the units.
    if (!secrets && !of_units) read["source"] = table.at("source");
    for (const auto& [column, declared] : table.at("columns").items()) {
      if (named(column)) read["columns"][column] = declared;
    }
    out["tables"][name] = std::move(read);
  }
  return "reads " + JsonText(out);
}

Json Parsed(const std::string& description) {
  Json policy = Json::parse(description, nullptr, false);
  KITH_CHECK(policy.is_object());
  return policy;
}

Json SizesOf(const Policy& policy) {
  Json sizes = Json::object();
  for (const auto& column : {policy.unit.within, policy.dependence.by}) {
    if (const auto size = column ? DeclaredGroupSize(policy, *column) : std::nullopt) sizes[*column] = *size;
  }
  return sizes;
}

}  // namespace

std::string ReadingText(const Policy& policy, const std::optional<std::string>& question) {
  return Readings(policy).Of(question);
}

struct Readings::Description {
  explicit Description(const Policy& of)
      : policy(Parsed(DescribePolicy(of))), sizes(SizesOf(of)), names(NamesIn(policy, sizes)) {}

  const Json policy, sizes;
  const std::set<std::string> names;
  // Readings that were written before. Many questions name the same.
  mutable std::mutex writing;
  mutable std::map<Mentions, std::string> written;
};

Readings::Readings(const Policy& policy) : description_(std::make_shared<const Description>(policy)) {}

std::string Readings::Of(const std::optional<std::string>& question) const {
  constexpr std::size_t kMostKept = 256;
  const Description& all = *description_;
  if (!question) return ReadingOf(all.policy, all.sizes, std::nullopt);
  const Mentions mentions = MentionsIn(*question, all.names);
  {
    const std::lock_guard lock(all.writing);
    if (const auto known = all.written.find(mentions); known != all.written.end()) return known->second;
  }
  std::string reading = ReadingOf(all.policy, all.sizes, mentions);
  const std::lock_guard lock(all.writing);
  if (all.written.size() < kMostKept) all.written.emplace(mentions, reading);
  return reading;
}

std::string DescribePolicy(const Policy& policy) {
  Json out = {{"kith", 1}, {"identity", policy.identity_fingerprint()}, {"unit", DescribeUnit(policy)}};
  out["tables"] = Json::object();
  for (const Table& table : policy.tables) out["tables"][table.name] = DescribeTable(policy, table);
  out["cells"] = Json::array();
  for (const CellColumn& column : policy.cells.columns())
    out["cells"].push_back({{"column", column.name}, {"values", NamesOf(column.values)}});
  out["stream"] = policy.stream ? DescribeStream(*policy.stream) : Json();
  out["engine"] = DescribeEngine(policy);
  const Dependence& dependence = policy.dependence;
  out["dependence"] = {{"kind", Kind(dependence.model)},         {"source", dependence.source},
                       {"by", TextOrNull(dependence.by)},        {"strength", TextOrNull(dependence.strength_column)},
                       {"unproven", dependence.accept_unproven}, {"model", Sha256(dependence.canonical)}};
  if (const auto& known = dependence.known)  // nothing otherwise: as in ledgers from before there were any
    out["dependence"]["known"] = {{"of", known->of}, {"range", known->range}, {"whole_record", known->whole_record}};
  out["budget"] = NumberOfDigits(policy.epsilon_total);
  if (policy.counts_presence) out["neighbours"] = "add-or-remove";  // nothing otherwise: as in ledgers from before
  if (policy.with_delta) out["delta"] = NumberOfDigits(policy.with_delta->delta);
  out["fixed_public_columns"] = policy.fixed_public_columns;
  if (policy.frozen) out["frozen"] = true;  // nothing otherwise: as in ledgers from before
  out["one_sided"] = Json::object();
  for (const OneSidedAttribute& attribute : policy.one_sided) out["one_sided"][attribute.name] = attribute.sensitive;
  return JsonText(out);
}

}  // namespace kith

// Models of every kind: a policy's fields or a file, read through the JSON form so that each kind is checked in one
// place.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text_file.h"
#include "dependence/model_json.h"
#include "policy/sections/sections.h"

namespace kith {
namespace {

constexpr std::size_t kMaxModelBytes = 64'000'000;
constexpr std::size_t kMaxSampleBytes = 100'000;

std::string JsonText(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "\"";
}

// 2 and 2.0 are one number. JSON has no infinity; the JSON form of a model writes "inf".
std::string JsonNumber(double number) {
  if (std::isinf(number) && number > 0) return "\"inf\"";
  if (!std::isfinite(number)) return "\"not a number\"";
  constexpr double kExact = 9007199254740992.0;
  if (number == std::trunc(number) && std::abs(number) <= kExact)
    return fmt::format("{}", static_cast<std::int64_t>(number));
  return fmt::format("{}", number);
}

// Keys in alphabetical order: the text is canonical.
std::string Json(const Node& node) {
  switch (node.kind) {
    case NodeKind::kBoolean:
      return std::get<bool>(node.leaf) ? "true" : "false";
    case NodeKind::kInteger:
      return fmt::format("{}", std::get<std::int64_t>(node.leaf));
    case NodeKind::kReal:
      return JsonNumber(std::get<double>(node.leaf));
    case NodeKind::kList: {
      std::string text = "[";
      for (const auto& item : node.items) text += (text.size() > 1 ? "," : "") + Json(item);
      return text + "]";
    }
    case NodeKind::kTable: {
      std::vector<const Member*> members;
      for (const auto& member : node.members) members.push_back(&member);
      std::sort(members.begin(), members.end(), [](const Member* a, const Member* b) { return a->key < b->key; });
      std::string text = "{";
      for (const Member* m : members) text += (text.size() > 1 ? "," : "") + JsonText(m->key) + ":" + Json(m->value);
      return text + "}";
    }
    default:
      return JsonText(ToText(node.leaf));
  }
}

// TOML has no null: the missing table of a tree's root is written [].
std::string JsonTables(const Node& tables) {
  if (tables.kind != NodeKind::kList) return Json(tables);
  std::string text = "[";
  for (const auto& table : tables.items) {
    const bool none = table.kind == NodeKind::kList && table.items.empty();
    text += (text.size() > 1 ? "," : "") + (none ? "null" : Json(table));
  }
  return text + "]";
}

// A sample is a file of its own: it is made by a program, and is part of what the policy says.
Result<std::string> SampleText(const Section& section, const Member& file, const Policy& policy) {
  auto name = section.Text(file);
  if (!name) return name.error();
  const std::filesystem::path path = policy.file.parent_path() / *name;
  if (auto regular = CheckRegular(section, file, path); !regular) return regular.error();
  auto text = ReadTextFile(path, kMaxSampleBytes);
  if (!text) return section.At(file.line, text.error().what, text.error().next);
  return *text;
}

Result<std::string> ModelJson(const Section& section, const Policy& policy) {
  std::vector<std::string> fields;
  for (const Member& member : section.members()) {
    const auto& [key, line, value] = member;
    if (key == "source" || key == "accept" || key == "confidence" || key == "by") continue;
    if (key == "sampled") {
      auto text = SampleText(section, member, policy);
      if (!text) return text.error();
      fields.push_back(JsonText(key) + ":" + *text);
      continue;
    }
    fields.push_back(JsonText(key) + ":" + (key == "tables" ? JsonTables(value) : Json(value)));
  }
  std::sort(fields.begin(), fields.end());
  return fmt::format("{{{}}}", fmt::join(fields, ","));
}

// A declared column of a public table, read as it is: bounds and lists of values would make one record of several.
Result<const Column*> EdgesColumn(const Table& table, const std::string& name) {
  const std::string where = fmt::format("edges: column {} of table {}", Quote(name), Quote(table.name));
  const Column* column = table.Find(name);
  if (column == nullptr) {
    return InvalidArgument("the column is not declared", where,
                           fmt::format("declare it: [columns.{}] with its type and nothing else", table.name));
  }
  if (column->required || column->lower || column->upper || !column->values.empty()) {
    return InvalidArgument("a column of edges cannot have bounds or values, or be required", where,
                           "declare its type only: whatever else is said would change who is linked with whom");
  }
  return column;
}

// Edges in the policy's engine. The noise follows from them, so everybody may know them.
Result<void> CheckEdgesTable(const NamedEdges& named, const Policy& policy) {
  const Table* table = policy.FindTable(named.name);
  if (table == nullptr) {
    std::vector<std::string> names;
    for (const auto& t : policy.tables) names.push_back(t.name);
    return InvalidArgument(fmt::format("[data] has no table {}", Quote(named.name)), "edges",
                           Suggest(named.name, names));
  }
  if (!table->is_public) {
    return InvalidArgument(fmt::format("table {} holds edges, so it must be public", Quote(named.name)), "edges",
                           "who is linked with whom is assumed to be known to everybody: declare the table with "
                           "public = true in [data], or declare a bound that is known without it");
  }
  const auto from = EdgesColumn(*table, named.from);
  if (!from) return from.error();
  const auto to = EdgesColumn(*table, named.to);
  if (!to) return to.error();
  const ColumnType type = (*from)->type;
  if (named.from == named.to || type != (*to)->type || (type != ColumnType::kInteger && type != ColumnType::kText)) {
    return InvalidArgument("records are named in two columns of one type, integer or text", "edges",
                           "write from = \"a\", to = \"b\" for two columns that are declared alike");
  }
  if (named.strength.empty()) return {};
  const auto strength = EdgesColumn(*table, named.strength);
  if (!strength) return strength.error();
  if ((*strength)->type == ColumnType::kReal) return {};
  return InvalidArgument("the strength of an edge is a real number", "edges",
                         fmt::format("declare column {} with type = \"real\"", Quote(named.strength)));
}

// Keeps the name of a file or table with edges instead of reading it: `release` has the engine that can.
EdgeLoader Remember(const std::filesystem::path& folder, const Policy& policy, std::optional<EdgesFile>& edges) {
  return [&edges, &policy, folder](const NamedEdges& file) -> Result<LoadedEdges> {
    const std::string& path = file.name;
    const bool in_table = !file.from.empty();
    if (auto ok = in_table ? CheckEdgesTable(file, policy) : Result<void>(); !ok) return ok.error();
    const std::optional<double> theta = file.theta;
    const std::int64_t nodes = file.nodes;
    if (!in_table &&
        (path.empty() || path.find("://") != std::string::npos || path.find_first_of("*?[") != std::string::npos)) {
      return InvalidArgument("edges must name one local file", "edges",
                             "write edges = \"friends.csv\" or a .parquet file");
    }
    if (theta && !(*theta >= 0)) {
      return InvalidArgument("theta must be a number that is not negative", "theta",
                             "theta is the natural logarithm of the largest odds ratio");
    }
    if (nodes < 1)
      return InvalidArgument("nodes must be at least 1", "nodes", "state how many units there are in the world");
    edges = EdgesFile{in_table ? path : (folder / path).lexically_normal().generic_string(),
                      nodes,
                      theta,
                      file.from,
                      file.to,
                      file.strength};
    return LoadedEdges{};
  };
}

// A field without its edges would pass for independent records: without nodes nobody can compute with it by mistake.
// The same for pairs where it is not yet known how many links a record has.
void Finish(Model model, Dependence& dependence, std::string canonical) {
  if (dependence.edges) {
    if (auto* field = std::get_if<Field>(&model)) field->nodes = 0;
    if (auto* pairs = std::get_if<PairLaws>(&model)) pairs->nodes = pairs->degree = 0;
  }
  dependence.model = std::move(model);
  dependence.canonical = std::move(canonical);
}

// From "start" or "edge 3: ..." to the line of the key it is about.
int LineOfPart(const Section& section, const std::string& part) {
  const std::string word = part.substr(0, part.find_first_of(" ,:"));
  for (const std::string& key : {word, word + "s"}) {
    if (const Member* member = section.Find(key)) return member->line;
  }
  return section.line();
}

}  // namespace

Result<void> ReadInlineModel(const Section& section, const std::string& kind, Policy& policy) {
  if (auto ok = section.AllowOnly("dependence", kind); !ok) return ok;
  const auto json = ModelJson(section, policy);
  if (!json) return json.error();
  const std::string name = "model";
  auto model = ModelFromJson(*json, name, Remember("", policy, policy.dependence.edges));
  if (!model) {
    std::string part = model.error().where;
    if (part.starts_with(name)) part = part.size() > name.size() + 2 ? part.substr(name.size() + 2) : "";
    Error error = section.At(LineOfPart(section, part), model.error().what, model.error().next);
    error.code = model.error().code;
    if (!part.empty()) error.where += " (" + part + ")";
    return error;
  }
  Finish(*std::move(model), policy.dependence, *json);
  return {};
}

Result<void> ReadModelFile(const Section& section, const Member& file, Policy& policy) {
  auto name = section.Text(file);
  if (!name) return name.error();
  const std::filesystem::path path = policy.file.parent_path() / *name;
  if (auto regular = CheckRegular(section, file, path); !regular) return regular;
  auto text = ReadTextFile(path, kMaxModelBytes);
  if (!text) {
    Error error = section.At(file.line, text.error().what, text.error().next);
    error.code = text.error().code;
    return error;
  }
  auto model = ModelFromJson(*text, path.string(),
                             Remember(std::filesystem::path(*name).parent_path(), policy, policy.dependence.edges));
  if (!model) return model.error();
  Finish(*std::move(model), policy.dependence, *text);
  return {};
}

Result<void> CheckRegular(const Section& section, const Member& named, const std::filesystem::path& file) {
  std::error_code failed;
  const auto type = std::filesystem::status(file, failed).type();
  using Type = std::filesystem::file_type;
  if (type == Type::regular || type == Type::directory || failed || type == Type::not_found) return {};
  return section.At(named.line, "what is named is not an ordinary file", "name a file that can be read again");
}

}  // namespace kith

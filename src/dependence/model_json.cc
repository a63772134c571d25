#include "dependence/model_json.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>

#include "base/json.h"
#include "dependence/check.h"
#include "dependence/distance_table.h"
#include "dependence/links.h"
#include "dependence/network_sample.h"
#include "dependence/region.h"

namespace kith {
namespace {

std::string Quote(const std::string& text) { return "\"" + text.substr(0, 60) + "\""; }

/// Takes fields out of one JSON object. The first thing that is wrong is kept as the error; later calls then return
/// defaults, so that a model is read top to bottom and the error is checked once.
class Reader {
 public:
  Reader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {}

  const std::optional<Error>& error() const { return error_; }
  const std::string& where() const { return where_; }
  bool Has(const char* field) const { return object_.contains(field); }
  const Json& At(const char* field) const { return object_.at(field); }

  /// Refuses fields that no kind of this name has: a misspelt field would silently weaken a model.
  void Only(std::initializer_list<const char*> known) {
    for (const auto& [name, value] : object_.items()) {
      if (std::any_of(known.begin(), known.end(), [&](const char* k) { return name == k; })) continue;
      std::string list;
      for (const char* k : known) list += (list.empty() ? "" : ", ") + std::string(k);
      Fail("unknown field " + Quote(name), name.substr(0, 60), "fields of this kind: " + list);
    }
  }

  std::int64_t Integer(const char* field) {
    if (!Need(field)) return 0;
    return Integer(At(field), field);
  }
  double Number(const char* field) {
    if (!Need(field)) return 0;
    return Number(At(field), field);
  }
  std::vector<double> Numbers(const char* field) {
    if (!Need(field)) return {};
    return Numbers(At(field), field);
  }
  LawTable Matrix(const char* field) {
    if (!Need(field)) return {};
    return Matrix(At(field), field);
  }

  std::int64_t Integer(const Json& value, const std::string& field) {
    if (value.is_number_integer() &&
        (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{1} << 62)) {
      return value.get<std::int64_t>();
    }
    Fail("a whole number is expected", field, "write it without quotes and without a fraction");
    return 0;
  }
  std::uint32_t Record(const Json& value, const std::string& field) {
    const std::int64_t n = Integer(value, field);
    if (n >= 0 && n < std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(n);
    Fail("a record's number must lie between 0 and 4294967294", field, "records are numbered from 0");
    return 0;
  }
  double Number(const Json& value, const std::string& field) {
    if (value.is_number()) return value.get<double>();
    Fail("a number is expected", field, "write it without quotes");
    return 0;
  }
  double Strength(const Json& value, const std::string& field) {
    if (value.is_string() && value.get_ref<const std::string&>() == "inf")
      return std::numeric_limits<double>::infinity();
    return Number(value, field);
  }
  std::vector<double> Numbers(const Json& value, const std::string& field) {
    std::vector<double> out;
    for (const auto& v : List(value, field)) out.push_back(Number(v, field));
    return out;
  }
  LawTable Matrix(const Json& value, const std::string& field) {
    LawTable out;
    for (const auto& row : List(value, field)) out.push_back(Numbers(row, field));
    return out;
  }
  /// A table whose entries are probabilities, or intervals [low, high] of them.
  TableRegion Region(const Json& value, const std::string& field) {
    TableRegion out;
    for (const auto& row : List(value, field)) {
      out.low.emplace_back();
      out.high.emplace_back();
      for (const auto& entry : List(row, field)) {
        const bool interval = entry.is_array();
        if (interval && entry.size() != 2) {
          Fail("an interval is two probabilities", field, "for example [0.15, 0.25]");
          return out;
        }
        out.low.back().push_back(Number(interval ? entry[0] : entry, field));
        out.high.back().push_back(interval ? Number(entry[1], field) : out.low.back().back());
      }
    }
    return out;
  }
  const Json& List(const Json& value, const std::string& field) {
    static const Json empty = Json::array();
    if (value.is_array()) return value;
    Fail("a list is expected", field, "write it in square brackets");
    return empty;
  }
  bool Need(const char* field) {
    if (Has(field)) return true;
    Fail("field " + Quote(field) + " is missing", "", "add it");
    return false;
  }
  void Fail(std::string what, const std::string& field, std::string next) {
    if (!error_)
      error_ = InvalidArgument(std::move(what), where_ + (field.empty() ? "" : ": " + field), std::move(next));
  }
  void Take(const Error& error) {
    if (!error_) error_ = error;
  }

 private:
  const Json& object_;
  std::string where_;
  std::optional<Error> error_;
};

/// A group in which all dependence comes from a cause that is nobody's record.
Model ReadHidden(Reader& in) {
  HiddenCause group{in.Integer("size"), 0};
  if (in.At("hidden") != true) {
    in.Fail("hidden is true, or left out", "hidden", "true: members depend on each other through a hidden cause alone");
  }
  if (!in.Need("odds_ratio")) return group;
  const double odds_ratio = in.Number("odds_ratio");
  if (!(odds_ratio >= 1)) in.Fail("an odds ratio must be at least 1", "odds_ratio", "for a ratio below 1, its inverse");
  group.theta = odds_ratio == 1 ? 0 : std::log(odds_ratio) * (1 + 0x1p-48);  // rounded up
  return group;
}

/// "shared":{"sd":0.8}: the one field of a shared cause, which says how its strength is stated.
const Json& SharedStrength(Reader& in, Group& group) {
  static constexpr std::pair<const char*, SharedBy> kFields[] = {
      {"sd", SharedBy::kSd}, {"range", SharedBy::kRange}, {"odds_ratio", SharedBy::kOddsRatio}};
  static const Json kNone = 0;
  const Json& shared = in.At("shared");
  if (shared.is_object() && shared.size() == 1) {
    for (const auto& [field, which] : kFields) {
      if (!shared.contains(field)) continue;
      group.shared = which;
      return shared.at(field);
    }
  }
  in.Fail("shared states the strength of a cause in one way", "shared",
          R"(write {"sd":0.8}, {"range":2} or {"odds_ratio":2})");
  return kNone;
}

Model ReadGroup(Reader& in) {
  in.Only({"kind", "size", "odds_ratio", "hidden", "attribute", "ties", "shared"});
  if (in.Has("hidden")) {
    for (const char* other : {"attribute", "ties", "shared"}) {
      if (in.Has(other)) in.Fail("a hidden cause is declared in one way", other, "keep hidden, or shared");
    }
    return ReadHidden(in);
  }
  Group group{in.Integer("size"), {}};
  if (in.Has("attribute")) {
    if (in.At("attribute").is_string()) group.attribute = in.At("attribute").get<std::string>();
    if (group.attribute.empty()) in.Fail("attribute is a name", "attribute", "of something that is yes or no");
  }
  if (in.Has("ties") && in.At("ties") != "non-negative")
    in.Fail("ties are \"non-negative\", or of either sign", "ties", "write \"non-negative\", or leave it out");
  if (in.Has("ties") || in.Has("shared")) {
    group.ties = Ties::kNonNegative;
    if (group.attribute.empty()) group.attribute = "it";
  }
  if (in.Has("shared") && (in.Has("ties") || in.Has("odds_ratio"))) {
    in.Fail("a shared cause says its strength, and that ties are non-negative, itself", "shared",
            "remove 'ties' and 'odds_ratio'");
    return group;
  }
  const auto add = [&](const std::string& label, const Json& value) {
    const double strength = in.Number(value, in.Has("shared") ? "shared" : "odds_ratio");
    const bool by_cause = group.shared == SharedBy::kSd || group.shared == SharedBy::kRange;
    if (by_cause && !(strength >= 0)) in.Fail("the spread of a cause is not negative", "shared", "correct it");
    group.classes.push_back({label, OddsRatioOf(group.shared, strength), {}, by_cause ? strength : 0});
  };
  if (!in.Has("odds_ratio") && !in.Has("shared")) {
    group.classes.push_back({});
    return group;
  }
  const Json& stated = in.Has("shared") ? SharedStrength(in, group) : in.At("odds_ratio");
  if (!stated.is_object()) {
    add("", stated);
  } else {
    for (const auto& [label, strength] : stated.items()) add(label, strength);
  }
  return group;
}

std::vector<Edge> ReadEdges(Reader& in, const Json& list, std::optional<double> theta) {
  std::vector<Edge> edges;
  for (const auto& e : in.List(list, "edges")) {
    const std::string where = "edge " + std::to_string(edges.size());
    if (!e.is_array() || e.size() != (theta ? 2U : 3U)) {
      in.Fail(theta ? "an edge is two records: [a, b]" : "an edge is two records and a strength: [a, b, theta]", where,
              "state theta either on each edge or once for all, as the field \"theta\"");
      return edges;
    }
    edges.push_back({in.Record(e[0], where), in.Record(e[1], where), theta ? *theta : in.Strength(e[2], where)});
  }
  return edges;
}

/// "edges":"friends.csv", or "edges":{"table":"friends","from":"a","to":"b","strength":"theta"}.
bool AreNamed(const Json& edges) { return edges.is_string() || edges.is_object(); }

NamedEdges ReadNamedEdges(Reader& in, NamedEdges named) {
  const Json& edges = in.At("edges");
  if (edges.is_string()) {
    named.name = edges.get<std::string>();
    return named;
  }
  Reader table(edges, in.where() + ": edges");
  if (named.only_links) {
    table.Only({"table", "from", "to"});
  } else {
    table.Only({"table", "from", "to", "strength"});
  }
  const auto text = [&](const char* field) {
    if (!table.Need(field)) return std::string();
    if (edges.at(field).is_string() && !edges.at(field).get_ref<const std::string&>().empty())
      return edges.at(field).get<std::string>();
    table.Fail("a name is expected", field, "write it in quotes");
    return std::string();
  };
  named.name = text("table");
  named.from = text("from");
  named.to = text("to");
  if (table.Has("strength")) named.strength = text("strength");
  if (named.strength.empty() != named.theta.has_value()) {
    table.Fail("state either theta, for all edges, or the column with their strengths", "strength",
               R"(write "theta":0.7 beside the edges, or "strength":"column" among them)");
  }
  if (table.error()) in.Take(*table.error());
  return named;
}

void ReadFactors(Reader& in, Field& field) {
  for (const auto& f : in.List(in.At("factors"), "factors")) {
    const std::string where = "factor " + std::to_string(field.factors.size());
    if (!f.is_object())
      return in.Fail("a factor has records and a strength", where, R"({"records":[0,1,2],"theta":0.8})");
    Reader factor(f, in.where() + ": " + where);
    factor.Only({"records", "theta"});
    Factor read;
    if (factor.Need("records")) {
      for (const auto& r : factor.List(f.at("records"), "records")) read.records.push_back(factor.Record(r, "records"));
    }
    if (factor.Need("theta")) read.theta = factor.Strength(f.at("theta"), "theta");
    if (factor.error()) return in.Take(*factor.error());
    field.factors.push_back(std::move(read));
  }
}

/// What is declared about the ties of yes/no records, and which bounds may use it.
void ReadFieldTies(Reader& in, Field& field) {
  if (in.Has("attribute")) {
    if (in.At("attribute").is_string()) field.attribute = in.At("attribute").get<std::string>();
    if (field.attribute.empty()) in.Fail("attribute is a name", "attribute", "of something that is yes or no");
  }
  if (in.Has("ties")) {
    if (in.At("ties") != "non-negative")
      in.Fail("ties are \"non-negative\", or of either sign", "ties", "write \"non-negative\", or leave it out");
    field.ties = Ties::kNonNegative;
    if (field.attribute.empty()) field.attribute = "it";
  }
  if (in.Has("bound")) {
    if (in.At("bound") != "field-free")
      in.Fail("a bound that can be asked for is \"field-free\"", "bound", "write \"field-free\", or leave it out");
    field.field_free = true;
  }
  if (!in.Has("sampled")) return;
  auto sample = NetworkSampleOf(in.At("sampled"));
  if (!sample) return in.Take(sample.error());
  field.sample = std::make_shared<const NetworkSample>(*std::move(sample));
}

Model ReadField(Reader& in, const EdgeLoader& loader) {
  in.Only(
      {"kind", "nodes", "edges", "theta", "factors", "hidden", "prevalence", "attribute", "ties", "bound", "sampled"});
  Field field;
  ReadFieldTies(in, field);
  field.nodes = in.Integer("nodes");
  std::optional<double> theta;
  if (in.Has("theta")) theta = in.Strength(in.At("theta"), "theta");
  if (!in.Has("edges") && !in.Has("factors"))
    in.Fail("a field needs edges or factors", "", "add \"edges\":[[0,1,0.7]]");
  if (theta && !in.Has("edges"))
    in.Fail("theta for all edges, but there are no edges", "theta", "add edges or remove theta");
  if (in.Has("edges") && AreNamed(in.At("edges"))) {
    const NamedEdges file = ReadNamedEdges(in, {.name = {},
                                                .theta = theta,
                                                .nodes = field.nodes,
                                                .needs_record_numbers = in.Has("hidden") || in.Has("factors")});
    if (!loader) {
      in.Fail("edges are kept in a file, which cannot be read here", "edges", "write them as a list: [[0,1,0.7]]");
    } else if (auto loaded = in.error() ? LoadedEdges{} : loader(file); !loaded) {
      in.Take(loaded.error());
    } else {
      field.edges = std::move(loaded->edges);
      field.graph = std::move(loaded->graph);
    }
  } else if (in.Has("edges")) {
    field.edges = ReadEdges(in, in.At("edges"), theta);
  }
  if (in.Has("factors")) ReadFactors(in, field);
  if (in.Has("hidden")) {
    for (const auto& h : in.List(in.At("hidden"), "hidden")) field.hidden.push_back(in.Record(h, "hidden"));
  }
  if (in.Has("prevalence")) {
    const auto range = in.Numbers("prevalence");
    if (range.size() != 2) in.Fail("prevalence is two probabilities", "prevalence", "for example [0, 0.05]");
    if (range.size() == 2) field.prevalence = Prevalence{range[0], range[1]};
  }
  return field;
}

/// Exact tables from a known beginning are a Chain, everything else a region of chains.
Model ReadChain(Reader& in) {
  in.Only({"kind", "transition", "seasons", "start", "length"});
  ChainRegion chain;
  chain.length = in.Integer("length");
  if (in.Has("transition") == in.Has("seasons")) {
    in.Fail(in.Has("seasons") ? "transition and seasons are both given" : "field \"transition\" is missing", "",
            in.Has("seasons") ? "keep one: seasons is a list of tables, one for each season" : "add it");
    return chain;
  }
  if (in.Has("transition")) {
    chain.seasons.push_back(in.Region(in.At("transition"), "transition"));
  } else {
    for (const auto& table : in.List(in.At("seasons"), "seasons")) chain.seasons.push_back(in.Region(table, "seasons"));
  }
  if (!in.Need("start")) return chain;
  if (const Json& start = in.At("start"); start != "any") {
    if (start.is_string()) in.Fail("start is a law or \"any\"", "start", "write [0.6, 0.4], or \"any\"");
    chain.start = in.Region(Json::array({start}), "start");
  }
  if (in.error() || in.Has("seasons") || !IsPoint(chain)) return chain;
  return Chain{chain.seasons[0].low, chain.start->low[0], chain.length};
}

/// Tables with intervals: a region; otherwise the tree itself.
Model TreeOf(TreeRegion tree) {
  for (const TableRegion& table : tree.tables) {
    if (!IsPoint(table)) return tree;
  }
  Tree exact{std::move(tree.parents), {}};
  for (TableRegion& table : tree.tables) exact.tables.push_back(std::move(table.low));
  return exact;
}

Model ReadTree(Reader& in) {
  in.Only({"kind", "parents", "root", "tables"});
  TreeRegion tree;
  if (in.Need("parents")) {
    for (const auto& p : in.List(in.At("parents"), "parents")) tree.parents.push_back(in.Integer(p, "parents"));
  }
  std::optional<TableRegion> root;
  if (in.Has("root")) root = in.Region(Json::array({in.At("root")}), "root");
  if (!in.Need("tables")) return TreeOf(std::move(tree));
  for (const auto& t : in.List(in.At("tables"), "tables")) {
    const std::size_t j = tree.tables.size();
    const std::string where = "table " + std::to_string(j);
    const bool is_root = j < tree.parents.size() && tree.parents[j] == -1;
    if (is_root && t.is_array() && t.empty()) {
      in.Fail("the table of a root is empty", where,
              "write null in its place, and its law as \"root\":[0.5,0.5]; or the law itself: [[0.5,0.5]]");
      return TreeOf(std::move(tree));
    }
    if (!t.is_null()) {
      tree.tables.push_back(in.Region(t, where));
    } else if (is_root && root) {
      tree.tables.push_back(*root);
    } else {
      in.Fail(is_root ? "a root has no law" : "only a root may have no table", where,
              is_root ? "add \"root\":[0.5,0.5]" : "write one row for each value of the parent");
      return TreeOf(std::move(tree));
    }
  }
  return TreeOf(std::move(tree));
}

/// With `pairs`: also which columns the axes divide into cells.
LawTable ReadDistanceLaw(Reader& in, PairLaws* pairs = nullptr) {
  const Json& object = in.At("distance");
  if (!object.is_object()) {
    in.Fail("a distance law has axes, b and c", "distance", R"({"axes":[[0,1,2],[0,1,2]],"b":0.196,"c":1.05})");
    return {};
  }
  Reader law(object, in.where() + ": distance");
  if (pairs == nullptr) law.Only({"axes", "b", "c"});
  if (pairs != nullptr) law.Only({"axes", "b", "c", "columns"});
  const LawTable axes = law.Matrix("axes");
  const double b = law.Number("b");
  const double c = law.Number("c");
  std::size_t places = 1;
  for (const auto& axis : axes) places = std::min<std::size_t>(places * axis.size(), kMaxValues + 1);
  if (axes.empty() || places < 2 || places > kMaxValues) {
    law.Fail("the grid needs between 2 and " + std::to_string(kMaxValues) + " places", "axes",
             "write the coordinates along each axis; merge places");
  }
  for (const auto& axis : axes) {
    if (!std::all_of(axis.begin(), axis.end(), [](double x) { return std::isfinite(x); }) ||
        std::adjacent_find(axis.begin(), axis.end(), std::greater_equal<>()) != axis.end()) {
      law.Fail("coordinates must be finite and increase", "axes", "sort them and list each once");
    }
  }
  if (!(b > 0 && std::isfinite(b) && c > 0 && std::isfinite(c)))
    law.Fail("b and c must be positive numbers", "", "the published constants are b = 0.196 (miles) and c = 1.05");
  if (pairs != nullptr && law.Has("columns")) {
    for (const auto& name : law.List(law.At("columns"), "columns")) {
      if (!name.is_string()) law.Fail("columns are named by text", "columns", R"(for example ["lat","lon"])");
      if (name.is_string()) pairs->columns.push_back(name.get<std::string>());
    }
    if (pairs->columns.size() != axes.size())
      law.Fail("there must be one column for each axis", "columns", "name the columns in the order of the axes");
  }
  if (law.error()) {
    in.Take(*law.error());
    return {};
  }
  if (pairs != nullptr) pairs->axes = axes;
  return DistanceTable(axes, b, c);
}

constexpr std::int64_t kMostAlikeNeighbours = 100'000;
constexpr std::size_t kMostEntries = 4'000'000;  // of their tables together, each of which is kept

Model ReadStar(Reader& in) {
  in.Only({"kind", "neighbours", "distance"});
  Star star;
  if (in.Has("distance")) {
    const std::int64_t count = in.Integer("neighbours");
    if (count < 1 || count > kMostAlikeNeighbours) {
      in.Fail("the number of neighbours must lie between 1 and " + std::to_string(kMostAlikeNeighbours), "neighbours",
              "with a distance law, neighbours is how many there are");
      return star;
    }
    const LawTable law = ReadDistanceLaw(in);
    if (static_cast<std::size_t>(count) * law.size() * law.size() > kMostEntries) {
      in.Fail("the tables of all neighbours have more than " + std::to_string(kMostEntries) + " entries", "neighbours",
              "merge places, or declare fewer neighbours");
      return star;
    }
    star.neighbours.assign(static_cast<std::size_t>(count), law);
    return star;
  }
  if (in.Need("neighbours")) {
    for (const auto& t : in.List(in.At("neighbours"), "neighbours"))
      star.neighbours.push_back(in.Matrix(t, "neighbours"));
  }
  return star;
}

Model ReadJoint(Reader& in) {
  in.Only({"kind", "values", "law"});
  Joint joint;
  if (in.Need("values")) {
    for (const auto& v : in.List(in.At("values"), "values")) joint.values.push_back(in.Integer(v, "values"));
  }
  joint.law = in.Numbers("law");
  return joint;
}

/// A table, or a distance law in place of one.
LawTable ReadPairTable(Reader& in, PairLaws& pairs) {
  if (in.Has("table") && in.Has("distance")) in.Fail("table and distance are both given", "distance", "keep one");
  return in.Has("distance") ? ReadDistanceLaw(in, &pairs) : in.Matrix("table");
}

PairCoefficient ReadCoefficient(Reader& in) {
  if (!in.Has("coefficient") || in.At("coefficient") == "eq14") return PairCoefficient::kEq14;
  if (in.At("coefficient") != "eq18") {
    in.Fail("coefficient is \"eq14\" or \"eq18\"", "coefficient",
            "the number of the equation that defines the dependence coefficient; eq14 unless stated");
  }
  return PairCoefficient::kEq18;
}

/// Links in a separate file. A loader that only remembers the name gives none: then the degree is not known yet.
void ReadLinkFile(Reader& in, const EdgeLoader& loader, PairLaws& pairs) {
  // A link has no strength of its own here: any will do.
  const NamedEdges file = ReadNamedEdges(in, {.name = {}, .theta = 1.0, .nodes = pairs.nodes, .only_links = true});
  if (!loader) return in.Fail("edges are kept in a file, which cannot be read here", "edges", "list them: [[0,1]]");
  if (in.error()) return;
  const auto loaded = loader(file);
  if (!loaded) return in.Take(loaded.error());
  if (!loaded->graph) {
    pairs.degree = 1;
    return;
  }
  SetLinks(*loaded->graph, pairs);
  if (LargestDegree(pairs) == 0)
    in.Fail("there are no edges", "edges", "use kind independent for records without links");
}

Model ReadPairs(Reader& in, const EdgeLoader& loader) {
  in.Only({"kind", "table", "distance", "degree", "nodes", "edges", "coefficient"});
  PairLaws pairs;
  pairs.table = ReadPairTable(in, pairs);
  pairs.coefficient = ReadCoefficient(in);
  if (in.Has("degree") == in.Has("edges")) {
    in.Fail("state either the largest degree or the edges", in.Has("degree") ? "degree" : "",
            R"(write "degree":3, or "nodes":4,"edges":[[0,1],[1,2],[2,3]])");
  }
  if (in.Has("degree")) {
    if (in.Has("nodes")) in.Fail("nodes belong to listed edges", "nodes", "remove it");
    pairs.degree = in.Integer("degree");
    return pairs;
  }
  pairs.nodes = in.Integer("nodes");
  if (in.Has("edges") && AreNamed(in.At("edges"))) {
    ReadLinkFile(in, loader, pairs);
  } else if (in.Has("edges")) {
    for (const Edge& edge : ReadEdges(in, in.At("edges"), 0.0)) pairs.links.emplace_back(edge.a, edge.b);
    if (pairs.links.empty()) in.Fail("there are no edges", "edges", "use kind independent for records without links");
  }
  return pairs;
}

Model ReadKind(Reader& in, const std::string& kind, const EdgeLoader& loader) {
  if (kind == "independent") {
    in.Only({"kind"});
    return Independent{};
  }
  if (kind == "group") return ReadGroup(in);
  if (kind == "overlap") {
    in.Only({"kind", "size", "eta"});
    return Overlap{in.Integer("size"), in.Number("eta")};
  }
  if (kind == "field") return ReadField(in, loader);
  if (kind == "chain") return ReadChain(in);
  if (kind == "tree") return ReadTree(in);
  if (kind == "star") return ReadStar(in);
  if (kind == "lipschitz") {
    in.Only({"kind", "influence", "diameters"});
    return Lipschitz{in.Matrix("influence"), in.Has("diameters") ? in.Numbers("diameters") : std::vector<double>{}};
  }
  if (kind == "joint") return ReadJoint(in);
  if (kind == "pairs") return ReadPairs(in, loader);
  in.Fail("unknown kind " + Quote(kind), "kind",
          "one of independent, group, overlap, field, chain, tree, star, lipschitz, joint, pairs");
  return Independent{};
}

}  // namespace

Result<Model> ModelFromJson(std::string_view text, const std::string& name, const EdgeLoader& loader) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return InvalidArgument("this is not JSON", name, "check brackets, quotes and commas");
  if (!json.is_object() || !json.contains("kind") || !json.at("kind").is_string()) {
    return InvalidArgument("a dependence model is a JSON object with a kind", name, R"({"kind":"group","size":4})");
  }
  Reader in(json, name);
  Model model = ReadKind(in, json.at("kind").get_ref<const std::string&>(), loader);
  if (in.error()) return *in.error();
  if (auto ok = Check(model); !ok) {
    Error error = ok.error();
    error.where = name + (error.where.empty() ? "" : ": " + error.where);
    return error;
  }
  return model;
}

}  // namespace kith

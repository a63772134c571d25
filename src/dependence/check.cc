#include "dependence/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "dependence/graph.h"
#include "dependence/region.h"

namespace kith {
namespace {

Error Bad(std::string what, std::string where, std::string next) {
  return InvalidArgument(std::move(what), std::move(where), std::move(next));
}

Result<void> CheckLaw(const Law& law, const std::string& where) {
  if (law.empty() || static_cast<std::int64_t>(law.size()) > kMaxValues) {
    return Bad(
        "a law needs between 1 and " + std::to_string(kMaxValues) + " probabilities, not " + std::to_string(law.size()),
        where, "merge rare values into one");
  }
  double sum = 0;
  for (const double p : law) {
    if (!(p >= 0 && p <= 1)) return Bad("a probability is not a number between 0 and 1", where, "correct it");
    sum += p;
  }
  if (!(std::abs(sum - 1) <= kProbabilitySlack)) {
    return Bad(
        "the probabilities add up to " + std::to_string(sum) + ", not 1", where,
        "write one probability for every value of the record, with at least 9 digits where they do not terminate");
  }
  return {};
}

Result<void> CheckTable(const LawTable& table, std::size_t rows, std::size_t columns, const std::string& where) {
  if (table.size() != rows) {
    return Bad("the table has " + std::to_string(table.size()) + " rows, but the record it is given on has " +
                   std::to_string(rows) + " values",
               where, "write one row for each value");
  }
  for (std::size_t a = 0; a < rows; ++a) {
    const std::string row = where + ", row " + std::to_string(a);
    if (auto ok = CheckLaw(table[a], row); !ok) return ok;
    if (table[a].size() != columns) {
      return Bad("rows of one table differ in length", row, "write one probability for each value of the record");
    }
  }
  return {};
}

Result<void> CheckStrength(double theta, const std::string& where) {
  if (theta >= 0) return {};  // infinity is a hard constraint and allowed
  return Bad("a strength (theta) must be a number that is not negative", where,
             "theta is the natural logarithm of the largest odds ratio; for a ratio below 1 take its inverse");
}

Result<void> Check(const Independent&) { return {}; }

Result<void> CheckGroupSize(std::int64_t size) {
  if (size >= 1 && size <= kMaxGroupSize) return {};
  return Bad("the size of a group must lie between 1 and " + std::to_string(kMaxGroupSize), "size",
             "state the largest group in the world, including relatives outside the table");
}

Result<void> Check(const Group& group) {
  if (auto ok = CheckGroupSize(group.size); !ok) return ok;
  if (group.classes.empty()) return Bad("a group model needs at least one class", "odds_ratio", "add one");
  if (group.shared != SharedBy::kNothing && group.ties != Ties::kNonNegative)
    return Bad("a cause that acts in the same direction on all makes ties non-negative", "shared", "correct the model");
  if (group.ties != Ties::kEither && group.attribute.empty()) {
    return Bad("ties that are not negative are ties between something that is yes or no of every member", "attribute",
               "name it");
  }
  std::set<std::string> labels;
  for (const auto& c : group.classes) {
    if (group.ties != Ties::kEither && !c.odds_ratio) {
      return Bad("non-negative ties without a limit say nothing",
                 c.label.empty() ? "odds_ratio" : c.label.substr(0, 60),
                 "state the largest odds ratio; or leave 'ties' and 'shared' out: then anything goes inside a group");
    }
    const std::string where = c.label.empty() ? "odds_ratio" : "odds_ratio of " + c.label.substr(0, 60);
    if (!labels.insert(c.label).second) return Bad("two classes have the same label", where, "merge them");
    if (c.odds_ratio && !(*c.odds_ratio >= 1 && std::isfinite(*c.odds_ratio))) {
      return Bad("an odds ratio must be a finite number of at least 1", where,
                 "for a ratio below 1 state its inverse; leave odds_ratio out if anything is possible inside a group");
    }
    if (c.size && (*c.size < 1 || *c.size > group.size)) {
      return Bad("the groups of a class cannot be larger than the largest of all", "size of " + c.label.substr(0, 60),
                 "state a size from 1 to that of the model");
    }
  }
  return {};
}

Result<void> Check(const Overlap& overlap) {
  if (auto ok = CheckGroupSize(overlap.size); !ok) return ok;
  if (overlap.eta >= 0 && overlap.eta <= 1) return {};
  return Bad("eta is a total variation distance: a number between 0 and 1", "eta", "correct it");
}

Result<void> CheckFactor(const Factor& factor, std::int64_t nodes, const std::string& where) {
  if (factor.records.size() < 2) return Bad("a factor needs at least two records", where, "remove it");
  std::set<std::uint32_t> seen;
  for (const auto r : factor.records) {
    if (r >= nodes) {
      return Bad("a factor names record " + std::to_string(r) + ", but there are only " + std::to_string(nodes), where,
                 "records are numbered from 0; correct the factor or `nodes`");
    }
    if (!seen.insert(r).second) return Bad("a factor names a record twice", where, "name it once");
  }
  return CheckStrength(factor.theta, where);
}

/// What is proved for ties that are never negative is proved for fields of pairs.
Result<void> CheckTies(const Field& field) {
  if (field.sample != nullptr && !field.field_free) {
    return Bad("a sample of the network is used by field-free bounds only", "sampled",
               "add bound = \"field-free\", or remove the sample");
  }
  if (field.ties == Ties::kEither) {
    return field.field_free ? Bad("field-free bounds hold for ties that are never negative", "bound",
                                  "declare ties = \"non-negative\" if that is a fact, or remove bound")
                            : Result<void>();
  }
  if (field.attribute.empty()) {
    return Bad("ties that are not negative are ties between something that is yes or no of every record", "attribute",
               "name it");
  }
  if (!field.factors.empty() || !field.hidden.empty() || field.prevalence) {
    return Bad("with non-negative ties a field has edges only", "ties",
               "remove factors, hidden and prevalence, or remove ties");
  }
  const auto is_hard = [](double theta) { return theta > kHardTheta; };
  if ((field.graph && field.graph->has_hard_edges()) ||
      std::any_of(field.edges.begin(), field.edges.end(), [&](const Edge& e) { return is_hard(e.theta); })) {
    return Bad("non-negative ties without a limit say nothing", "edges", "state finite strengths, or remove ties");
  }
  return {};
}

Result<void> Check(const Field& field) {
  constexpr std::int64_t kMaxNodes = std::numeric_limits<std::uint32_t>::max();
  if (field.nodes < 1 || field.nodes > kMaxNodes) {
    return Bad("a field needs between 1 and 4294967295 nodes", "nodes",
               "state how many records and hidden causes there are");
  }
  if (field.graph && !field.edges.empty()) {
    return Bad("edges are given twice, as a list and as a graph", "edges", "keep one of them");
  }
  for (std::size_t k = 0; k < field.edges.size(); ++k) {
    const Edge& e = field.edges[k];
    const std::string where = "edge " + std::to_string(k);
    if (e.a >= field.nodes || e.b >= field.nodes) {
      return Bad("an edge leads to record " + std::to_string(std::max(e.a, e.b)) + ", but there are only " +
                     std::to_string(field.nodes),
                 where, "records are numbered from 0; correct the edge or `nodes`");
    }
    if (e.a == e.b) return Bad("an edge leads from a record to itself", where, "remove it");
    if (auto ok = CheckStrength(e.theta, where); !ok) return ok;
  }
  for (std::size_t k = 0; k < field.factors.size(); ++k) {
    if (auto ok = CheckFactor(field.factors[k], field.nodes, "factor " + std::to_string(k)); !ok) return ok;
  }
  std::set<std::uint32_t> hidden;
  for (const auto h : field.hidden) {
    if (h >= field.nodes) return Bad("a hidden node does not exist", "hidden", "nodes are numbered from 0");
    if (!hidden.insert(h).second) return Bad("a hidden node is listed twice", "hidden", "list it once");
  }
  if (static_cast<std::int64_t>(hidden.size()) == field.nodes) {
    return Bad("every node is hidden", "hidden", "at least one node must be a record");
  }
  if (field.prevalence) {
    const auto [low, high] = *field.prevalence;
    if (!(low >= 0 && low <= high && high <= 1)) {
      return Bad("prevalence must be two probabilities, the smaller one first", "prevalence", "for example [0, 0.05]");
    }
  }
  return CheckTies(field);
}

Result<void> Check(const Chain& chain) {
  if (chain.length < 1 || chain.length > kMaxChainLength) {
    return Bad("the length of a chain must lie between 1 and " + std::to_string(kMaxChainLength), "length",
               "correct it");
  }
  if (auto ok = CheckLaw(chain.start, "start"); !ok) return ok;
  return CheckTable(chain.transition, chain.start.size(), chain.start.size(), "transition");
}

Result<void> Check(const ChainRegion& chain) {
  const auto seasons = static_cast<std::int64_t>(chain.seasons.size());
  if (seasons == 0) return Bad("a chain needs a table", "seasons", "write one table for each season, or transition");
  if (chain.length < 1 || chain.length > kMaxRegionSteps / seasons) {
    return Bad("the length of a chain whose tables are intervals, seasons or begin anywhere must lie between 1 and " +
                   std::to_string(kMaxRegionSteps) + (seasons > 1 ? " / number of seasons" : ""),
               "length", "divide it into independent parts, or declare one exact table");
  }
  const std::size_t values = chain.seasons.front().low.size();
  if (values == 0) return Bad("the table has no rows", "transition", "write one row for each value");
  for (std::size_t s = 0; s < chain.seasons.size(); ++s) {
    const std::string where = seasons == 1 ? "transition" : "seasons, table " + std::to_string(s);
    if (auto ok = CheckRegion(chain.seasons[s], values, values, where); !ok) return ok;
  }
  return chain.start ? CheckRegion(*chain.start, 1, values, "start") : Result<void>();
}

/// Follows parents from every node; a walk that meets itself has found a cycle.
Result<void> CheckForest(const std::vector<std::int64_t>& parents) {
  const auto n = static_cast<std::int64_t>(parents.size());
  std::vector<std::int64_t> walk_of(parents.size(), -1);  // the walk that first met the node
  for (std::int64_t first = 0; first < n; ++first) {
    std::int64_t node = first;
    while (node != -1 && walk_of[static_cast<std::size_t>(node)] == -1) {
      walk_of[static_cast<std::size_t>(node)] = first;
      node = parents[static_cast<std::size_t>(node)];
      if (node < -1 || node >= n) {
        return Bad("a parent does not exist", "parents",
                   "name parents by their number, from 0 to " + std::to_string(n - 1) + ", and -1 for a root");
      }
    }
    if (node != -1 && walk_of[static_cast<std::size_t>(node)] == first) {
      return Bad("the parents form a cycle through record " + std::to_string(node), "parents",
                 "a tree has no cycle; use kind = \"field\" for graphs with cycles");
    }
  }
  return {};
}

Result<void> Check(const Tree& tree) {
  const std::size_t n = tree.parents.size();
  if (n == 0 || n > 100'000'000) return Bad("a tree needs between 1 and 100000000 records", "parents", "correct it");
  if (tree.tables.size() != n) {
    return Bad("there are " + std::to_string(n) + " parents but " + std::to_string(tree.tables.size()) + " tables",
               "tables", "write one table for each record; a root has one row, its law");
  }
  if (auto ok = CheckForest(tree.parents); !ok) return ok;
  for (std::size_t j = 0; j < n; ++j) {
    const std::string where = "table " + std::to_string(j);
    if (tree.tables[j].empty()) return Bad("the table is missing", where, "write one row for each value of the parent");
    std::size_t rows = 1;
    if (tree.parents[j] != -1) {
      const auto& above = tree.tables[static_cast<std::size_t>(tree.parents[j])];
      if (above.empty()) return Bad("the parent's table is missing", where, "write it");
      rows = above[0].size();
    }
    if (auto ok = CheckTable(tree.tables[j], rows, tree.tables[j][0].size(), where); !ok) return ok;
  }
  return {};
}

Result<void> Check(const TreeRegion& tree) {
  constexpr std::size_t kMost = 100'000;
  const std::size_t n = tree.parents.size();
  if (n == 0 || n > kMost) {
    return Bad("a tree with intervals needs between 1 and " + std::to_string(kMost) + " records", "parents",
               "describe one connected part of the records at a time");
  }
  if (tree.tables.size() != n) {
    return Bad("there are " + std::to_string(n) + " parents but " + std::to_string(tree.tables.size()) + " tables",
               "tables", "write one table for each record; a root has one row, its law");
  }
  if (auto ok = CheckForest(tree.parents); !ok) return ok;
  for (std::size_t j = 0; j < n; ++j) {
    const std::string where = "table " + std::to_string(j);
    const LawTable* above =
        tree.parents[j] == -1 ? nullptr : &tree.tables[static_cast<std::size_t>(tree.parents[j])].low;
    if (tree.tables[j].low.empty() || (above != nullptr && above->empty()))
      return Bad("the table is missing", where, "write one row for each value of the parent");
    const std::size_t rows = above == nullptr ? 1 : above->front().size();
    if (auto ok = CheckRegion(tree.tables[j], rows, tree.tables[j].low[0].size(), where); !ok) return ok;
  }
  return {};
}

Result<void> Check(const HiddenCause& group) {
  if (auto ok = CheckGroupSize(group.size); !ok) return ok;
  if (group.theta >= 0 && std::isfinite(group.theta)) return {};
  return Bad("the odds ratio between a member and the hidden cause must be a finite number of at least 1", "odds_ratio",
             "without a strength a hidden cause says nothing: then leave it out, and anything goes inside a group");
}

Result<void> Check(const Star& star) {
  for (std::size_t j = 0; j < star.neighbours.size(); ++j) {
    const auto& table = star.neighbours[j];
    const std::string where = "neighbour " + std::to_string(j);
    const std::size_t rows = star.neighbours[0].size();
    if (rows == 0 || static_cast<std::int64_t>(rows) > kMaxValues || table.empty()) {
      return Bad("a table needs between 1 and " + std::to_string(kMaxValues) + " rows", where,
                 "write one row for each value of the record in the middle");
    }
    if (auto ok = CheckTable(table, rows, table[0].size(), where); !ok) return ok;
  }
  return {};
}

Result<void> Check(const Lipschitz& lipschitz) {
  const auto& c = lipschitz.influence;
  const std::size_t n = c.size();
  if (n == 0 || n > kMaxInfluenceRecords) {
    return Bad("an influence matrix needs between 1 and " + std::to_string(kMaxInfluenceRecords) + " records",
               "influence", "describe one connected part of the records at a time");
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::string where = "influence, row " + std::to_string(i);
    if (c[i].size() != n) return Bad("the influence matrix is not square", where, "write one number for each record");
    for (std::size_t j = 0; j < n; ++j) {
      if (!(c[i][j] >= 0 && std::isfinite(c[i][j]))) {
        return Bad("an influence must be a finite number that is not negative", where, "correct it");
      }
    }
    if (c[i][i] != 0) return Bad("a record has influence on itself", where, "write 0 on the diagonal");
  }
  if (!lipschitz.diameters.empty() && lipschitz.diameters.size() != n) {
    return Bad("the number of diameters differs from the number of records", "diameters", "write one for each record");
  }
  for (const double d : lipschitz.diameters) {
    if (!(d > 0 && std::isfinite(d)))
      return Bad("a diameter must be a positive finite number", "diameters", "correct it");
  }
  if (SpectralRadiusBelowOne(c, n)) return {};
  for (std::size_t i = 0; i < n; ++i) {
    if (!SpectralRadiusBelowOne(c, i)) {
      return Bad(
          "the influences do not contract: without record " + std::to_string(i) +
              " the spectral radius of the matrix is 1 or more",
          "influence",
          "declare weaker influences, or use kind = \"group\", which needs no strength; with hard constraints no "
          "finite influence exists");
    }
  }
  return {};
}

Result<void> CheckLinks(const PairLaws& pairs) {
  if (pairs.nodes < 1 || pairs.nodes > kMaxLinkedRecords) {
    return Bad("listed links need between 1 and " + std::to_string(kMaxLinkedRecords) + " nodes", "nodes",
               "state how many records there are, or state `degree` instead of the links");
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::size_t k = 0; k < pairs.links.size(); ++k) {
    const auto [a, b] = pairs.links[k];
    const std::string where = "edge " + std::to_string(k);
    if (std::max(a, b) >= pairs.nodes) {
      return Bad("an edge leads to record " + std::to_string(std::max(a, b)) + ", but there are only " +
                     std::to_string(pairs.nodes),
                 where, "records are numbered from 0; correct the edge or `nodes`");
    }
    if (a == b) return Bad("an edge leads from a record to itself", where, "remove it");
    if (!seen.insert(std::minmax(a, b)).second) return Bad("an edge is listed twice", where, "list it once");
  }
  return {};
}

Result<void> Check(const PairLaws& pairs) {
  const std::size_t values = pairs.table.size();
  if (values < 2 || static_cast<std::int64_t>(values) > kMaxValues) {
    return Bad("a table of pairs needs between 2 and " + std::to_string(kMaxValues) + " rows", "table",
               "write one row for each value of a record: the law of a linked record given that value");
  }
  if (auto ok = CheckTable(pairs.table, values, values, "table"); !ok) return ok;
  if (!pairs.links.empty()) return CheckLinks(pairs);
  if (pairs.degree >= 1 && pairs.degree <= kMaxDegree) return {};
  return Bad("degree must lie between 1 and " + std::to_string(kMaxDegree), "degree",
             "state the most links that one record has in the world, or list the links as nodes and edges");
}

Result<void> Check(const Joint& joint) {
  if (joint.values.empty())
    return Bad("a joint law needs at least one record", "values", "write the number of values of each");
  std::size_t states = 1;
  for (const auto v : joint.values) {
    if (v < 1 || v > kMaxValues) {
      return Bad("a record needs between 1 and " + std::to_string(kMaxValues) + " values", "values",
                 "merge rare values");
    }
    states *= static_cast<std::size_t>(v);
    if (states > kMaxJointStates) {
      return Bad("the joint law has more than " + std::to_string(kMaxJointStates) + " states", "values",
                 "a joint law is for one small component; use kind = \"tree\" or \"field\" for more records");
    }
  }
  if (joint.law.size() != states) {
    return Bad("the law has " + std::to_string(joint.law.size()) + " probabilities, but the values call for " +
                   std::to_string(states),
               "law", "write one for each combination, the last record varying fastest");
  }
  double sum = 0;
  for (const double p : joint.law) {
    if (!(p >= 0 && p <= 1)) return Bad("a probability is not a number between 0 and 1", "law", "correct it");
    sum += p;
  }
  if (!(std::abs(sum - 1) <= kProbabilitySlack)) {
    return Bad("the probabilities add up to " + std::to_string(sum) + ", not 1", "law", "correct them");
  }
  return {};
}

}  // namespace

Result<void> Check(const Model& model) {
  return std::visit([](const auto& m) { return Check(m); }, model);
}

Law Normalised(Law law) {
  const long double sum = std::accumulate(law.begin(), law.end(), 0.0L);
  for (double& p : law) p = static_cast<double>(p / sum);
  return law;
}

// Elimination without exchanging rows: I - C is a non-singular M-matrix, which for C >= 0 means a spectral radius below
// 1, exactly if every pivot is positive.
bool SpectralRadiusBelowOne(const std::vector<std::vector<double>>& matrix, std::size_t without) {
  std::vector<std::vector<double>> m;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (i == without) continue;
    std::vector<double> row;
    for (std::size_t j = 0; j < matrix.size(); ++j) {
      if (j != without) row.push_back((i == j ? 1.0 : 0.0) - matrix[i][j]);
    }
    m.push_back(std::move(row));
  }
  const double least = 1e-12 * static_cast<double>(m.size() + 1);
  for (std::size_t k = 0; k < m.size(); ++k) {
    if (!(m[k][k] > least)) return false;
    for (std::size_t i = k + 1; i < m.size(); ++i) {
      const double f = m[i][k] / m[k][k];
      if (f == 0) continue;
      for (std::size_t j = k; j < m.size(); ++j) m[i][j] -= f * m[k][j];
    }
  }
  return true;
}

}  // namespace kith

#include "query/bind/bind_levels.h"

#include <pg_query/pg_query.pb-c.h>

#include <algorithm>

namespace kith {
namespace {

using Set = std::vector<const PgQuery__Node*>;

constexpr std::size_t kMostSets = 64;
constexpr int kMostNested = 20;

Error TooMany() { return Unsupported("GROUP BY has too many levels", {}, "ask several questions"); }

// A column, an expression, or several in parentheses.
Set Together(const PgQuery__Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_ROW_EXPR) return {&node};
  return {node.row_expr->args, node.row_expr->args + node.row_expr->n_args};
}

Set Joined(Set a, const Set& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Result<std::vector<Set>> SetsOf(const PgQuery__Node& node, int depth) {
  if (depth > kMostNested) return TooMany();
  if (node.node_case != PG_QUERY__NODE__NODE_GROUPING_SET) return std::vector<Set>{Together(node)};
  const PgQuery__GroupingSet& grouping = *node.grouping_set;
  std::vector<Set> sets;
  switch (grouping.kind) {
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_EMPTY:
      return std::vector<Set>{{}};
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_ROLLUP: {
      Set so_far;
      sets.push_back(so_far);
      for (std::size_t i = 0; i < grouping.n_content; ++i) {
        so_far = Joined(so_far, Together(*grouping.content[i]));
        sets.push_back(so_far);
      }
      return sets;
    }
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_SETS:
      for (std::size_t i = 0; i < grouping.n_content; ++i) {
        auto inner = SetsOf(*grouping.content[i], depth + 1);
        if (!inner) return inner;
        sets.insert(sets.end(), inner->begin(), inner->end());
        if (sets.size() > kMostSets) return TooMany();
      }
      return sets;
    case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_CUBE: {
      constexpr std::size_t kMostKeys = 6;
      if (grouping.n_content > kMostKeys) return TooMany();
      for (std::size_t choice = 0; choice < (std::size_t{1} << grouping.n_content); ++choice) {
        Set set;
        for (std::size_t i = 0; i < grouping.n_content; ++i) {
          if ((choice >> i & 1) != 0) set = Joined(std::move(set), Together(*grouping.content[i]));
        }
        sets.push_back(std::move(set));
      }
      return sets;
    }
    default:
      return Unsupported("this kind of GROUP BY is not supported", {}, "write ROLLUP(a, b) or CUBE(a, b)");
  }
}

}  // namespace

Result<std::vector<std::vector<const PgQuery__Node*>>> GroupingSets(const PgQuery__SelectStmt& select) {
  std::vector<Set> all = {{}};
  for (std::size_t i = 0; i < select.n_group_clause; ++i) {
    const auto sets = SetsOf(*select.group_clause[i], 0);
    if (!sets) return sets.error();
    std::vector<Set> next;
    for (const Set& before : all) {
      for (const Set& set : *sets) next.push_back(Joined(before, set));
    }
    if (next.size() > kMostSets) return TooMany();
    all = std::move(next);
  }
  return all;
}

bool InAChain(const std::vector<std::vector<bool>>& levels) {
  for (std::size_t level = 1; level < levels.size(); ++level) {
    for (std::size_t k = 0; k < levels[level].size(); ++k) {
      if (levels[level][k] && !levels[level - 1][k]) return false;
    }
  }
  return true;
}

Result<std::vector<std::vector<bool>>> LevelsOf(const std::vector<std::vector<std::size_t>>& sets, std::size_t keys) {
  std::vector<std::vector<bool>> levels;
  for (const auto& set : sets) {
    std::vector<bool> kept(keys, false);
    for (const std::size_t key : set) kept[key] = true;
    if (std::find(levels.begin(), levels.end(), kept) == levels.end()) levels.push_back(std::move(kept));
  }
  if (levels.size() <= 1) return std::vector<std::vector<bool>>{};
  const auto size = [](const std::vector<bool>& kept) { return std::count(kept.begin(), kept.end(), true); };
  std::stable_sort(levels.begin(), levels.end(), [&](const auto& a, const auto& b) { return size(a) > size(b); });
  if (!std::all_of(levels[0].begin(), levels[0].end(), [](bool kept) { return kept; })) {
    return Unsupported("one level of GROUP BY must have all keys: the others are totals of it", {},
                       "write ROLLUP(a, b) or CUBE(a, b), or ask one question for each level");
  }
  return levels;
}

}  // namespace kith

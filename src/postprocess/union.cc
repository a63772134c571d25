// UNION of what is computed on answers.
#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <utility>

#include "postprocess/compile.h"
#include "sql/quote.h"

namespace kith::postprocess {
namespace {

// SELECTs whose rows follow one another: UNION ALL of UNION ALL is one list, in which each has its own number.
std::vector<const PgQuery__SelectStmt*> ArmsOf(const PgQuery__SelectStmt& select) {
  std::vector<const PgQuery__SelectStmt*> arms;
  for (const PgQuery__SelectStmt* arm : {select.larg, select.rarg}) {
    const bool plain = !arm->with_clause && arm->n_sort_clause == 0 && !arm->limit_count && !arm->limit_offset;
    if (IsUnion(*arm) && arm->all && select.all && plain) {
      const auto inside = ArmsOf(*arm);
      arms.insert(arms.end(), inside.begin(), inside.end());
    } else {
      arms.push_back(arm);
    }
  }
  return arms;
}

// A column that is in each row what it is in one of the arms.
Piece OneOf(const std::string& reference, const std::vector<Piece>& arms) {
  const auto is = [&](auto test) { return std::all_of(arms.begin(), arms.end(), test); };
  if (is([](const Piece& piece) { return !piece.noisy(); }))
    return {reference, Dependence::kNone, Part(reference, false)};
  if (is([](const Piece& piece) { return piece.dependence <= Dependence::kLinear; }))
    return {reference, Dependence::kLinear, Part(reference, true)};
  return FunctionOf(reference, arms);  // formulas of the arms differ
}

}  // namespace

// The rows of all arms, with the number of the arm, which nobody sees and which helps to distinguish rows.
Result<Relation> Compiler::UnionOf(const PgQuery__SelectStmt& select, const Names& names, int depth) {
  const std::string alias = fmt::format("kith_of_{}", ++hidden_);
  Relation out;
  std::vector<std::string> shown;
  std::vector<std::vector<Piece>> pieces;
  std::string sql;
  const auto arms = ArmsOf(select);
  for (std::size_t k = 0; k < arms.size(); ++k) {
    auto arm = Select(*arms[k], names, depth + 1);
    if (!arm) return arm.error();
    if (k == 0) {
      for (const Scoped& column : arm->columns) shown.push_back(column.name);
      pieces.resize(shown.size());
    }
    if (arm->columns.size() != shown.size())
      return InvalidArgument("the parts of a UNION have different numbers of columns", {},
                             "choose as many columns in each of them");
    std::string list;
    for (std::size_t c = 0; c < shown.size(); ++c) {
      list += fmt::format("{} AS c{}, ", QuotedName(arm->columns[c].name), c);
      pieces[c].push_back(arm->columns[c].piece);
    }
    sql +=
        fmt::format("{}SELECT {}{} AS kith_arm FROM ({}) AS kith_part", k == 0 ? "" : " UNION ALL ", list, k, arm->sql);
    out.by_noise = out.by_noise || arm->by_noise;
  }
  out.sql = fmt::format("({}) AS {}", sql, QuotedName(alias));
  for (std::size_t c = 0; c < shown.size(); ++c) {
    const std::string reference = fmt::format("{}.c{}", QuotedName(alias), c);
    out.columns.push_back({alias, shown[c], OneOf(reference, pieces[c])});
  }
  return out;
}

Result<Compiler::Body> Compiler::BodyOfUnion(const PgQuery__SelectStmt& select, Names names, bool outermost,
                                             int depth) {
  Body body;
  body.names = std::move(names);
  auto from = UnionOf(select, body.names, depth);
  if (!from) return from.error();
  body.from = std::move(*from);
  body.by_noise = body.from.by_noise;
  body.aggregates = !select.all;  // rows become one: GROUP BY all columns
  for (const Scoped& column : body.from.columns) {
    body.targets.emplace_back(column.name, column.piece);
    if (!column.piece.noisy()) body.identity.push_back(column.piece.sql);
    if (select.all) continue;
    body.by_noise = body.by_noise || column.piece.noisy();
    body.group_by += (body.group_by.empty() ? "" : ", ") + column.piece.sql;
  }
  if (select.all) body.identity.push_back(fmt::format("{}.kith_arm", QuotedName(body.from.columns.front().table)));
  const Place place{body.from.columns, nullptr, body.names};
  if (auto added = AddOrder(select, place, body); !added) return added.error();
  if (!outermost) noise_orders_ = noise_orders_ || body.sorted_by_noise;
  return body;
}

}  // namespace kith::postprocess

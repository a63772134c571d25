#include "query/sparse_question.h"

#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>

#include "query/bind/bind.h"
#include "query/bind/typing.h"
#include "query/parse/syntax.h"
#include "query/question_builder.h"
#include "sql/quote.h"

namespace kith {
namespace {

/// Keys, outputs and condition of a SELECT that counts by columns of the unit's table.
class CountReader {
 public:
  enum class Cells { kDeclared, kOpen };

  CountReader(const PgQuery__SelectStmt& select, const RowBinder& rows, const Policy& policy, Cells cells)
      : select_(select), rows_(rows), policy_(policy), cells_(cells) {}

  static Error OtherForm(Cells cells, const std::string& where = {}) {
    if (cells == Cells::kOpen)
      return Unsupported("of keys that nobody declared only counts can be asked for", where,
                         "write SELECT a, count(*) AS n FROM the unit's table GROUP BY a, without HAVING, ORDER BY and "
                         "LIMIT; or declare their values in the policy")
          .For("request.keys");
    return Unsupported("among very many cells only counts can be asked for", where,
                       "write SELECT a, b, count(*) AS n FROM the unit's table GROUP BY a, b HAVING count(*) >= 50")
        .For("request.cells");
  }

  Result<SparseQuestion> Read() {
    if (select_.n_sort_clause > 0 || select_.limit_count || select_.limit_offset || select_.n_distinct_clause > 0 ||
        select_.n_window_clause > 0)
      return OtherForm();
    if (select_.where_clause) {
      auto where = rows_.BindCondition(*select_.where_clause);
      if (!where) return where.error();
      out_.where = std::move(*where);
    }
    for (std::size_t k = 0; k < select_.n_group_clause; ++k) {
      const auto name = GroupName(*select_.group_clause[k]);
      if (!name) return name.error();
      out_.columns.push_back(*name);
    }
    for (std::size_t k = 0; k < select_.n_target_list; ++k) {
      if (auto read = ReadTarget(*select_.target_list[k]->res_target); !read) return read.error();
    }
    if (!counted_) return OtherForm();
    if (cells_ == Cells::kOpen) return std::move(out_);
    if (auto read = ReadHaving(); !read) return read.error();
    return std::move(out_);
  }

 private:
  Error OtherForm(const std::string& where = {}) const { return OtherForm(cells_, where); }

  // A column of the unit's table, by its name or by the number of an output.
  Result<std::string> GroupName(const PgQuery__Node& node) const {
    if (const auto number = WholeConstant(node)) {
      if (*number < 1 || static_cast<std::size_t>(*number) > select_.n_target_list) return OtherForm();
      const PgQuery__Node& target = *select_.target_list[*number - 1]->res_target->val;
      return WholeConstant(target) ? Result<std::string>(OtherForm()) : GroupName(target);
    }
    if (node.node_case != PG_QUERY__NODE__NODE_COLUMN_REF) return OtherForm();
    const auto column = rows_.Resolve(*node.column_ref);
    if (!column) return column.error();
    if ((*column)->op != Op::kColumn) return OtherForm();
    return rows_.table().columns[(*column)->column].name;
  }

  Result<void> ReadTarget(const PgQuery__ResTarget& target) {
    std::string name = target.name ? target.name : "";
    if (target.val->node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {
      const auto column = GroupName(*target.val);
      if (!column) return column.error();
      const auto found = std::find(out_.columns.begin(), out_.columns.end(), *column);
      if (found == out_.columns.end()) return OtherForm(Shortened(*column));
      out_.outputs.push_back({static_cast<std::size_t>(found - out_.columns.begin()), name.empty() ? *column : name});
      return {};
    }
    const auto count = CountIn(*target.val);
    if (!count || (counted_ && *counted_ != *count)) return OtherForm(name);
    counted_ = out_.count = *count;
    out_.outputs.push_back({std::nullopt, name.empty() ? "count" : name});
    return {};
  }

  // count(*), or count(DISTINCT key).
  std::optional<CountOf> CountIn(const PgQuery__Node& node) const {
    if (node.node_case != PG_QUERY__NODE__NODE_FUNC_CALL) return std::nullopt;
    const PgQuery__FuncCall& call = *node.func_call;
    if (PlainName(call.funcname, call.n_funcname) != "count" || call.agg_filter || call.over || call.n_agg_order > 0 ||
        call.agg_within_group || call.func_variadic)
      return std::nullopt;
    if (call.agg_star && !call.agg_distinct) return CountOf::kRows;
    if (!call.agg_distinct || call.n_args != 1 || !policy_.unit.key ||
        call.args[0]->node_case != PG_QUERY__NODE__NODE_COLUMN_REF)
      return std::nullopt;
    const auto name = rows_.NameOf(*call.args[0]->column_ref);
    return name && FoldCase(*name) == FoldCase(*policy_.unit.key) ? std::optional(CountOf::kUnits) : std::nullopt;
  }

  // count(*) >= 50 or count(*) > 49.
  Result<void> ReadHaving() {
    const PgQuery__Node& having = *select_.having_clause;
    const Error other = Unsupported("among very many cells HAVING is a threshold: HAVING count(*) >= 50", {},
                                    "it is compared with noisy counts. The explanation says how many cells that hold "
                                    "nothing would pass it, and from which count on a cell is shown")
                            .For("request.cells");
    if (having.node_case != PG_QUERY__NODE__NODE_A_EXPR) return other;
    const PgQuery__AExpr& test = *having.a_expr;
    const std::string sign = PlainName(test.name, test.n_name);
    const bool compares = test.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP && test.lexpr && test.rexpr;
    if (!compares || (sign != ">=" && sign != ">") || CountIn(*test.lexpr) != out_.count) return other;
    const auto number = WholeConstant(*test.rexpr);
    if (!number || *number < (sign == ">" ? 0 : 1) || *number > std::int64_t{1} << 50) return other;
    out_.threshold = static_cast<std::size_t>(*number) + (sign == ">" ? 1 : 0);
    return {};
  }

  const PgQuery__SelectStmt& select_;
  const RowBinder& rows_;
  const Policy& policy_;
  const Cells cells_;
  std::optional<CountOf> counted_;
  SparseQuestion out_;
};

/// Nothing if declared cells are asked for without HAVING.
Result<std::optional<SparseQuestion>> ReadCounts(const std::string& sql, const Policy& policy,
                                                 CountReader::Cells cells) {
  if (const auto refused = NotForQuestions(policy)) return *refused;
  const auto tree = SyntaxTree::Parse(sql);
  if (!tree) return tree.error();
  const PgQuery__SelectStmt& select = tree->select();
  const bool having = select.having_clause != nullptr;
  if (cells == CountReader::Cells::kDeclared && !having) return std::optional<SparseQuestion>();
  if (cells == CountReader::Cells::kOpen && having) return CountReader::OtherForm(cells);
  if (auto refused = UnsupportedClause(select, true)) return *refused;
  Table table = policy.unit_table();
  auto scope = BindFrom(sql, select, policy, table);
  if (!scope) return scope.error();
  if (!scope->is_table || scope->per_unit || !scope->joins.empty() || scope->where || table.name != policy.unit.table)
    return CountReader::OtherForm(cells);
  const RowBinder rows(sql, table, *scope);
  auto read = CountReader(select, rows, policy, cells).Read();
  if (!read) return read.error();
  return std::optional(std::move(*read));
}

}  // namespace

Result<std::optional<SparseQuestion>> ReadSparseQuestion(const std::string& sql, const Policy& policy) {
  return ReadCounts(sql, policy, CountReader::Cells::kDeclared);
}

Result<SparseQuestion> ReadOpenQuestion(const std::string& sql, const Policy& policy) {
  auto read = ReadCounts(sql, policy, CountReader::Cells::kOpen);
  if (!read) return read.error();
  if ((*read)->count == CountOf::kRows && policy.unit.key && policy.unit.max_rows > 1)
    return Unsupported("of keys that nobody declared units are counted, and here a unit can have several rows", {},
                       fmt::format("write count(DISTINCT {}) instead of count(*)", IdentifierText(*policy.unit.key)))
        .For("request.keys");
  return **std::move(read);
}

}  // namespace kith

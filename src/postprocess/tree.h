// Questions as trees: what is a private question, what is computed on answers, and a tree as text again. Internal to
// after.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

struct PgQuery__Node;
struct PgQuery__FuncCall;
struct PgQuery__SelectStmt;

namespace kith::postprocess {

/// Queries that WITH names, and what each of them can see.
struct Named;
using Names = std::map<std::string, std::shared_ptr<const Named>>;
struct Named {
  const PgQuery__Node* definition = nullptr;  // a CommonTableExpr
  const PgQuery__SelectStmt* select = nullptr;
  Names sees;
};

/// What a SELECT gives.
enum class Kind {
  kRows,     // rows of private (or public) tables
  kPrivate,  // aggregates of such rows: a private question
  kAnswers,  // something computed on answers
};

/// The names in scope inside the SELECT. Fails: kUnsupportedQuery.
Result<Names> NamesIn(const PgQuery__SelectStmt& select, const Names& around);
/// A column that makes rows where a SELECT groups by it.
struct RowKey {
  std::string table, column;
};

/// A name or a sub-select in FROM.
struct FromItem {
  const PgQuery__SelectStmt* select = nullptr;  // that it stands for; null: it is a table
  const Names* sees = nullptr;                  // the names in scope there
  std::string called;                           // as columns name it; empty: it has no name
  PgQuery__Node* const* renamed = nullptr;      // names that its first columns get
  std::size_t n_renamed = 0;
};
/// `names` outlives what is returned. Nothing: a join, or something else.
std::optional<FromItem> FromItemOf(const PgQuery__Node& from, const Names& names);

/// Whether there are rows, and whether there are answers, in a part of FROM: both may become true. Fails: as KindOf.
Result<void> FindKinds(const PgQuery__Node& from, const Names& names, const std::vector<RowKey>& keys, bool& rows,
                       bool& answers, int depth = 0);

/// `keys`: the unit's, and others that make rows. A SELECT over rows that groups by one of them has one row for each
/// unit, or for each group of units: these are rows, not an answer.
/// Requires: `names` from NamesIn. Fails: kUnsupportedQuery where rows of tables and answers meet, or nothing is read.
Result<Kind> KindOf(const PgQuery__SelectStmt& select, const Names& names, const std::vector<RowKey>& keys,
                    int depth = 0);
/// The unit's key in each of its tables, and columns that name groups of units but have no declared values to group an
/// answer by.
std::vector<RowKey> KeysOfRows(const Policy& policy);

/// UNION or UNION ALL of two SELECTs.
bool IsUnion(const PgQuery__SelectStmt& select);

/// Calls for each part of an expression, but not for sub-selects.
void ForEachChild(const PgQuery__Node& node, const std::function<void(const PgQuery__Node&)>& call);
/// True if the expression or a part of it is such a node; sub-selects are not looked into.
bool Contains(const PgQuery__Node& node, const std::function<bool(const PgQuery__Node&)>& is);
bool IsAggregateCall(const PgQuery__Node& node);  // without OVER
bool IsWindowCall(const PgQuery__Node& node);
bool IsSubSelect(const PgQuery__Node& node);

/// The name of a function, in lower case; empty if it is qualified.
std::string FunctionName(const PgQuery__FuncCall& call);

/// A tree as SQL. Fails: kInternal.
Result<std::string> TextOf(const PgQuery__SelectStmt& select);
Result<std::string> TextOf(const PgQuery__Node& expression);

/// A private question taken out of a statement: as it is, or without what is done with its answer (HAVING, windows,
/// ORDER BY, LIMIT, sub-selects among its columns).
struct Taken {
  std::string sql;
  bool as_it_is = true;
  // Otherwise: the column of the answer that each expression has become, by its text. Columns keep their names, so that
  // the question is one that somebody may have asked before.
  std::map<std::string, std::size_t> columns;
};
/// Requires: a private question.
Result<Taken> TakeOut(const PgQuery__SelectStmt& select, const Names& names);

}  // namespace kith::postprocess

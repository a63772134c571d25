// JOIN of the unit table with public tables, on their keys. Internal to query.
#pragma once
#include <string>

#include "query/bind/bind.h"

struct PgQuery__JoinExpr;
struct PgQuery__RangeVar;

namespace kith {

/// Puts the columns of public tables after those of the unit table.
class JoinBinder {
 public:
  /// All arguments must outlive the binder.
  JoinBinder(const std::string& sql, const Policy& policy, Table& table) : sql_(sql), policy_(policy), table_(table) {}

  /// Ensures [JOIN-1]: each row of `left` gets at most one row of a public table, chosen by the row itself and public
  /// data; the new columns are public only if what they are joined on is. Fails: kUnsupportedQuery, kInvalidArgument.
  Result<Scope> Bind(const PgQuery__JoinExpr& join, Scope left);
  /// The refusal of any other table on the right.
  Error NotPublic() const;

 private:
  Result<const Table*> PublicTable(const PgQuery__JoinExpr& join) const;
  Result<ExprPtr> Left(const PgQuery__JoinExpr& join, const Scope& left, const Table& right,
                       const std::string& alias) const;
  bool IsKey(const PgQuery__Node& node, const Scope& left, const Table& right, const std::string& alias) const;
  std::string NewOwner(const std::string& table) const;
  bool IsSecret(const Expr& on) const;
  void Extend(const Table& right, TableJoin& join, const std::string& alias, bool is_using, Scope& scope);

  const std::string& sql_;
  const Policy& policy_;
  Table& table_;
};

}  // namespace kith

// JOIN of the unit table with public tables, on their keys, and with other tables of the units, on the unit's key.
// Internal to query.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "query/bind/bind.h"

struct PgQuery__JoinExpr;
struct PgQuery__RangeVar;

namespace kith {

/// Puts the columns of joined tables after those of the unit table.
class JoinBinder {
 public:
  /// All arguments must outlive the binder.
  JoinBinder(const std::string& sql, const Policy& policy, Table& table) : sql_(sql), policy_(policy), table_(table) {}

  /// Ensures [JOIN-1]: each row of `left` gets at most one row of a public table, chosen by the row itself and public
  /// data; the new columns are public only if what they are joined on is. Ensures [TABLES-2]: of another table of the
  /// units it gets only rows of its own unit, those that are kept, at most that table's max_rows, and all that they say
  /// is secret. Fails: kUnsupportedQuery, kInvalidArgument.
  Result<Scope> Bind(const PgQuery__JoinExpr& join, Scope left);
  /// FROM visits JOIN persons: the same as FROM persons JOIN visits. Bind then takes persons for `left`.
  bool IsTurned(const PgQuery__JoinExpr& join) const;
  /// The refusal of any other table on the right.
  Error NotPublic() const;

 private:
  Result<const Table*> Joinable(const PgQuery__Node& right) const;
  Error OfOtherUnits(const Table& table) const;
  Result<ExprPtr> Left(const PgQuery__JoinExpr& join, const PgQuery__Node* quals, const Scope& left, const Table& right,
                       const std::string& alias) const;
  std::vector<const PgQuery__Node*> TermsOf(const PgQuery__JoinExpr& join, const Scope& left, const Table& right,
                                            const std::string& alias) const;
  std::optional<Error> NotOfUnit(const Expr& on, const Scope& left, const Table& right) const;
  bool IsKey(const PgQuery__Node& node, const Scope& left, const Table& right, const std::string& alias) const;
  std::string NewOwner(const std::string& table) const;
  bool IsSecret(const Expr& on) const;
  void Extend(const Table& right, TableJoin& join, const std::string& alias, bool is_using, Scope& scope);

  const std::string& sql_;
  const Policy& policy_;
  Table& table_;
};

}  // namespace kith

// Rows with what distinguishes them, one string, number or day for each column: counts by very many keys, declared or
// not, are made of these. Internal to query.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "query/emit/emit.h"
#include "query/question.h"
#include "sql/statement.h"

namespace kith {

/// A question that counts the kept rows that pass and have a value in each of these columns, in secret groups: for its
/// bounds and its notes. `where`: nullptr for every row. Requires: columns of the unit's table, each once.
/// Fails: as PlanQuestion.
Result<Question> AskKeys(const std::vector<std::string>& columns, const ExprPtr& where, const Policy& policy);

/// A column that distinguishes rows. Fails: kInvalidArgument if there is none of this name; kUnsupportedQuery if
/// it names units.
Result<const Column*> KeyColumn(const std::string& name, const Policy& policy);
/// Fails: kInvalidArgument if there is no name, or one occurs twice.
Result<void> CheckKeyNames(const std::vector<std::string>& names);
/// A unit has one value of each of these columns, whatever rows it has. Requires: columns of the table.
bool OneKeyEach(const std::vector<std::string>& columns, const Table& table);
/// "a", "b", for the normalised text of a question.
std::string KeyNamesText(const std::vector<std::string>& names);

/// Statements over the kept rows of a question of AskKeys. Both must outlive this.
class KeyRows {
 public:
  KeyRows(const Question& question, const Policy& policy)
      : question_(question), policy_(policy), rows_(policy.unit_table(), true) {}

  /// The rows that pass, with these values as k0, k1, ...; `units`: each once for every unit, with its key u.
  sql::Statement Rows(const sql::Terms& values, bool units) const;

  const RowTerms& terms() const { return rows_; }
  const Expr& key(std::size_t k) const { return *question_.keys[k].expr; }
  const Column& column(std::size_t k) const { return policy_.unit_table().columns[key(k).column]; }

 private:
  const Question& question_;
  const Policy& policy_;
  const RowTerms rows_;
};

}  // namespace kith

// What the engine is asked about a table of pairs. A pair is two different people, the smaller name first; a missing
// end makes no pair.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "query/plan.h"
#include "query/rows.h"

namespace kith {

/// A public column that says which group a person is in.
struct PersonGroups {
  std::string table, name, column;  // `name`: the column that names the person
  std::vector<Value> values;        // declared; anything else is not a group
};

class PairStatements {
 public:
  PairStatements(std::string table, std::string first, std::string second, std::optional<RowCondition> condition);

  /// A name for a part of a statement that is in neither the table of pairs nor the other table.
  std::string Apart(const std::string& name, const std::string& other) const;
  const std::optional<RowCondition>& condition() const { return condition_; }
  /// The test, and the condition if there is one, for a FROM that calls the table t.
  sql::Term AndCondition(sql::Term test) const;

  /// SELECT a, b: the pairs in no order, with duplicates.
  sql::Statement Pairs() const;
  /// Number of pairs, least and largest name; NULL if there is none. Names are whole numbers.
  sql::Statement Range() const;

  /// The pairs in an order that depends only on the two names of a pair: equal pairs are adjacent, and taking away
  /// some pairs leaves the others in their order. All statements have the same order, so that it does not matter for
  /// the result which of them is asked.
  /// Names as they are, both in one number: a * 2^31 + b. Requires: names are whole numbers from 0 to 2^31 - 1.
  sql::Statement OrderedNumbers() const;
  /// Any names, numbered from 0 on without gaps.
  sql::Statement OrderedAny() const;

  /// SELECT person, group for the people in a public table, numbered as by OrderedNumbers (with `largest` as the
  /// largest name) or by OrderedAny. Somebody who is listed twice is in the first of the groups.
  sql::Statement GroupsOfNumbers(const PersonGroups& groups, std::int64_t largest) const;
  sql::Statement GroupsOfAny(const PersonGroups& groups) const;

 private:
  std::vector<sql::With> Numbering(const std::string& other) const;

  std::string table_;
  sql::Term first_, second_;
  std::optional<RowCondition> condition_;
};

}  // namespace kith

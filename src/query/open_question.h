// SQL that asks for counts by columns whose values nobody declared:
//     SELECT surname, count(*) AS n FROM people GROUP BY surname
// count(*) where a unit has one row, and count(DISTINCT key) otherwise: units are counted.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "sql/expr.h"

namespace kith {

struct OpenQuestion {
  /// One column of the answer.
  struct Output {
    std::optional<std::size_t> key;  // nothing: the count
    std::string name;
  };

  std::vector<std::string> columns;  // GROUP BY
  std::vector<Output> outputs;
  ExprPtr where;  // nullptr: every row
};

/// Fails: kUnsupportedQuery if the question is of another form, with what can be asked; as PlanQuestion for its parts.
Result<OpenQuestion> ReadOpenQuestion(const std::string& sql, const Policy& policy);

}  // namespace kith

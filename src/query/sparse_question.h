// SQL that asks for the large ones among very many cells:
//     SELECT postcode, diagnosis, count(*) AS n FROM visits GROUP BY postcode, diagnosis HAVING count(*) >= 50
// where the declared values make more groups than a plan has: HAVING is then the threshold, on noisy counts. And SQL that
// asks for counts by columns whose values nobody declared, without HAVING: count(*) where a unit has one row, and
// count(DISTINCT key) otherwise, since there units are counted.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "query/sparse_cells.h"
#include "sql/expr.h"

namespace kith {

struct SparseQuestion {
  /// One column of the answer.
  struct Output {
    std::optional<std::size_t> key;  // nothing: the count
    std::string name;
  };

  std::vector<std::string> columns;  // GROUP BY
  std::vector<Output> outputs;
  ExprPtr where;  // nullptr: every row
  CountOf count = CountOf::kRows;
  std::size_t threshold = 0;  // 0: the values of the columns are not declared
};

/// Nothing without HAVING: no threshold is stated. Fails: kUnsupportedQuery if the question is of another form, with
/// what is missing where it is nearly of this one; as PlanQuestion for its parts.
Result<std::optional<SparseQuestion>> ReadSparseQuestion(const std::string& sql, const Policy& policy);

/// The same for columns whose values nobody declared.
Result<SparseQuestion> ReadOpenQuestion(const std::string& sql, const Policy& policy);

}  // namespace kith

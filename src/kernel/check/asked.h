// What a whole statement computes: rows, groups of them, and one number for each group.
#pragma once
#include <vector>

#include "kernel/check/rows.h"

namespace kith::check {

enum class Adds {
  kValues,    // the value of each row; 1 for a count
  kDistinct,  // one for each value, of whatever rows
};

struct Number {
  Adds adds = Adds::kValues;
  Possible value;   // of a row; NULL adds nothing
  Possible filter;  // rows where it is not true add nothing
};

struct Asked {
  Rows rows;
  std::vector<Possible> keys;  // by number
  std::vector<Number> numbers;
};

/// The first `keys` columns are the numbers of groups, the others what is added up in each.
Asked AskedBy(const sql::Statement& statement, std::size_t keys, const Context& context);

}  // namespace kith::check

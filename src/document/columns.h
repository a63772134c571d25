// What an analyst may know of a policy before asking: its tables and columns, taken only from the policy.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/value.h"
#include "policy/policy.h"

namespace kith::document {

struct ColumnFacts {
  std::string name, type;
  bool is_public = false;  // known to everybody for every unit
  bool per_row = false;    // public, and may differ between rows of a unit
  bool required = false;   // never NULL
  bool constant = false;   // the same in all rows of a unit
  std::vector<Value> values;
  std::optional<Value> lower, upper;
  std::string pattern;               // how text that can be counted in very many cells is written; empty: not declared
  std::vector<std::string> may_ask;  // in words
};

struct TableFacts {
  std::string name;
  bool is_public = false;
  std::string about;  // one sentence
  std::vector<ColumnFacts> columns;
};

/// In the order of the policy.
std::vector<TableFacts> FactsOf(const Policy& policy);

Json ToJson(const std::vector<TableFacts>& tables);
/// The inverse. Fails: kInvalidArgument if a field is missing or is of another kind.
Result<std::vector<TableFacts>> TableFactsFrom(const Json& in);

}  // namespace kith::document

// A policy for this module's tests: public and secret columns of every kind.
#pragma once
#include <string>

#include "base/check.h"
#include "policy/policy.h"
#include "sql/dialect.h"

namespace kith {

/// `unit` is the [unit] section's lines after the table: "row = true" or "key = ..." with max_rows, and presence.
inline Policy TestPolicy(const std::string& unit = "row = true\npresence = \"public\"") {
  const std::string text = R"(
[data]
tables.people = "people.csv"
tables.regions = { source = "regions.csv", public = true, key = "code" }
[unit]
table = "people"
)" + unit + R"(
[columns.people]
id     = { type = "integer" }
pair   = { type = "integer", public = true }
zyg    = { values = ["mz", "dz", "os"], required = true, public = true }
sex    = { values = ["f", "m"], public = true }
ill    = { values = ["no", "yes"] }
stage  = { values = [1, 2, 4], required = true }
smoker = { type = "boolean" }
age    = { lower = 0, upper = 120 }
pulse  = { lower = 40, upper = 200, required = true }
score  = { lower = -1.0, upper = 3.0 }
weight = { lower = 0.5, upper = 250.0, required = true }
seen   = { lower = 2020-01-01, upper = 2021-12-31 }
at     = { type = "timestamp" }
name   = { type = "text" }
code   = { type = "integer" }
level  = { type = "real" }
[columns.regions]
code   = { type = "text" }
name   = { values = ["north", "south"], required = true }
rain   = { lower = 0.0, upper = 50.0 }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1.0
ledger = "people.ledger"
)";
  auto policy = Policy::Parse(text, "people.toml");
  KITH_CHECK(policy.has_value());
  return *std::move(policy);
}

/// What DuckDB would be asked.
template <class Planned>
std::string DuckDbText(const Planned& planned) {
  return sql::DuckDb().Write(planned.statement);
}

}  // namespace kith

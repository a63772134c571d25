// How many rows the units of a table have, checked once in each state of the data, so that a question need not limit them
// where there is nothing to leave out.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "engine/duckdb/folder.h"
#include "engine/promises.h"
#include "engine/session.h"
#include "policy/policy.h"
#include "sql/dialect.h"
#include "sql/statement.h"

namespace kith {

/// How an engine is asked about its tables by their names in the policy.
struct Asking {
  std::function<std::string(const std::string& sql)> over;  // what it is sent
  std::function<Result<IntegerTable>(const std::string& sent)> run;
  Ends ends = PlainEnds();
};

/// What is known about the unit's table, from a scan of it or from an earlier scan of the same state (`state`; nothing:
/// states cannot be distinguished, and the scan is only about this session). Nothing where units have no key.
/// Fails: as `run`. Ensures [ENGINE-9], [ENGINE-11]: what it says is true of every row that the session sees.
Result<sql::UnitRows> LookAtUnits(const Asking& asking, const Policy& policy, const std::optional<std::string>& state,
                                  const KithFolder& folder);

/// What else is known about the columns of the unit's table, found and remembered in the same way: how many rows it
/// has, and which columns need no clamp. Fails: as `run`. Ensures [ENGINE-16]: what it says is true of every row of
/// that state.
Result<sql::UnitRows> LookAtColumns(const Asking& asking, const sql::Dialect& dialect, const Policy& policy,
                                    const std::string& state, const KithFolder& folder, sql::UnitRows known);

/// Checks every promise of the policy. Fails: as `run`; with the promise that is broken.
Result<void> CheckPromises(const Asking& asking, const Policy& policy, const sql::UnitRows& known,
                           const std::optional<std::string>& state, const KithFolder& folder);

}  // namespace kith

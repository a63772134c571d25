// The statement checker: derives from a statement itself how far one unit can move its numbers, and refuses a claim
// that is smaller. It knows nothing of whoever made statement and claim.  Claims: claims/kernel_check.md
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/check/change.h"
#include "kernel/check/facts.h"
#include "loss/loss.h"
#include "sql/statement.h"

namespace kith::check {

/// What is said about one number of a statement.
struct ClaimedNumber {
  Sensitivities change;                   // when a record is replaced, over the groups of all levels that get noise
  std::optional<Sensitivities> presence;  // when the unit comes or goes; nothing: as `change`
  std::vector<bool> open_levels;          // released without noise; empty: no level
};

/// What whoever made a statement says about it.
struct Claim {
  std::size_t keys = 0;                 // its first columns number groups; after them comes one column for each number
  std::vector<std::size_t> sizes = {};  // of each key: its numbers are from 0 to below this; empty: not said
  std::vector<ClaimedNumber> numbers;
  Use use;
  std::vector<bool> charged;  // cells whose units can change anything
  std::int64_t rows = 1;      // the most rows of a unit that it adds up
};

/// What the checker finds: for each number, the largest over all cells.
struct Found {
  struct Of {
    Moved change, presence;
    std::vector<bool> open_levels;
  };
  std::vector<Of> numbers;
  std::vector<bool> charged;
  Int128 rows = 0;
};

/// A statement whose claim was checked. Made only by Check.
class CheckedStatement {
 public:
  const sql::Statement& statement() const { return statement_; }
  const Claim& claim() const { return claim_; }

 private:
  friend Result<CheckedStatement> Check(const sql::Statement& statement, const Facts& facts, const Claim& claim);
  CheckedStatement(sql::Statement statement, Claim claim)
      : statement_(std::move(statement)), claim_(std::move(claim)) {}
  sql::Statement statement_;
  Claim claim_;
};

/// Fails: kUnsupportedQuery with what no rule knows. `claim` says only how the numbers are used.
/// Ensures [KERNEL-1]: for any two snapshots that differ in one unit's record (same public values), each number changes
/// by no more, and not at all for a unit in a cell that is not charged.
Result<Found> FindChange(const sql::Statement& statement, const Facts& facts, const Claim& claim);

/// Fails: kUnsupportedQuery as above, or where the claim is smaller than what was found.
/// Ensures [KERNEL-2]: a claim that passes is no smaller than the bound of KERNEL-1, in any part.
Result<CheckedStatement> Check(const sql::Statement& statement, const Facts& facts, const Claim& claim);

}  // namespace kith::check

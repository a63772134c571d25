// A question after checking: which exact integers the engine must compute, how much one unit can change each, which
// cells are charged, and how the noisy integers become the answer. Made only from the question and the policy; no data
// is touched.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/int128.h"
#include "base/note.h"
#include "base/result.h"
#include "base/value.h"
#include "loss/loss.h"
#include "policy/policy.h"
#include "sql/statement.h"

namespace kith {

/// The part of a statistic that is not added up: one of several values is chosen, by its rank among the rows of the
/// group. Rows whose value is NULL are left out.
struct Quantile {
  std::int64_t num = 0, den = 2;         // num / den of the rows should be below; den is even
  std::vector<std::int64_t> candidates;  // ascending, in lattice steps
  double least = 0, most = 0;            // what the values are cut to, in their own units
  bool rounded = false;                  // they are rounded to the nearest candidate; otherwise each is one
  std::string of;                        // what is ranked, as canonical text: the same for all ranks of it
  // How many noisy statistics an output computes with at once, this one among them: its interval fails with
  // probability at most 1 / (20 * together).
  std::int64_t together = 1;
  bool interval = true;  // false: the analyst does without it, and the value has the whole share [QUANTILE-6]
  // Rows whose group and candidate occur: key indexes, the candidate's index (after the last: NULL), how
  // many rows.
  sql::Statement statement;
};

/// One distinct integer per group that gets noise, e.g. count(*) or a sum on its lattice.
struct Statistic {
  std::string name;      // as a person reads it: "count(*)", "sum(age)", "sum(age - 60) for avg(age)"
  Lattice lattice;       // answer = integer * step
  Sensitivities change;  // over all groups together, in steps; none: made of public facts only, no noise
  std::string reason;    // the rule that gave the change, for explain and golden tests
  // Set: the integer is one of the candidates, and the change is by how much more one candidate's distance from the
  // wanted rank can change than another's, in 1/den rows, over all groups together [QUANTILE-1].
  std::shared_ptr<const Quantile> quantile;
  // What all rows of one unit together can add to a group, in its own units: between these, which include 0.
  double unit_low = 0, unit_high = 0;
  // Of a plan with levels: those in which no secret can change it. Empty: none of them.
  std::vector<bool> open_levels;
  bool of_households = false;  // it counts households, not what their persons add
  // The change if one unit comes or goes with all its rows, where that is proved to be smaller; nothing: as `change`.
  std::optional<Sensitivities> presence = std::nullopt;

  /// A secret can change it: it needs noise.
  bool noisy() const { return !change.IsNone(); }
  const Sensitivities& OfPresence() const { return presence ? *presence : change; }
  /// The same for the groups of one level.
  bool NoisyIn(std::size_t level) const { return noisy() && (open_levels.empty() || !open_levels[level]); }
};

/// One GROUP BY key; every declared combination appears in the answer.
struct GroupKey {
  std::string name;
  std::vector<Value> values;  // engine returns the index into this list; Null last unless the column is required
  bool secret = false;
  bool histogram = false;  // the values are strings that name parts of a range, and their order is that of the list
  std::string column;      // not empty: the key is this column of the unit's table with its declared values, as it is
};

/// What a key shows in groups of all its values together.
inline constexpr const char* kAllTogether = "(all)";

/// Post-processing of one answer row: an expression over noisy statistics. Immutable.
class OutputExpr;  // defined in query/output/output.h

struct OutputColumn {
  std::string name;
  std::shared_ptr<const OutputExpr> expr;  // over statistics and keys of one group
};

/// NULL comes after every value, as in PostgreSQL: last when ascending, first when descending.
struct OrderBy {
  std::size_t output = 0;
  bool descending = false;
};

struct Plan {
  static constexpr std::size_t kMaxGroups = 65536;

  std::string normalised;  // canonical text: two spellings of one question agree
  std::vector<GroupKey> keys;
  // GROUP BY ROLLUP or CUBE: which keys distinguish the groups of a level, finest level (all keys) first, then those of
  // fewer keys; in a chain, each level is a part of the one before. Empty: only that level. Sensitivities are over
  // the groups of all levels together; the engine computes the finest level, of which the others are sums.
  std::vector<std::vector<bool>> levels;
  std::vector<bool> impossible;  // groups that no row can be in, whatever the data are; empty: none is known
  std::vector<Statistic> statistics;
  std::vector<OutputColumn> outputs;
  std::vector<OrderBy> order_by;
  std::optional<std::int64_t> limit;
  std::int64_t offset = 0;     // rows left out before the limit counts
  std::vector<bool> charged;   // per cell of the policy: can a secret of a unit in this cell change anything?
  std::vector<Note> notes;     // clamping, NULLs, dropped rows: what the analyst should know
  std::int64_t unit_rows = 1;  // the most rows of one unit among those that it is about
  // False: it reads another table of the units, without the unit's table: not all units that it is about need be in
  // that one.
  bool of_unit_table = true;
  bool of_pairs = false;                 // it begins with a table whose rows name two units [TABLES-3]
  bool per_unit = false;                 // a sub-select makes one row of all rows of a unit [UNIT-1]
  bool windows = false;                  // or looks at all of them from each [UNIT-2]
  bool of_groups = false;                // or makes one row of all rows of a public group of units [GROUP-1]
  std::vector<std::string> more_tables;  // tables of the units that it reads besides or instead of the unit's
                                         // table
  // One row per non-empty group: key indexes, then one integer per statistic that is not a quantile; empty if all are.
  sql::Statement statement;

  /// Of the finest level: the product of the key sizes (1 without GROUP BY).
  std::size_t finest_groups() const;
  /// Of all levels: those of the finest, then those of the next.
  std::size_t groups() const;
  /// Each level is a part of the one before: a total is one sum of parts. True of a plan without levels.
  bool InAChain() const;
  /// Those that an answer shows: no row can be in the others.
  std::size_t shown_groups() const;
  /// Positions of the statistics that get noise.
  std::vector<std::size_t> noisy() const;
  /// In each level: a group's level, and the position of its value in each key's list; nothing where the level has all
  /// values of the key together.
  struct Place {
    std::size_t level = 0;
    std::vector<std::optional<std::size_t>> keys;
  };
  Place PlaceOf(std::size_t group) const;
  /// The key values of a group as they are shown: "(all)" where there are all values together.
  std::vector<Value> ShownKeys(std::size_t group) const;
};

/// noisy[group][statistic], in lattice steps; groups of a level in mixed radix, the first key slowest. After the
/// statistics come both ends of the interval of each quantile that has one.
using NoisyGroups = std::vector<std::vector<Int128>>;

/// The longest question of a person, in bytes.
inline constexpr std::size_t kMaxQuestionBytes = 8192;

/// Text to plan. Never touches data, never crashes: text is capped, one SELECT, limited nesting. An analysis that
/// writes its own questions may raise the cap; the limit on words and signs then grows in proportion. Fails:
/// kUnsupportedQuery with the reason and, where there is one, the way to ask it; kInvalidArgument for a syntax error.
/// Ensures [PLAN-1]: for any two snapshots that differ in one unit's record (same public values), the L1 distance of
/// each statistic over all groups is at most its change's l1, and 0 if the unit's cell is not charged (for quantiles
/// the distances of QUANTILE-1).
/// Ensures [ADDREM-1]: if in one of them the unit is not there at all, at most that of `presence`.
Result<Plan> PlanQuestion(const std::string& sql, const Policy& policy, std::size_t max_bytes = kMaxQuestionBytes);

}  // namespace kith

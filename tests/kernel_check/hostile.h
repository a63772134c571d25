// Random statements that nobody's planner would write, the worlds that they are about, and what neighbours drawn at
// random do.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "kernel/check/check.h"
#include "policy/policy.h"
#include "tests/kernel_check/tiny_statements.h"
#include "tests/query_bruteforce/random_questions.h"

namespace kith::testing::hostile {

struct World {
  /// Table t of the units, v another one of theirs, r a public one; few columns of few values.
  explicit World(Dice& dice);
  /// Of any policy. Requires: one that the checker knows.
  explicit World(Policy of, std::string about)
      : policy(std::move(of)), facts(check::FactsOf(policy).value()), text(std::move(about)) {}
  Policy policy;
  check::Facts facts;
  std::string text;  // of the policy
};

/// A statement with how its numbers are used; nothing is claimed yet.
struct Asked {
  sql::Statement statement;
  check::Claim claim;
};
Asked RandomStatement(const World& world, Dice& dice);

struct Distance {
  Int128 l1 = 0, l2_squared = 0, groups = 0;
};

/// What a unit's record can do, as far as it was tried: in four random worlds of a few units, fourteen random records
/// of one unit, each pair of them. Not all neighbours: what is never drawn is not seen.
struct Truth {
  bool ran = false;  // the statement is one that an engine would run
  std::string why_not;
  std::vector<Distance> numbers;  // the largest of any two of the records, which have the same public values
  std::vector<Distance> presence;
  // A unit in these cells (one, or one for each of its rows) moved the numbers by so much.
  struct Move {
    std::vector<std::size_t> cells;
    std::vector<Int128> l1;
  };
  std::vector<Move> moves;
  std::vector<std::vector<bool>> open_levels;  // of each number: those that nothing moved
};
Truth SampledNeighbours(const World& world, const Asked& asked, Dice& dice);

/// What is exceeded, in words; empty if nothing is.
std::string FaultOf(const Truth& truth, const check::Found& found, const check::Facts& facts);
/// The policy and the statement in DuckDB's SQL.
std::string About(const World& world, const Asked& asked);
/// A claim of just what was found; nothing if it is too large for any.
std::optional<check::Claim> ClaimOf(const check::Claim& use, const check::Found& found);
/// Claims that are smaller in one part each.
std::vector<check::Claim> Smaller(const check::Claim& claim, const check::Found& found);

}  // namespace kith::testing::hostile

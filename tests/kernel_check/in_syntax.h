// Statements and facts in the syntax of proofs/Language.v, Rules.v and Moves.v, as tokens that
// tests/proofs/statements.py hands to the checker extracted from there. It shares no code with the kernel's checker but
// what a policy declares.
#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/check/check.h"

namespace kith::testing {

/// What the proved checker has no syntax for.
struct Outside : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One number of a statement in one cell of the policy.
struct InSyntax {
  std::string tables, source, number, levels;
  std::string Text() const { return tables + number + levels + source; }
};

/// Values of the columns that tell cells apart, by column of the unit's table; nothing: any.
using CellValues = std::vector<std::optional<Value>>;
/// All cells of columns that are public for a unit; at most `most` of them, or it throws Outside.
std::vector<CellValues> CellsOf(const check::Facts& facts, std::size_t most);

/// `unclamped`: with a planted fault, the outermost clamp of what is summed left out. Throws Outside.
InSyntax Translate(const sql::Statement& statement, const check::Facts& facts, const check::Claim& claim,
                   std::size_t number, const CellValues& cell, bool unclamped = false);

}  // namespace kith::testing

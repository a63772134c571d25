#include "query/group_rows.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "policy/group_size.h"
#include "policy/per_row.h"
#include "query/emit/emit.h"
#include "query/per_unit.h"
#include "query/range/range.h"

namespace kith {
namespace {

// slope * column + offset.
struct Affine {
  double slope = 0, offset = 0;
  std::optional<std::size_t> column;
};

constexpr double kExact = 0x1p52;

bool IsExact(const Affine& a) { return std::abs(a.slope) < kExact && std::abs(a.offset) < kExact; }

std::optional<double> NumberOf(const Expr& constant) {
  if (const auto* whole = std::get_if<std::int64_t>(&constant.value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&constant.value)) return *real;
  return std::nullopt;
}

std::optional<Affine> Combined(Op op, const Affine& a, const Affine& b) {
  if (a.column && b.column && a.column != b.column) return std::nullopt;
  const auto column = a.column ? a.column : b.column;
  switch (op) {
    case Op::kAdd:
      return Affine{a.slope + b.slope, a.offset + b.offset, column};
    case Op::kSubtract:
      return Affine{a.slope - b.slope, a.offset - b.offset, column};
    case Op::kMultiply:
      if (a.column && b.column) return std::nullopt;
      if (!a.column) return Affine{a.offset * b.slope, a.offset * b.offset, column};
      return Affine{b.offset * a.slope, b.offset * a.offset, column};
    default:
      return std::nullopt;
  }
}

// Whole numbers are computed exactly, however they are nested. For real numbers one operation is allowed, whose
// rounding is relative to its result: among several, what is lost of a large number on the way may be all that is left.
std::optional<Affine> AffineOf(const Expr& expr, bool nested = false) {
  const bool real = expr.type == Type::kReal;
  if (expr.op == Op::kColumn) return Affine{1, 0, expr.column};
  if (expr.op == Op::kConstant) {
    const auto number = NumberOf(expr);
    return number ? std::optional(Affine{0, *number, std::nullopt}) : std::nullopt;
  }
  if (expr.op == Op::kToReal) {
    const Expr& whole = *expr.args[0];
    const bool plain = whole.op == Op::kColumn || whole.op == Op::kConstant;
    return whole.type == Type::kInteger && (plain || !nested) ? AffineOf(whole, true) : std::nullopt;
  }
  if ((real && nested) || (!real && expr.type != Type::kInteger)) return std::nullopt;
  std::vector<Affine> args;
  for (const ExprPtr& arg : expr.args) {
    const auto of = AffineOf(*arg, true);
    if (!of) return std::nullopt;
    args.push_back(*of);
  }
  std::optional<Affine> made;
  if (expr.op == Op::kNegate) made = Affine{-args[0].slope, -args[0].offset, args[0].column};
  if (args.size() == 2) made = Combined(expr.op, args[0], args[1]);
  return made && (real || IsExact(*made)) ? made : std::nullopt;
}

bool IsPublic(const ExprPtr& expr, const Table& table) {
  bool all = true;
  if (expr) ForEachColumn(*expr, [&](std::size_t column) { all = all && table.columns[column].is_public; });
  return all;
}

}  // namespace

std::optional<std::int64_t> GroupSizeOf(const Policy& policy, const Column& column) {
  if (!IsPublicOfUnit(column)) return std::nullopt;
  return DeclaredGroupSize(policy, column.name);
}

std::optional<Int128> OwnChange(const Question& question, const Counter& counter, Lattice lattice) {
  constexpr int kSmallestExponent = -60;  // what is read as zero is far below a step
  constexpr double kMostSteps = 0x1p40;
  if (!question.per_unit || !question.per_unit->OfGroups() || counter.kind != CounterKind::kSum) return std::nullopt;
  const PerUnit& rows = *question.per_unit;
  const Table& table = question.policy->unit_table();
  if (rows.policy->unit.level != UnitLevel::kPerson || !question.joins.empty()) return std::nullopt;
  if (!IsPublic(question.where, table) || !IsPublic(counter.filter, table)) return std::nullopt;
  const auto value = AffineOf(*counter.value);
  if (!value || !value->column || *value->column < rows.first) return std::nullopt;
  const std::size_t k = *value->column - rows.first;
  if (k >= rows.columns.size() || !rows.columns[k].own) return std::nullopt;
  // A row that comes or goes, or whose sum does, is made only of this unit's rows: its offset comes and goes with it.
  const bool may_go = rows.unit.presence == Presence::kSecret || !table.columns[*value->column].required;
  const double offset = may_go ? std::abs(value->offset) : 0;
  const double slope = std::abs(value->slope);
  const auto own = static_cast<double>(*rows.columns[k].own);
  if (counter.value->type == Type::kInteger && lattice.exponent == 0) {
    const double steps = slope * own + offset;
    return steps < kExact && own < kExact ? std::optional(static_cast<Int128>(steps)) : std::nullopt;
  }
  // Both values are rounded to the lattice, and were computed with an error of far less than a step.
  if (lattice.exponent < kSmallestExponent) return std::nullopt;
  const double steps = (slope * own * rows.columns[k].lattice.step() + offset) / lattice.step();
  return steps < kMostSteps ? std::optional(static_cast<Int128>(std::ceil(steps)) + 2) : std::nullopt;
}

std::vector<bool> CellsThatMatter(const Question& question) {
  const PerUnit& rows = *question.per_unit;
  const Policy& policy = *rows.policy;
  const Table& table = policy.unit_table();
  std::vector<bool> matter(policy.cells.size(), true);
  if (rows.rows || RowsArePublic(policy)) return matter;
  const bool may_miss = policy.unit.presence == Presence::kSecret, several = policy.unit.max_rows > 1;
  const auto used = UsedColumns(question);
  std::vector<Range> declared;
  for (const Column& column : table.columns) declared.push_back(RangeOf(column));
  for (std::size_t cell = 0; cell < matter.size(); ++cell) {
    std::vector<Range> ranges = declared;
    for (std::size_t k = 0; k < policy.cells.columns().size(); ++k) {
      const Column* const column = table.Find(policy.cells.columns()[k].name);
      ranges[static_cast<std::size_t>(column - table.columns.data())] = RangeOf(*column, policy.cells.At(cell, k));
    }
    RangeEvaluator evaluator(table, ranges);
    const Range where = rows.where ? evaluator.Evaluate(*rows.where) : Range{};
    const bool passes = !rows.where || where.may_true;
    // Whether the unit has rows in the group at all is a secret, or how many.
    bool changes = may_miss || (rows.where && where.secret);
    for (std::size_t k = 0; k < rows.columns.size() && passes && !changes; ++k) {
      if (!used.contains(rows.first + k)) continue;
      const UnitColumn& column = rows.columns[k];
      bool secret = several, counts = true;
      for (const ExprPtr& expr : {column.value, column.by, column.filter}) {
        if (!expr) continue;
        const Range range = evaluator.Evaluate(*expr);
        secret = secret || range.secret;
        if (expr == column.filter) counts = range.may_true;
      }
      changes = counts && secret;
    }
    matter[cell] = evaluator.error() || (passes && changes);
  }
  return matter;
}

}  // namespace kith

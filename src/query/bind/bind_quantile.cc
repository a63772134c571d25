// min, max, median and other quantiles: the values among which one is chosen, and the rank that is wanted.
#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "query/bind/bind_output.h"
#include "query/bind/typing.h"

namespace kith {
namespace {

constexpr std::int64_t kFinestRank = 1'000'000;
// A choice considers every candidate of every group.
constexpr std::size_t kMostCells = std::size_t{1} << 20;
// All quantiles of a question together: cells to look at, and candidates to remember.
constexpr std::size_t kMostCellsTogether = 16 * kMostCells;
constexpr std::size_t kMostPointsTogether = 16 * Plan::kMaxGroups;

struct Wanted {
  const PgQuery__Node* value = nullptr;
  const PgQuery__Node* rank = nullptr;  // nullptr: the function's name says it
  std::int64_t parts = 0;               // of kFinestRank
  bool descending = false;
};

Error WrongCall(const std::string& name, const std::string& where) {
  const std::string way = name.starts_with("percentile") ? "percentile_cont(0.9) WITHIN GROUP (ORDER BY column)"
                          : name.starts_with("quantile") ? "quantile_cont(column, 0.9)"
                                                         : name + "(column)";
  return InvalidArgument(fmt::format("{} is written differently", name), where, "write " + way);
}

Result<Wanted> WantedBy(const PgQuery__FuncCall& call, const std::string& name, const std::string& where) {
  if (call.agg_distinct) {
    return Unsupported(fmt::format("{}(DISTINCT ...) is not supported", name), where,
                       "one record can change which values are distinct; leave DISTINCT out");
  }
  if (call.agg_star || call.func_variadic) return WrongCall(name, where);
  const bool ordered = name.starts_with("percentile");
  if (ordered != call.agg_within_group || call.n_agg_order != (ordered ? 1u : 0u)) return WrongCall(name, where);
  Wanted wanted;
  if (ordered) {
    if (call.n_args != 1) return WrongCall(name, where);
    const PgQuery__SortBy& sort = *call.agg_order[0]->sort_by;
    if (sort.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING) return WrongCall(name, where);
    wanted.value = sort.node;
    wanted.rank = call.args[0];
    wanted.descending = sort.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
    return wanted;
  }
  const bool ranked = name.starts_with("quantile");
  if (call.n_args != (ranked ? 2u : 1u)) return WrongCall(name, where);
  wanted.value = call.args[0];
  if (ranked) wanted.rank = call.args[1];
  wanted.parts = name == "max" ? kFinestRank : name == "median" ? kFinestRank / 2 : 0;
  return wanted;
}

// A constant from 0 to 1, as whole parts of kFinestRank.
std::optional<std::int64_t> PartsOf(const Expr& rank) {
  double value = -1;
  if (rank.op == Op::kConstant) {
    if (const auto* whole = std::get_if<std::int64_t>(&rank.value)) value = static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&rank.value)) value = *real;
  }
  if (!(value >= 0 && value <= 1)) return std::nullopt;
  const double parts = value * static_cast<double>(kFinestRank);
  if (std::abs(parts - std::nearbyint(parts)) > 1e-6) return std::nullopt;
  return static_cast<std::int64_t>(std::nearbyint(parts));
}

// In lowest terms, with an even denominator: halves of a row are then whole.
Rank RankOf(std::int64_t parts) {
  const std::int64_t common = std::gcd(parts, kFinestRank);
  const std::int64_t factor = kFinestRank / common % 2 == 0 ? 1 : 2;
  return {factor * parts / common, factor * kFinestRank / common};
}

std::string RankedText(std::int64_t parts, const std::string& value) {
  if (parts == 0) return fmt::format("min({})", value);
  if (parts == kFinestRank) return fmt::format("max({})", value);
  if (2 * parts == kFinestRank) return fmt::format("median({})", value);
  return fmt::format("quantile_disc({}, {})", value, static_cast<double>(parts) / static_cast<double>(kFinestRank));
}

// The finest lattice 2^exponent on which this many points cover the range. Whole numbers need none finer than 1.
int ExponentFor(const Range& range, bool real, std::size_t most) {
  const double points = static_cast<double>(most - 2);
  if (!real) {
    if (range.high - range.low < static_cast<Int128>(most)) return 0;
    return std::max(1, std::ilogb(static_cast<double>(range.high - range.low) / points) + 1);
  }
  const double width = range.real_high - range.real_low;
  const double reach = std::max(std::abs(range.real_low), std::abs(range.real_high));
  if (reach == 0) return 0;
  // Not so fine that grid numbers of values far from zero become large.
  return std::max(width > 0 ? std::ilogb(width / points) + 1 : -900, std::ilogb(reach) - 48);
}

Error TooManyPoints() {
  return Unsupported(fmt::format("the quantiles of this question choose among too many values: {} of different "
                                 "expressions, and {} in all groups together, are allowed at most",
                                 kMostPointsTogether, kMostCellsTogether),
                     {}, "ask several questions with fewer quantiles, or of values with narrower bounds");
}

}  // namespace

Result<BoundOutput> OutputBinder::BindQuantile(const PgQuery__FuncCall& call, const std::string& name,
                                               const ExprPtr& filter) {
  const std::string where = rows_.At(call.location);
  auto wanted = WantedBy(call, name, where);
  if (!wanted) return wanted.error();
  if (wanted->rank) {
    const auto rank = rows_.Bind(*wanted->rank);
    if (!rank) return rank.error();
    const auto parts = PartsOf(**rank);
    if (!parts) {
      return InvalidArgument("the rank of a quantile must be one number from 0 to 1 with at most six decimals", where,
                             "write 0.5 for the median, 0.9 for the value below which nine of ten lie");
    }
    wanted->parts = wanted->descending ? kFinestRank - *parts : *parts;
  }
  const auto value = rows_.Bind(*wanted->value);
  if (!value) return value.error();
  return QuantileOf(*value, filter, wanted->parts, name, where);
}

Result<BoundOutput> OutputBinder::QuantileOf(const ExprPtr& value, const ExprPtr& filter, std::int64_t parts,
                                             const std::string& name, const std::string& where) {
  const bool date = value->type == Type::kDate;
  if (value->type == Type::kText || value->type == Type::kTimestamp || value->type == Type::kBoolean) {
    return Unsupported(
        fmt::format("{} is for numbers and dates, not for {}", name, TypeName(value->type)), where,
        value->type == Type::kTimestamp ? "write CAST(column AS date)" : "count it instead, with GROUP BY or FILTER");
  }
  const auto number = date ? MakeArithmetic(Op::kSubtract, value, MakeConstant(std::int64_t{0}, Type::kDate), where)
                           : MakeNumber(value, where);
  if (!number) return number.error();
  auto grid = GridOf(*number, where);
  if (!grid) return grid.error();
  Counter counter;
  counter.kind = CounterKind::kQuantile;
  counter.value = value;
  counter.filter = filter;
  counter.text = RankedText(parts, CanonicalText(*value, rows_.table())) + FilterText(filter);
  counter.name = RankedText(parts, DisplayText(*value, rows_.table())) +
                 (filter ? fmt::format(" FILTER (WHERE {})", DisplayText(*filter, rows_.table())) : "");
  counter.rank = RankOf(parts);
  counter.lattice = grid->lattice;
  counter.least = grid->least;
  counter.most = grid->most;
  counter.rounded = grid->rounded;
  counter.grid = grid->key;
  const std::string text = counter.text;
  const std::size_t before = counters_.size(), k = AddCounter(std::move(counter));
  if (counters_.size() > before) grid_cells_ += grid->key->shown.size() * GroupsSoFar();
  if (grid_cells_ > kMostCellsTogether) return TooManyPoints();
  return BoundOutput{QuantileOutput(k, (*number)->type == Type::kInteger, date), text};
}

std::size_t OutputBinder::GroupsSoFar() const {
  std::size_t groups = 1;
  for (const Key& key : keys_) groups = std::min(groups * std::max<std::size_t>(key.shown.size(), 1), kMostCells);
  return groups;
}

// What rows are counted by: the number of a point of the lattice, of which there are few.
Result<OutputBinder::Grid> OutputBinder::GridOf(const ExprPtr& number, const std::string& where) {
  const auto range = BoundedRange(number, where);
  if (!range) return range.error();
  if (range->OnlyNull()) return Unsupported("a quantile of what is always NULL", where, "name a column");
  const std::size_t most = std::clamp<std::size_t>(kMostCells / GroupsSoFar(), 64, Plan::kMaxGroups);
  const bool real = number->type == Type::kReal;
  Grid grid;
  grid.lattice = {ExponentFor(*range, real, most)};
  grid.least = real ? range->real_low : static_cast<double>(range->low);
  grid.most = real ? range->real_high : static_cast<double>(range->high);
  grid.rounded = real || grid.lattice.exponent != 0;
  Key key;
  key.expr = number;
  if (grid.rounded) {
    const auto as_real = Convert(number, Type::kReal, where);
    if (!as_real) return as_real.error();
    const ExprPtr inverse = MakeConstant(std::ldexp(1.0, -grid.lattice.exponent), Type::kReal);
    key.expr = MakeExpr(Op::kToInteger, Type::kInteger, {MakeExpr(Op::kMultiply, Type::kReal, {*as_real, inverse})});
  }
  key.text = CanonicalText(*key.expr, rows_.table());
  if (const auto found = grids_.find(key.text); found != grids_.end()) return found->second;
  if (const auto error = reads_.Add(*key.expr)) return *error;
  auto image = ImageOf(*key.expr, rows_.table(), columns_, Gaps::kFilled);
  if (!image) return image.error();
  grid_points_ += image->values.size();
  if (grid_points_ > kMostPointsTogether) return TooManyPoints();
  std::sort(image->values.begin(), image->values.end(),
            [](const Value& a, const Value& b) { return std::get<std::int64_t>(a) < std::get<std::int64_t>(b); });
  key.image = std::move(*image);
  key.shown = key.image.values;
  if (key.image.may_null) key.shown.emplace_back(Null{});
  grid.key = std::make_shared<const Key>(std::move(key));
  grids_.emplace(grid.key->text, grid);
  return grid;
}

}  // namespace kith

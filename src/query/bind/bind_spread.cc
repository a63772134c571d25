// Variance, standard deviation, covariance, correlation and lines of regression: the counters they need.
//
// All are made of means of distances from the middle of the bounds and of products of such distances. Products are
// summed less the middle of their own range, as averages are, which halves their noise in secret groups.
#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "query/bind/bind_output.h"
#include "query/bind/typing.h"
#include "sql/functions.h"

namespace kith {
namespace {

using Kind = Spread::Kind;

constexpr double kLargestExactProduct = 0x1p61;  // products of whole numbers below it stay whole

struct Known {
  Kind kind;
  bool sample;
};

const std::map<std::string_view, Known>& Spreads() {
  static const std::map<std::string_view, Known> kSpreads = {
      {"var_samp", {Kind::kVariance, true}},         {"var_pop", {Kind::kVariance, false}},
      {"stddev_samp", {Kind::kDeviation, true}},     {"stddev_pop", {Kind::kDeviation, false}},
      {"covar_samp", {Kind::kCovariance, true}},     {"covar_pop", {Kind::kCovariance, false}},
      {"corr", {Kind::kCorrelation, false}},         {"regr_slope", {Kind::kSlope, false}},
      {"regr_intercept", {Kind::kIntercept, false}}, {"regr_r2", {Kind::kDetermination, false}},
  };
  return kSpreads;
}

double FarthestOf(const Centred& c) { return std::max(c.upper - c.middle, c.middle - c.lower); }

}  // namespace

Result<BoundOutput> OutputBinder::BindSpread(const PgQuery__FuncCall& call, const std::string& name,
                                             const ExprPtr& filter) {
  const std::string where = rows_.At(call.location);
  const SqlFunction& function = *FindFunction(name);
  const Known& known = Spreads().at(function.name());
  const bool pair = function.arguments.most == 2;
  if (call.agg_star || !function.Takes(call.n_args)) {
    return InvalidArgument(fmt::format("{} takes {}", name, pair ? "two arguments" : "one argument"), where,
                           fmt::format("write {}({})", name, pair ? "column, column" : "column"));
  }
  if (call.agg_distinct) {
    return Unsupported(fmt::format("{}(DISTINCT ...) is not supported", name), where,
                       "one record can change which values are distinct; leave DISTINCT out");
  }
  std::vector<ExprPtr> values;
  std::string text;
  for (std::size_t i = 0; i < call.n_args; ++i) {
    auto value = BindSummed(*call.args[i], name, where);
    if (!value) return value.error();
    text += (i == 0 ? "" : ", ") + CanonicalText(**value, rows_.table());
    values.push_back(std::move(*value));
  }
  // regr_slope(y, x): what depends comes first.
  const bool line = known.kind == Kind::kSlope || known.kind == Kind::kIntercept || known.kind == Kind::kDetermination;
  if (line) std::swap(values[0], values[1]);
  Spread spread;
  spread.kind = known.kind;
  spread.sample = known.sample;
  const auto bound = pair ? CovarianceOf(values, filter, spread, where) : VarianceOf(values[0], filter, spread, where);
  if (!bound) return bound.error();
  return BoundOutput{bound->expr, fmt::format("{}({})", function.name(), text) + FilterText(filter)};
}

Result<BoundOutput> OutputBinder::VarianceOf(const ExprPtr& value, const ExprPtr& filter, Spread spread,
                                             const std::string& where) {
  const auto centred = Centre(value, where);
  if (!centred) return centred.error();
  const std::size_t count = AddCount(value, filter);
  spread.x = MeanDistance(*centred, filter, count);
  const std::string remark = fmt::format(" for var_pop({})", DisplayText(*value, rows_.table()));
  const auto square = MeanProduct(*centred, *centred, filter, count, remark, where);
  if (!square) return square.error();
  spread.xx = *square;
  return BoundOutput{SpreadOutput(spread), {}};
}

// Over rows where neither is NULL.
Result<BoundOutput> OutputBinder::CovarianceOf(const std::vector<ExprPtr>& values, const ExprPtr& filter, Spread spread,
                                               const std::string& where) {
  std::vector<Centred> centred;
  for (const ExprPtr& value : values) {
    auto one = Centre(value, where);
    if (!one) return one.error();
    centred.push_back(std::move(*one));
  }
  const ExprPtr x_there = WhereNotNull(values[0]), y_there = WhereNotNull(values[1]);
  // What else a sum needs: it skips its own NULLs.
  const ExprPtr with_x = BothConditions(filter, x_there), with_y = BothConditions(filter, y_there);
  const bool both = x_there && y_there;
  const std::size_t count = both ? AddCounter(CounterKind::kRows, nullptr, BothConditions(with_x, y_there))
                                 : AddCount(x_there ? values[0] : values[1], filter);
  spread.x = MeanDistance(centred[0], with_y, count);
  spread.y = MeanDistance(centred[1], with_x, count);
  spread.x_middle = centred[0].middle;
  spread.y_middle = centred[1].middle;
  const auto text = [&](std::size_t i) { return DisplayText(*values[i], rows_.table()); };
  const auto product = [&](std::size_t i, std::size_t k, const ExprPtr& condition, Mean& mean) -> Result<void> {
    const std::string remark =
        i == k ? fmt::format(" for var_pop({})", text(i)) : fmt::format(" for covar_pop({}, {})", text(i), text(k));
    const auto found = MeanProduct(centred[i], centred[k], condition, count, remark, where);
    if (!found) return found.error();
    mean = *found;
    return {};
  };
  if (const auto done = product(0, 1, filter, spread.xy); !done) return done.error();
  if (spread.ReadsXX()) {
    if (const auto done = product(0, 0, with_y, spread.xx); !done) return done.error();
  }
  if (spread.ReadsYY()) {
    if (const auto done = product(1, 1, with_x, spread.yy); !done) return done.error();
  }
  return BoundOutput{SpreadOutput(spread), {}};
}

// nullptr if it is never NULL.
ExprPtr OutputBinder::WhereNotNull(const ExprPtr& value) const {
  RangeEvaluator evaluator(rows_.table(), columns_);
  if (!evaluator.Evaluate(*value).may_null) return nullptr;
  return MakeExpr(Op::kNot, Type::kBoolean, {MakeExpr(Op::kIsNull, Type::kBoolean, {value})});
}

Mean OutputBinder::MeanDistance(const Centred& centred, const ExprPtr& filter, std::size_t count) {
  const std::string remark =
      centred.middle == 0 ? "" : fmt::format(" for avg({})", DisplayText(*centred.value, rows_.table()));
  const std::size_t sum =
      AddCounter(CounterKind::kSum, centred.distance, filter, NameOf("sum", *centred.distance, filter) + remark);
  return {sum, count, 0, centred.lower - centred.middle, centred.upper - centred.middle};
}

Result<Mean> OutputBinder::MeanProduct(const Centred& a, const Centred& b, const ExprPtr& filter, std::size_t count,
                                       const std::string& remark, const std::string& where) {
  const bool whole = a.value->type == Type::kInteger && b.value->type == Type::kInteger &&
                     FarthestOf(a) * FarthestOf(b) < kLargestExactProduct;
  const auto factor = [&](const Centred& c) {
    const bool convert = !whole && c.value->type == Type::kInteger;
    return convert ? MakeExpr(Op::kToReal, Type::kReal, {c.distance}) : c.distance;
  };
  // One pointer for both factors of a square: its range is then known not to be negative.
  const ExprPtr first = factor(a), second = &a == &b ? first : factor(b);
  const ExprPtr product = MakeExpr(Op::kMultiply, whole ? Type::kInteger : Type::kReal, {first, second});
  const auto centred = Centre(product, where);
  if (!centred) return centred.error();
  const std::size_t sum =
      AddCounter(CounterKind::kSum, centred->distance, filter, NameOf("sum", *centred->distance, filter) + remark);
  return Mean{sum, count, centred->middle, centred->lower, centred->upper};
}

}  // namespace kith

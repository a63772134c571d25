// SELECT items: aggregates, keys, and arithmetic over them. Internal to query.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "query/bind/bind.h"
#include "query/output/output.h"
#include "query/question.h"
#include "query/reads.h"

namespace kith {

/// An output with its canonical text, by which ORDER BY finds it.
struct BoundOutput {
  OutputPtr expr;
  std::string text;
};

/// A value less the middle of its bounds, and those bounds.
struct Centred {
  ExprPtr value;     // as it is
  ExprPtr distance;  // value - middle
  double middle = 0, lower = 0, upper = 0;
};

/// Collects the counters that outputs need; equal ones are shared.
class OutputBinder {
 public:
  OutputBinder(const RowBinder& rows, const Policy& policy, const std::vector<Range>& columns,
               const std::vector<Key>& keys)
      : rows_(rows), policy_(policy), columns_(columns), keys_(keys), reads_(rows.table()) {}

  Result<BoundOutput> Bind(const PgQuery__Node& node) { return Bind(node, 0); }
  /// count(*) and sum(value), for what is not a SELECT. Fails: kUnsupportedQuery if the value is not a number with
  /// bounds.
  BoundOutput CountRows();
  Result<BoundOutput> Sum(const ExprPtr& value, const std::string& where);
  const std::vector<Counter>& counters() const { return counters_; }
  /// What keys and quantiles read so far: their values are listed while they are bound.
  Reads& reads() { return reads_; }

 private:
  Result<BoundOutput> Bind(const PgQuery__Node& node, int depth);
  Result<BoundOutput> BindColumn(const PgQuery__ColumnRef& reference);
  std::optional<BoundOutput> BindKey(const PgQuery__Node& node) const;
  Result<BoundOutput> BindNumber(const PgQuery__Node& node);
  Result<BoundOutput> OfConstant(const ExprPtr& constant) const;
  ExprPtr NumberUnder(const PgQuery__Node& node, int depth) const;  // nullptr: there is none
  Result<BoundOutput> BindOperator(const PgQuery__AExpr& expr, int depth);
  Result<BoundOutput> BindFunction(const PgQuery__FuncCall& call, int depth);
  Result<BoundOutput> Combine(Op op, const std::string& name, PgQuery__Node* const* nodes, std::size_t count,
                              int digits, int depth, const std::string& where);
  std::optional<OutputExpr::Reach> QuotientReach(const OutputExpr& part, const OutputExpr& whole) const;
  std::optional<OutputExpr::Reach> DifferenceReach(const OutputExpr& a, const OutputExpr& b) const;
  std::vector<std::string> ConditionsOf(const Counter& counter) const;
  Result<BoundOutput> BindAggregate(const PgQuery__FuncCall& call, const std::string& name);
  Result<BoundOutput> CountOf(const PgQuery__FuncCall& call, const ExprPtr& filter);
  Result<BoundOutput> CountDistinct(const PgQuery__FuncCall& call, const ExprPtr& filter);
  Result<BoundOutput> SumOf(const ExprPtr& value, const ExprPtr& filter, const std::string& where);
  Result<BoundOutput> AverageOf(const ExprPtr& value, const ExprPtr& filter, const std::string& where);
  Result<BoundOutput> BindQuantile(const PgQuery__FuncCall& call, const std::string& name, const ExprPtr& filter);
  Result<BoundOutput> QuantileOf(const ExprPtr& value, const ExprPtr& filter, std::int64_t parts,
                                 const std::string& name, const std::string& where);
  struct Grid {
    Lattice lattice;
    double least = 0, most = 0;
    bool rounded = false;
    std::shared_ptr<const Key> key;
  };
  Result<Grid> GridOf(const ExprPtr& number, const std::string& where);
  std::size_t GroupsSoFar() const;
  Result<Range> BoundedRange(const ExprPtr& value, const std::string& where) const;
  Result<ExprPtr> BindSummed(const PgQuery__Node& node, const std::string& name, const std::string& where) const;
  static Result<ExprPtr> Summed(const ExprPtr& value, const std::string& name, const std::string& where);
  bool IsAddedUp(const Expr& value, double middle) const;
  Result<Centred> Centre(const ExprPtr& value, const std::string& where) const;

  // Variance and related functions.
  Result<BoundOutput> BindSpread(const PgQuery__FuncCall& call, const std::string& name, const ExprPtr& filter);
  Result<BoundOutput> VarianceOf(const ExprPtr& value, const ExprPtr& filter, Spread spread, const std::string& where);
  Result<BoundOutput> CovarianceOf(const std::vector<ExprPtr>& values, const ExprPtr& filter, Spread spread,
                                   const std::string& where);
  Result<Mean> MeanProduct(const Centred& a, const Centred& b, const ExprPtr& filter, std::size_t count,
                           const std::string& remark, const std::string& where);
  Mean MeanDistance(const Centred& centred, const ExprPtr& filter, std::size_t count);
  ExprPtr WhereNotNull(const ExprPtr& value) const;

  std::size_t AddCounter(CounterKind kind, const ExprPtr& value, const ExprPtr& filter, const std::string& name = {});
  std::size_t AddCounter(Counter counter);
  std::size_t AddCount(const ExprPtr& value, const ExprPtr& filter);
  std::string FilterText(const ExprPtr& filter) const;
  std::string NameOf(const char* aggregate, const Expr& value, const ExprPtr& filter, const char* distinct = "") const;

  const RowBinder& rows_;
  const Policy& policy_;
  const std::vector<Range>& columns_;
  const std::vector<Key>& keys_;
  std::vector<Counter> counters_;
  Reads reads_;
  std::map<std::string, Grid> grids_;  // by the text of what is counted
  std::size_t grid_points_ = 0;        // of different grids
  std::size_t grid_cells_ = 0;         // of all quantiles, times groups
};

}  // namespace kith

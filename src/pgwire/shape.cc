#include "pgwire/shape.h"

#include <algorithm>

#include "base/meter.h"
#include "postprocess/postprocess.h"
#include "query/output/output.h"
#include "release/allowed.h"

namespace kith::pgwire {
namespace {

Oid TypeOf(const Value& value) {
  if (std::holds_alternative<bool>(value)) return kBool;
  if (std::holds_alternative<std::int64_t>(value)) return kInt8;
  if (std::holds_alternative<double>(value)) return kFloat8;
  return kText;
}

// The one type of all values that are not NULL; otherwise text.
Oid TypeOf(const std::vector<Value>& values) {
  Oid type = 0;
  for (const Value& value : values) {
    if (std::holds_alternative<Null>(value)) continue;
    const Oid own = TypeOf(value);
    if (type != 0 && type != own) return kText;
    type = own;
  }
  return type == 0 ? kText : type;
}

// A whole number, a real one, or a date: what it is does not depend on which number it is.
Oid TypeOf(const OutputExpr& expr, const Plan& plan) {
  if (const auto key = expr.Key()) return plan.levels.empty() ? TypeOf(plan.keys[*key].values) : kText;
  if (expr.IsDate()) return kText;
  std::vector<Value> keys;
  for (const GroupKey& key : plan.keys) keys.push_back(key.values.empty() ? Value(Null{}) : key.values.front());
  Estimate some{1, 0.5, Estimate::Ends{0, 2, false}};
  const std::vector<Estimate> statistics(plan.statistics.size(), some);
  const OutputExpr::Row row{keys, statistics};
  const auto number = expr.Compute(row);
  if (number.date) return kText;
  return number.whole && !number.null ? kInt8 : kFloat8;
}

}  // namespace

void Shape::Add(std::size_t column, const std::string& name, Oid type) {
  fields_.push_back({name, type});
  sources_.push_back({column, Part::kValue});
}

void Shape::AddBar(std::size_t column, const std::string& name) {
  fields_.push_back({name + "_error_95", kFloat8});
  sources_.push_back({column, Part::kError});
}

void Shape::AddInterval(std::size_t column, const std::string& name, Oid type) {
  fields_.push_back({name + "_low_95", type});
  sources_.push_back({column, Part::kLow});
  fields_.push_back({name + "_high_95", type});
  sources_.push_back({column, Part::kHigh});
  fields_.push_back({name + "_informative", kBool});
  sources_.push_back({column, Part::kInformative});
}

void Shape::AddPlan(const Plan& plan) {
  for (std::size_t k = 0; k < plan.outputs.size(); ++k) {
    const OutputExpr& expr = *plan.outputs[k].expr;
    const std::string& name = plan.outputs[k].name;
    const Oid type = TypeOf(expr, plan);
    Add(k, name, type);
    const auto& reads = expr.Reads();
    const bool noisy =
        std::any_of(reads.begin(), reads.end(), [&](std::size_t read) { return plan.statistics[read].noisy(); });
    if (expr.Quantile()) {
      AddInterval(k, name, type);
    } else if (noisy) {
      AddBar(k, name);
    }
  }
}

Result<Shape> Shape::Of(const QuestionRequest& request, const Policy& policy, const CancelFlag& cancel) {
  return Metered(Meter::kPlanning, cancel, [&] { return Planned(request, policy); });
}

Result<Shape> Shape::Planned(const QuestionRequest& request, const Policy& policy) {
  Shape shape;
  const auto about = AskedAbout(policy, request.unit);
  if (!about) return about.error();
  const auto plan = PlanQuestion(request.sql, *about);
  if (plan) {
    shape.AddPlan(*plan);
    return shape;
  }
  if (plan.error().code != Code::kUnsupportedQuery) return plan.error();
  const auto program = postprocess::PlanProgram(request.sql, *about);
  if (!program) return program.error();
  if (!*program) return plan.error();
  if ((*program)->as_it_is) {
    shape.AddPlan((*program)->inner.back().plan);
    return shape;
  }
  const auto types = postprocess::TypesOf(**program);
  if (!types) return types.error();
  for (std::size_t k = 0; k < types->size(); ++k) {
    const auto& output = (*program)->outer.outputs[k];
    const Oid type = TypeOf((*types)[k]);
    shape.Add(k, output.name, type);
    if (output.dependence != postprocess::Dependence::kNone && (type == kInt8 || type == kFloat8))
      shape.AddBar(k, output.name);
  }
  return shape;
}

Rows Shape::RowsOf(const Answer& answer) const {
  Rows out{fields_, {}};
  for (const auto& row : answer.rows) {
    auto& values = out.rows.emplace_back();
    for (const Source& source : sources_) {
      Value value = Null{};
      if (source.column < row.size()) {
        const AnswerCell& cell = row[source.column];
        const auto& interval = cell.interval_95;
        if (source.part == Part::kValue) value = cell.value;
        if (source.part == Part::kError && cell.error_95) value = *cell.error_95;
        if (source.part == Part::kLow && interval) value = interval->low;
        if (source.part == Part::kHigh && interval) value = interval->high;
        if (source.part == Part::kInformative && interval) value = !interval->everything;
      }
      values.push_back(std::move(value));
    }
  }
  return out;
}

}  // namespace kith::pgwire

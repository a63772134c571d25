#include "query/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "query/bind/bind_levels.h"
#include "query/bind/typing.h"
#include "query/bounds.h"
#include "query/emit/emit.h"
#include "query/output/notes.h"
#include "query/output/output.h"
#include "query/per_unit.h"
#include "query/question.h"
#include "query/statements.h"
#include "query/step_question.h"

namespace kith {

namespace {

Result<std::vector<GroupKey>> KeysOf(const Question& question, const Table& table, const std::vector<Range>& columns) {
  std::vector<GroupKey> keys;
  std::size_t groups = 1;
  RangeEvaluator evaluator(table, columns);
  for (const Key& key : question.keys) {
    groups *= key.shown.size();
    if (groups > Plan::kMaxGroups) {
      return Unsupported(
                 fmt::format("GROUP BY would make more than {} groups", Plan::kMaxGroups), Shortened(key.name),
                 "group by fewer columns, or by wider ranges: width_bucket(x, 0, 100, 10); or ask for the large "
                 "ones among very many cells")
          .For("request.cells");
    }
    keys.push_back({key.name, key.shown, evaluator.Evaluate(*key.expr).secret, key.expr->op == Op::kHistogram});
    if (key.column) keys.back().column = table.columns[*key.column].name;
  }
  return keys;
}

std::size_t GroupsOf(const std::vector<GroupKey>& keys, const std::vector<bool>& kept) {
  std::size_t product = 1;
  for (std::size_t k = 0; k < keys.size(); ++k) product *= kept[k] ? keys[k].values.size() : 1;
  return product;
}

// In all levels; the finest one is given. A group is impossible if all its parts are.
std::vector<bool> InLevels(const Plan& plan, const std::vector<bool>& finest) {
  if (plan.levels.empty() || finest.empty()) return finest;
  std::vector<bool> impossible(plan.groups(), true);
  for (std::size_t group = 0; group < finest.size(); ++group) {
    if (finest[group]) continue;
    const auto place = plan.PlaceOf(group);
    std::size_t first = 0;
    for (const auto& kept : plan.levels) {
      std::size_t at = 0;
      for (std::size_t k = 0; k < plan.keys.size(); ++k) {
        if (kept[k]) at = at * plan.keys[k].values.size() + *place.keys[k];
      }
      impossible[first + at] = false;
      first += GroupsOf(plan.keys, kept);
    }
  }
  return impossible;
}

bool IsQuantile(const Counter& counter) { return counter.kind == CounterKind::kQuantile; }

// What all rows of one unit can add to a group, in the counter's own units.
std::pair<double, double> OfOneUnit(const Counter& counter, const BoundedCounter& bounded, std::int64_t max_rows) {
  const auto rows = static_cast<double>(max_rows);
  if (counter.kind == CounterKind::kUnits || counter.kind == CounterKind::kHouseholds) return {0, 1};
  if (counter.kind != CounterKind::kSum) return {0, rows};
  const double step = rows * bounded.lattice.step();
  return {std::min(0.0, static_cast<double>(bounded.low) * step),
          std::max(0.0, static_cast<double>(bounded.high) * step)};
}

// What is added up, without the quantiles.
sql::Statement SumsOf(const Question& question, const Bounds& bounds, const Policy& policy) {
  Question sums;
  sums.tick = question.tick;
  sums.per_unit = question.per_unit;
  sums.joins = question.joins;
  sums.where = question.where;
  sums.keys = question.keys;
  Bounds their_bounds;
  for (std::size_t k = 0; k < question.counters.size(); ++k) {
    if (IsQuantile(question.counters[k])) continue;
    sums.counters.push_back(question.counters[k]);
    their_bounds.counters.push_back(bounds.counters[k]);
  }
  return sums.counters.empty() ? sql::Statement() : StatementOf(sums, their_bounds, policy);
}

// Rows by group and grid point: the question with the grid as one more key.
sql::Statement RowsAt(const Question& question, const Counter& quantile, const Policy& policy) {
  Question counted;
  counted.tick = question.tick;
  counted.per_unit = question.per_unit;
  counted.joins = question.joins;
  counted.where = BothConditions(question.where, quantile.filter);
  counted.keys = question.keys;
  counted.keys.push_back(*quantile.grid);
  counted.counters.emplace_back();
  Bounds bounds;
  bounds.counters.push_back({{}, Sensitivities::None(), {}});  // only the statement is used here
  return StatementOf(counted, bounds, policy);
}

// The most noisy statistics that an output computes with, this one among them.
std::int64_t ReadTogether(const Question& question, const Bounds& bounds, std::size_t k) {
  std::int64_t most = 1;
  for (const OutputColumn& output : question.outputs) {
    const auto& reads = output.expr->Reads();
    if (std::find(reads.begin(), reads.end(), k) == reads.end()) continue;
    const auto noisy = [&](std::size_t s) { return !bounds.counters[s].change.IsNone(); };
    most = std::max<std::int64_t>(most, std::count_if(reads.begin(), reads.end(), noisy));
  }
  return most;
}

std::shared_ptr<const Quantile> QuantileOf(const Question& question, const Bounds& bounds, std::size_t k,
                                           const Policy& policy) {
  const Counter& counter = question.counters[k];
  if (!IsQuantile(counter)) return nullptr;
  auto quantile = std::make_shared<Quantile>();
  const Table& table = policy.unit_table();
  quantile->of = CanonicalText(*counter.value, table);
  if (counter.filter) quantile->of += " where " + CanonicalText(*counter.filter, table);
  quantile->num = counter.rank.num;
  quantile->den = counter.rank.den;
  quantile->least = counter.least;
  quantile->most = counter.most;
  quantile->rounded = counter.rounded;
  quantile->together = ReadTogether(question, bounds, k);
  for (const Value& value : counter.grid->image.values) quantile->candidates.push_back(std::get<std::int64_t>(value));
  quantile->statement = RowsAt(question, counter, policy);
  return quantile;
}

}  // namespace

void MakeStatements(const Question& question, const Bounds& bounds, Plan& plan) {
  const Policy& policy = *question.policy;
  for (std::size_t k = 0; k < question.counters.size(); ++k)
    plan.statistics[k].quantile = QuantileOf(question, bounds, k, policy);
  plan.statement = SumsOf(question, bounds, policy);
}

std::size_t Plan::finest_groups() const {
  std::size_t product = 1;
  for (const GroupKey& key : keys) product *= key.values.size();
  return product;
}

bool Plan::InAChain() const { return kith::InAChain(levels); }

std::size_t Plan::groups() const {
  if (levels.empty()) return finest_groups();
  std::size_t sum = 0;
  for (const auto& kept : levels) sum += GroupsOf(keys, kept);
  return sum;
}

std::size_t Plan::shown_groups() const {
  return groups() - static_cast<std::size_t>(std::count(impossible.begin(), impossible.end(), true));
}

std::vector<std::size_t> Plan::noisy() const {
  std::vector<std::size_t> positions;
  for (std::size_t k = 0; k < statistics.size(); ++k) {
    if (statistics[k].noisy()) positions.push_back(k);
  }
  return positions;
}

Plan::Place Plan::PlaceOf(std::size_t group) const {
  Place place{0, std::vector<std::optional<std::size_t>>(keys.size())};
  const std::vector<bool> all(keys.size(), true);
  while (place.level + 1 < levels.size() && group >= GroupsOf(keys, levels[place.level])) {
    group -= GroupsOf(keys, levels[place.level]);
    ++place.level;
  }
  const std::vector<bool>& kept = levels.empty() ? all : levels[place.level];
  for (std::size_t k = keys.size(); k-- > 0;) {
    if (!kept[k]) continue;
    place.keys[k] = group % keys[k].values.size();
    group /= keys[k].values.size();
  }
  return place;
}

std::vector<Value> Plan::ShownKeys(std::size_t group) const {
  const Place place = PlaceOf(group);
  std::vector<Value> shown;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    shown.push_back(place.keys[k] ? keys[k].values[*place.keys[k]] : Value{std::string(kAllTogether)});
  }
  return shown;
}

Result<Plan> PlanQuestion(const std::string& sql, const Policy& policy, std::size_t max_bytes) {
  auto question = BindQuestion(sql, policy, max_bytes);
  return question ? MakePlan(std::move(*question)) : question.error();
}

Result<Plan> MakePlan(Question question) {
  const Policy& joined = *question.policy;
  auto keys = KeysOf(question, joined.unit_table(), question.columns);
  if (!keys) return keys.error();
  const auto bounds = BoundQuestion(question, joined, question.columns);
  if (!bounds) return bounds.error();

  Plan plan;
  plan.keys = std::move(*keys);
  plan.levels = question.levels;
  if (plan.groups() > Plan::kMaxGroups) {
    return Unsupported(fmt::format("GROUP BY would make more than {} groups", Plan::kMaxGroups), {},
                       "group by fewer columns, or by wider ranges: width_bucket(x, 0, 100, 10)");
  }
  for (std::size_t k = 0; k < question.counters.size(); ++k) {
    const BoundedCounter& bounded = bounds->counters[k];
    const Counter& counter = question.counters[k];
    Statistic& statistic =
        plan.statistics.emplace_back(Statistic{counter.name, bounded.lattice, bounded.change, bounded.reason});
    const auto [low, high] = OfOneUnit(counter, bounded, joined.unit.max_rows);
    statistic.unit_low = low;
    statistic.unit_high = high;
    statistic.open_levels = bounded.open_levels;
    statistic.of_households = counter.kind == CounterKind::kHouseholds;
    statistic.presence = bounded.presence;
  }
  plan.impossible = InLevels(plan, question.impossible);
  plan.charged = bounds->charged;
  plan.unit_rows = joined.unit.max_rows;
  plan.of_unit_table = question.of_unit_table;
  plan.more_tables = question.more_tables;
  plan.of_pairs = joined.unit_table().other.has_value();
  for (const PerUnit* inner = question.per_unit.get(); inner; inner = inner->rows.get())
    (inner->OfGroups() ? plan.of_groups : inner->windows ? plan.windows : plan.per_unit) = true;
  plan.notes = NotesOf(question, joined);
  MakeStatements(question, *bounds, plan);
  plan.normalised = std::move(question.normalised);
  plan.outputs = std::move(question.outputs);
  plan.order_by = std::move(question.order_by);
  plan.limit = question.limit;
  plan.offset = question.offset;
  return plan;
}

struct StepQuestion::Bound {
  Question question;
  Bounds bounds;
  Plan plan;
};

Result<StepQuestion> StepQuestion::Make(const std::string& sql, const Policy& policy) {
  auto question = BindQuestion(sql, policy, kMaxQuestionBytes, StepRows::kYes);
  if (!question) return question.error();
  question->tick = 0;
  auto bounds = BoundQuestion(*question, *question->policy, question->columns);
  if (!bounds) return bounds.error();
  auto plan = MakePlan(*question);
  if (!plan) return plan.error();
  return StepQuestion(std::make_shared<const Bound>(Bound{std::move(*question), std::move(*bounds), std::move(*plan)}));
}

const Plan& StepQuestion::plan() const { return bound_->plan; }

Plan StepQuestion::At(std::int64_t tick) const {
  Question question = bound_->question;
  question.tick = tick;
  Plan plan = bound_->plan;
  MakeStatements(question, bound_->bounds, plan);
  return plan;
}

}  // namespace kith

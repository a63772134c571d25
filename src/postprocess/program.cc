// Runs a statement on answers, and finds the bars of what it gives.
#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "postprocess/compile.h"
#include "postprocess/postprocess.h"
#include "postprocess/simulate.h"
#include "postprocess/stages.h"
#include "query/parse/syntax.h"
#include "sql/quote.h"

namespace kith::postprocess {
namespace {

constexpr std::size_t kMostNoises = 1000;     // each takes a run of the statement
constexpr std::size_t kMostNumbers = 400000;  // of all these runs

/// Answers as tables of a scratch database, behind views in which all noise can be switched off but one.
class Tables {
 public:
  Tables(const Program& program, const std::vector<Given>& answers) : program_(program), answers_(answers) {}

  Result<void> Load(Scratch& scratch) {
    if (auto made = scratch.Create("kith_run", {ScratchType::kWhole}, {{Value(kAsItIs)}}); !made) return made;
    if (auto made = scratch.Create("kith_noise", {ScratchType::kWhole, ScratchType::kReal}, {}); !made) return made;
    for (std::size_t k = 0; k < program_.inner.size(); ++k) {
      if (auto loaded = LoadOne(k, scratch); !loaded) return loaded;
    }
    return {};
  }
  const std::vector<Source>& sources() const { return sources_; }

 private:
  Result<void> LoadOne(std::size_t k, Scratch& scratch) {
    const Inner& inner = program_.inner[k];
    const std::size_t width = inner.columns.size();
    std::vector<ScratchType> types;
    for (const Inner::Column& column : inner.columns) types.push_back(column.type);
    types.insert(types.end(), width, ScratchType::kWhole);  // whose noise is in it
    std::vector<std::vector<Value>> rows;
    for (std::size_t i = 0; k < answers_.size() && i < answers_[k].rows.size(); ++i) {
      std::vector<Value>& row = rows.emplace_back();
      for (const Cell& cell : answers_[k].rows[i]) row.push_back(cell.value);
      for (std::size_t j = 0; j < width; ++j) row.push_back(SourceOf(k, i, j));
    }
    const std::string table = fmt::format("kith_raw_{}", k + 1), run = "(SELECT c0 FROM kith_run)";
    if (auto made = scratch.Create(table, types, rows); !made) return made;
    std::string columns;
    for (std::size_t j = 0; j < width; ++j) {
      const Inner::Column& column = inner.columns[j];
      const bool number = column.type == ScratchType::kWhole || column.type == ScratchType::kReal;
      columns += j == 0 ? "" : ", ";
      if (!column.noisy || !number) {
        columns += fmt::format("c{}", j);
        continue;
      }
      const char* type = column.type == ScratchType::kWhole ? "BIGINT" : "DOUBLE";
      std::string drawn;
      if (!program_.outer.drawn.empty())
        drawn = fmt::format(
            " WHEN {0} = {1} THEN {2}.c{3} + CAST(coalesce((SELECT kith_noise.c1 FROM kith_noise WHERE kith_noise.c0 = "
            "{2}.c{4}), 0) * '{5}'::DOUBLE AS {6})",
            run, kDrawn, QuotedName(table), j, width + j, column.factor, type);
      columns += fmt::format(
          "CASE WHEN {0} = {1} THEN c{2} WHEN c{2} IS NULL THEN NULL{6} WHEN c{3} = {0} THEN CAST('{4}' AS {5}) ELSE "
          "CAST(0 AS {5}) END AS c{2}",
          run, kAsItIs, j, width + j, column.factor, type, drawn);
    }
    return scratch.Execute(
        fmt::format("CREATE VIEW {} AS SELECT {} FROM {}", QuotedName(AnswerName(k)), columns, QuotedName(table)));
  }

  Value SourceOf(std::size_t k, std::size_t row, std::size_t j) {
    const Inner::Column& column = program_.inner[k].columns[j];
    const Cell& cell = answers_[k].rows[row][j];
    if (!column.noisy || (!program_.inner[k].plan.levels.empty() && !cell.error_95)) return Null{};
    std::optional<Given::Law> law;
    if (column.statistic && *column.statistic < answers_[k].laws.size()) law = answers_[k].laws[*column.statistic];
    const std::tuple key(k, row, law ? 0 : 1, law ? *column.statistic : j);
    const auto [at, is_new] = ids_.emplace(key, sources_.size());
    if (is_new) {
      Source source{std::nullopt, &cell, column.factor};
      if (law) source.law = WeightedNoise{1, law->scale, law->step};
      sources_.push_back(source);
    }
    return static_cast<std::int64_t>(at->second);
  }

  const Program& program_;
  const std::vector<Given>& answers_;
  std::vector<Source> sources_;
  std::map<std::tuple<std::size_t, std::size_t, int, std::size_t>, std::size_t> ids_;
};

/// How much of which noise is in a number.
using Weights = std::vector<std::pair<std::size_t, double>>;

class Bars {
 public:
  Bars(const Outer& outer, const std::vector<Source>& sources) : outer_(outer), sources_(sources) {
    for (std::size_t k = 0; k < outer.outputs.size(); ++k) {
      const Outer::Output& output = outer.outputs[k];
      if (output.dependence == Dependence::kLinear) columns_.push_back(k);
      if (output.dependence != Dependence::kArithmetic) continue;
      std::vector<FormulaPtr> parts;
      CollectParts(output.formula, parts);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        if (parts[p]->noisy) columns_.push_back(output.parts[p]);
      }
    }
  }

  // The statement without noise, and with one noise at a time: what is linear shows its weights this way.
  Result<void> Measure(const Scratch& scratch, const CancelFlag& cancel) {
    if (columns_.empty()) return {};
    if (sources_.size() > kMostNoises) return {};
    const auto may = MayRun(scratch, outer_.all, sources_.size() + 2, cancel);
    if (!may) return may.error();
    if (!*may) return {};
    const auto run = [&](std::int64_t which) -> Result<Scratch::Table> {
      if (auto set = scratch.Execute(fmt::format("UPDATE kith_run SET c0 = {}", which)); !set) return set.error();
      return scratch.Rows(outer_.all, cancel);
    };
    auto now = run(kAsItIs);
    if (!now) return now.error();
    now_ = std::move(*now);
    const auto zero = run(kZero);
    if (!zero) return zero.error();
    rows_ = zero->size();
    if (now_.size() != rows_ || (outer_.noise_orders && !ToldApart())) return {};
    if (sources_.size() * rows_ * columns_.size() > kMostNumbers) return {};
    std::map<std::pair<std::size_t, std::size_t>, Weights> weights;
    for (std::size_t source = 0; source < sources_.size(); ++source) {
      const auto one = run(static_cast<std::int64_t>(source));
      if (!one) return one.error();
      if (one->size() != rows_) return {};  // it chooses rows after all
      for (std::size_t row = 0; row < rows_; ++row) {
        for (const std::size_t column : columns_) {
          const auto before = NumberIn((*zero)[row][column]), after = NumberIn((*one)[row][column]);
          if (before.has_value() != after.has_value()) return {};
          if (before && *before != *after) weights[{row, column}].emplace_back(source, *after - *before);
        }
      }
    }
    weights_ = std::move(weights);
    known_ = true;
    return {};
  }
  std::size_t rows() const { return rows_; }

  void Set(std::size_t number, std::size_t output, const std::vector<Value>& row, Cell& cell) {
    const auto value = NumberIn(cell.value);
    const Outer::Output& of = outer_.outputs[output];
    if (!known_ || !value || number >= rows_ || !IsRow(number, row)) return;
    const double all = outer_.by_noise ? static_cast<double>(std::max<std::size_t>(rows_, 1)) : 1;
    if (of.dependence == Dependence::kLinear) {
      cell.error_95 = BarOf(number, output, 1 - 0.05 / all);
      CopyMarks(number, output, cell);
      if (!cell.error_95 && !cell.interval_95) cell.interval_95 = IntervalOf(number, output, *value);
    }
    if (of.dependence != Dependence::kArithmetic) return;
    std::vector<FormulaPtr> parts;
    CollectParts(of.formula, parts);
    const auto noisy =
        static_cast<double>(std::count_if(parts.begin(), parts.end(), [](const auto& p) { return p->noisy; }));
    std::vector<Range> ranges;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto middle = NumberIn(row[of.parts[p]]);
      const auto bar = parts[p]->noisy ? BarOf(number, of.parts[p], 1 - 0.05 / all / noisy) : 0.0;
      if (!middle || !bar) return;
      ranges.push_back({*middle - *bar, *middle + *bar});
    }
    std::size_t next = 0;
    const auto range = RangeOf(*of.formula, ranges, next);
    if (range) cell.error_95 = std::max({0.0, range->high - *value, *value - range->low});
  }

 private:
  bool ToldApart() const {
    std::set<std::vector<std::string>> seen;
    for (const std::vector<Value>& row : now_) {
      std::vector<std::string> identity;
      for (const std::size_t column : outer_.identity) identity.push_back(ToText(row[column]));
      if (!seen.insert(std::move(identity)).second) return false;
    }
    return true;
  }

  // The row of the result is the one that was measured.
  bool IsRow(std::size_t number, const std::vector<Value>& row) const {
    const auto same = [&](std::size_t column) { return now_[number][column] == row[column]; };
    return std::all_of(columns_.begin(), columns_.end(), same) &&
           std::all_of(outer_.identity.begin(), outer_.identity.end(), same);
  }

  const Weights* WeightsOf(std::size_t row, std::size_t column) const {
    const auto found = weights_.find({row, column});
    return found == weights_.end() ? nullptr : &found->second;
  }

  std::optional<double> BarOf(std::size_t row, std::size_t column, double confidence) {
    const Weights* weights = WeightsOf(row, column);
    if (!weights) return std::nullopt;  // not seen does not prove that there is none
    std::vector<WeightedNoise> noises;
    for (const auto& [source, weight] : *weights) {
      const Source& of = sources_[source];
      if (!of.law) {  // its bar is all that is known about it
        const bool alone = weights->size() == 1 && confidence == 0.95 && of.cell->error_95;
        return alone ? std::optional(std::fabs(weight / of.factor) * *of.cell->error_95) : std::nullopt;
      }
      noises.push_back({std::fabs(weight), of.law->scale, of.law->step});
    }
    std::vector<std::tuple<double, double, double>> key = {{confidence, 0, 0}};
    for (const WeightedNoise& noise : noises) key.emplace_back(noise.weight, noise.scale, noise.step);
    std::sort(key.begin() + 1, key.end());
    const auto found = bars_.find(key);
    return found != bars_.end() ? found->second
                                : bars_.emplace(std::move(key), BarOfSum(noises, confidence)).first->second;
  }

  // A multiple of a number that has an interval, or that and a number without noise.
  std::optional<Interval> IntervalOf(std::size_t row, std::size_t column, double value) const {
    const Weights* weights = WeightsOf(row, column);
    if (!weights || weights->size() != 1 || outer_.by_noise) return std::nullopt;
    const Source& of = sources_[weights->front().first];
    if (of.law || !of.cell->interval_95) return std::nullopt;
    const auto middle = NumberIn(of.cell->value), low = NumberIn(of.cell->interval_95->low),
               high = NumberIn(of.cell->interval_95->high);
    if (!middle || !low || !high) return std::nullopt;
    const double weight = weights->front().second / of.factor;
    const double one = value + weight * (*low - *middle), other = value + weight * (*high - *middle);
    return Interval{Value(std::min(one, other)), Value(std::max(one, other)), of.cell->interval_95->everything};
  }

  // A number of an answer, unchanged, keeps what was said about it.
  void CopyMarks(std::size_t row, std::size_t column, Cell& cell) const {
    const Weights* weights = WeightsOf(row, column);
    if (!weights || weights->size() != 1) return;
    const Source& source = sources_[weights->front().first];
    if (weights->front().second != source.factor || NumberIn(source.cell->value) != NumberIn(cell.value)) return;
    cell.only_noise = source.cell->only_noise;
    if (!outer_.by_noise) cell.interval_95 = source.cell->interval_95;
  }

  const Outer& outer_;
  const std::vector<Source>& sources_;
  std::vector<std::size_t> columns_;  // whose weights are wanted
  std::map<std::pair<std::size_t, std::size_t>, Weights> weights_;
  std::map<std::vector<std::tuple<double, double, double>>, double> bars_;
  Scratch::Table now_;  // without what has no bar
  std::size_t rows_ = 0;
  bool known_ = false;
};

}  // namespace

Result<std::optional<Program>> PlanProgram(const std::string& sql, const Policy& policy) {
  const auto tree = SyntaxTree::Parse(sql);
  if (!tree) return tree.error();
  const PgQuery__SelectStmt& select = tree->select();
  if (select.op != PG_QUERY__SET_OPERATION__SETOP_NONE && !IsUnion(select)) return std::optional<Program>();
  const auto names = NamesIn(select, {});
  if (!names) return names.error();
  if (select.n_from_clause == 0 && !IsUnion(select)) {  // numbers that sub-selects give
    const auto has = [](const PgQuery__Node* target) { return Contains(*target, IsSubSelect); };
    if (std::none_of(select.target_list, select.target_list + select.n_target_list, has))
      return std::optional<Program>();
  }
  auto shown = TextOf(select);
  if (!shown) return shown.error();
  Compiler compiler(policy);
  Stager stager(policy, compiler);
  if (auto staged = stager.Run(*tree, sql); !staged) return staged.error();
  const auto kind = KindOf(select, *names, KeysOfRows(policy));
  if (!kind) return kind.error();
  if (*kind == Kind::kRows) return std::optional<Program>();
  bool as_it_is = false;
  if (*kind == Kind::kPrivate) {
    const auto taken = TakeOut(select, *names);
    if (!taken) return taken.error();
    as_it_is = taken->as_it_is;
    if (as_it_is && compiler.stages().empty()) return std::optional<Program>();
  }
  auto outer = compiler.Outermost(select);
  if (!outer) return outer.error();
  std::vector<Stage> stages = std::move(compiler.stages());
  Program program{std::move(compiler).TakeInner(), std::move(*outer), std::move(*shown), std::move(stages), as_it_is};
  return std::optional<Program>(std::move(program));
}

namespace {

// What a stage computes, as a separate program.
Program ProgramOf(const Program& program, const Stage& stage) {
  const auto end = program.inner.begin() + static_cast<std::ptrdiff_t>(stage.asked);
  return {{program.inner.begin(), end}, stage.outer, stage.shown, {}, false};
}

bool IsNumeric(const std::string& type) {
  static const std::set<std::string> kTypes = {"TINYINT",   "SMALLINT", "INTEGER", "BIGINT",   "HUGEINT", "UTINYINT",
                                               "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT",   "DOUBLE"};
  return kTypes.contains(type) || type.starts_with("DECIMAL");
}

// What is not a number would not be one in any answer. The types are those of the statement, whatever the answers are.
Result<void> GivesNumbers(const Program& program, const Stage& stage) {
  auto scratch = Scratch::Open();
  if (!scratch) return scratch.error();
  const Program of = ProgramOf(program, stage);
  const std::vector<Given> nothing(of.inner.size());
  if (auto loaded = Tables(of, nothing).Load(*scratch); !loaded) return loaded;
  for (const Stage::Number& number : stage.numbers) {
    const auto types = scratch->Rows(
        fmt::format(
            "SELECT typeof(kith_stage.kith_{}) FROM (SELECT 1) AS kith_one LEFT JOIN ({}) AS kith_stage ON true",
            number.constant.column, stage.outer.chosen),
        CancelFlag().Until(Deadline::In(kLongest)));
    if (!types) return types.error();
    if (types->empty() || !IsNumeric(ToText(types->front().front())))
      return Unsupported(fmt::format("only numbers that are computed on private answers can be used in a private "
                                     "question, and {:.60} is none",
                                     number.shown),
                         {}, "choose a column with a number; a date can be used as the private question gives it");
  }
  return {};
}

}  // namespace

Result<std::vector<ScratchType>> TypesOf(const Program& program) {
  auto scratch = Scratch::Open();
  if (!scratch) return scratch.error();
  const std::vector<Given> nothing(program.inner.size());
  if (auto loaded = Tables(program, nothing).Load(*scratch); !loaded) return loaded.error();
  const auto found = scratch->Select(program.outer.chosen, CancelFlag().Until(Deadline::In(kLongest)));
  if (!found) return found.error();
  std::vector<ScratchType> types;
  for (std::size_t k = 0; k < program.outer.outputs.size(); ++k) types.push_back(found->columns.at(k).type);
  return types;
}

Result<void> TryOn(const Program& program) {
  for (const Stage& stage : program.stages) {
    if (stage.answer) continue;
    if (auto works = TryOn(ProgramOf(program, stage)); !works) return works;
    if (auto numbers = GivesNumbers(program, stage); !numbers) return numbers;
  }
  auto scratch = Scratch::Open();
  if (!scratch) return scratch.error();
  const std::vector<Given> nothing(program.inner.size());
  if (auto loaded = Tables(program, nothing).Load(*scratch); !loaded) return loaded;
  const auto rows = scratch->Rows(program.outer.chosen, CancelFlag().Until(Deadline::In(kLongest)));
  if (!rows) return rows.error();
  return {};
}

Result<StageValue> ValueOf(const Program& program, const StageConstant& constant, const std::vector<Given>& answers,
                           const CancelFlag& cancel) {
  const Stage& stage = program.stages.at(constant.stage);
  StageValue out;
  if (stage.answer) {
    const auto& rows = answers.at(*stage.answer).rows;
    if (rows.size() == 1 && constant.column < rows[0].size()) out.cell = rows[0][constant.column];
  } else {
    const std::vector<Given> before(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(stage.asked));
    const auto computed = Compute(ProgramOf(program, stage), before, cancel);
    if (!computed && computed.error().code != Code::kUnsupportedQuery) return computed.error();
    if (computed && computed->rows.size() == 1) out.cell = computed->rows[0].at(constant.column);
  }
  out.value = constant.Cut(out.cell.value);
  return out;
}

Result<Computed> Compute(const Program& program, const std::vector<Given>& answers, const CancelFlag& cancel) {
  auto scratch = Scratch::Open();
  if (!scratch) return scratch.error();
  Tables tables(program, answers);
  if (auto loaded = tables.Load(*scratch); !loaded) return loaded.error();
  const auto rows = scratch->Rows(program.outer.chosen, cancel.Until(Deadline::In(kLongest)));
  if (!rows) return rows.error();
  Bars bars(program.outer, tables.sources());
  // Without noise the statement may fail where it does not with it: then there are no bars.
  if (auto measured = bars.Measure(*scratch, cancel); !measured && measured.error().code == Code::kCancelled)
    return measured.error();
  Simulation simulation(program.outer, tables.sources(), answers);
  if (auto run = simulation.Run(*scratch, cancel); !run && run.error().code == Code::kCancelled) return run.error();
  Computed computed;
  for (const std::vector<Value>& row : *rows) {
    std::vector<Cell>& cells = computed.rows.emplace_back();
    const auto number = static_cast<std::size_t>(std::get<std::int64_t>(row.back()) - 1);
    for (std::size_t k = 0; k < program.outer.outputs.size(); ++k) {
      Cell& cell = cells.emplace_back(Cell{row[k], std::nullopt});
      bars.Set(number, k, row, cell);
      if (program.outer.outputs[k].dependence == Dependence::kFunction) cell.error_95 = simulation.Bar(k, row);
    }
  }
  return computed;
}

}  // namespace kith::postprocess

#include "tests/golden/golden_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>

#include "query/staged_question.h"
#include "tests/support/tiny_db_neighbours.h"

namespace kith::testing {
namespace {

template <class... Parts>
std::string Line(const Parts&... parts) {
  std::ostringstream out;
  out.precision(17);
  (out << ... << parts);
  return out.str();
}

/// Equal strings, or numbers that differ by less than the lattice of a tiny table can explain.
bool SameValue(const std::string& expected, const std::string& actual) {
  if (expected == actual || actual == kNoMean) return true;
  char* end_expected = nullptr;
  char* end_actual = nullptr;
  const double a = std::strtod(expected.c_str(), &end_expected);
  const double b = std::strtod(actual.c_str(), &end_actual);
  if (expected.empty() || actual.empty() || *end_expected != '\0' || *end_actual != '\0') return false;
  return std::fabs(a - b) <= 1e-7 * std::max(1.0, std::fabs(a));
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " | ") + part;
  return text;
}

void CompareRows(const std::vector<std::vector<std::string>>& expected,
                 const std::vector<std::vector<std::string>>& actual, const std::string& who,
                 std::vector<std::string>& out) {
  if (expected.size() != actual.size())
    out.push_back(Line(who, ": ", actual.size(), " rows, expected ", expected.size()));
  for (std::size_t r = 0; r < std::min(expected.size(), actual.size()); ++r) {
    const bool same = expected[r].size() == actual[r].size() &&
                      std::equal(expected[r].begin(), expected[r].end(), actual[r].begin(), SameValue);
    if (!same) out.push_back(Line(who, ": row ", r + 1, " is ", Joined(actual[r]), "; expected ", Joined(expected[r])));
  }
}

/// "everyone", "nobody", or alternatives of terms: a cell is meant if its name has all terms of one alternative.
bool CellMeant(const std::string& charges, const std::string& cell) {
  if (charges == "everyone") return true;
  if (charges == "nobody") return false;
  std::istringstream alternatives(charges);
  std::string alternative;
  while (std::getline(alternatives, alternative, ';')) {
    std::istringstream terms(alternative);
    std::string term;
    bool all = true;
    while (std::getline(terms, term, ',')) {
      term.erase(0, term.find_first_not_of(' '));
      all = all && (", " + cell + ",").find(", " + term + ",") != std::string::npos;
    }
    if (all) return true;
  }
  return false;
}

void CompareCells(const std::string& expected, const Policy& policy, const std::vector<bool>& charged,
                  const std::string& who, std::vector<std::string>& out) {
  if (charged.size() != policy.cells.size()) return out.push_back(who + ": wrong number of cells");
  for (std::size_t cell = 0; cell < charged.size(); ++cell) {
    const bool meant = CellMeant(expected, policy.cells.Name(cell));
    if (meant != charged[cell])
      out.push_back(Line(who, ": cell ", policy.cells.Name(cell), charged[cell] ? " is" : " is not", " charged"));
  }
}

TinyTable Typed(const std::string& name, const std::vector<std::string>& header,
                const std::vector<std::vector<std::string>>& data, const Policy& policy) {
  const Table* declared = policy.FindTable(name);
  if (declared == nullptr) throw std::runtime_error("the policy has no table " + name);
  TinyTable table{name, header, {}, {}};
  for (const std::string& column_name : header) {
    const Column* column = declared->Find(column_name);
    table.types.push_back(column ? column->type : ColumnType::kInteger);  // an undeclared key column
  }
  for (const auto& fields : data) {
    Row row;
    for (std::size_t i = 0; i < fields.size(); ++i) row.push_back(FromText(fields[i], table.types[i]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Reference ReferenceOf(const Record& record, const Policy& seen, const Policy& policy) {
  std::vector<Expr> aggregates;
  for (const ExpectedStatistic& statistic : record.statistics)
    aggregates.push_back(ParseExpression(statistic.aggregate));
  static const std::map<std::string, ColumnType> kTypes = {
      {"boolean", ColumnType::kBoolean}, {"integer", ColumnType::kInteger}, {"real", ColumnType::kReal},
      {"text", ColumnType::kText},       {"date", ColumnType::kDate},       {"timestamp", ColumnType::kTimestamp}};
  std::vector<std::vector<Datum>> images;
  for (const auto& groups : record.groups) {
    images.emplace_back();
    for (std::size_t i = 1; i < groups.size(); ++i)
      images.back().push_back(FromText(groups[i], kTypes.at(groups.front())));
  }
  return Reference(seen, ParseQuestion(record.question), aggregates, images, PublicsOf(record, policy));
}

/// The rows that the question is about.
TinyTable RowsSeen(const Record& record, const Policy& policy) {
  auto rows = SeenBy(ParseQuestion(record.question), policy, TableOf(record, policy));
  if (!rows) throw std::runtime_error("a unit of the table has too many rows, or a constant column differs");
  return *std::move(rows);
}

/// Each expected statistic must be found once among the plan's, whatever their order: sensitivity, lattice and values.
void CompareStatistics(const Record& record, const Plan& plan, const std::vector<std::vector<Int128>>& integers,
                       const Statistics& exact, std::vector<std::string>& out) {
  std::vector<bool> used(plan.statistics.size(), false);
  for (std::size_t e = 0; e < record.statistics.size(); ++e) {
    const ExpectedStatistic& expected = record.statistics[e];
    const long double step = std::ldexp(1.0L, expected.exponent);
    const auto matches = [&](std::size_t s) {
      const Statistic& statistic = plan.statistics[s];
      if (used[s] || statistic.lattice.exponent != expected.exponent) return false;
      // A sensitivity that is not a multiple of the step is rounded to one of the two nearest.
      if (std::fabs(static_cast<long double>(statistic.change.l1().steps()) - expected.sensitivity / step) >= 1)
        return false;
      for (std::size_t g = 0; g < exact[e].size(); ++g)
        if (std::fabs(static_cast<long double>(integers[s][g]) * step - exact[e][g]) >
            64 * step * (expected.exponent ? 1 : 0))
          return false;
      return true;
    };
    std::size_t s = 0;
    while (s < used.size() && !matches(s)) ++s;
    if (s < used.size())
      used[s] = true;
    else
      out.push_back(
          Line("no statistic like ", expected.aggregate, " : ", expected.sensitivity, " step 2^", expected.exponent));
  }
  for (std::size_t s = 0; s < used.size(); ++s) {
    if (used[s]) continue;
    const Statistic& statistic = plan.statistics[s];
    std::string line =
        Line("statistic of the plan not expected so: ", statistic.name, " : ",
             static_cast<double>(statistic.change.l1().steps()) * statistic.lattice.step(), " (",
             statistic.change.l1().steps(), " steps of 2^", statistic.lattice.exponent, "; ", statistic.reason, ")");
    for (const Int128 value : integers[s]) line += " " + ToText(value);
    out.push_back(line);
  }
}

/// The quantile of each group as percentile_disc has it, in lattice steps; for an empty group the first candidate.
std::vector<Int128> ExactChoices(const Plan& plan, const Quantile& quantile, const IntegerRows& rows) {
  std::vector<std::vector<Int128>> counts(plan.groups(), std::vector<Int128>(quantile.candidates.size() + 1, 0));
  for (const auto& row : rows) {
    std::size_t group = 0;
    for (std::size_t k = 0; k < plan.keys.size(); ++k)
      group = group * plan.keys[k].values.size() + static_cast<std::size_t>(row[k].value());
    const auto candidate = static_cast<std::size_t>(row[plan.keys.size()].value());
    counts.at(group).at(candidate) += row[plan.keys.size() + 1].value();
  }
  std::vector<Int128> chosen;
  for (const auto& group : counts) {
    Int128 all = 0, below = 0;
    for (std::size_t c = 0; c < quantile.candidates.size(); ++c) all += group[c];
    const Int128 wanted = std::max<Int128>(1, (all * quantile.num + quantile.den - 1) / quantile.den);
    std::size_t c = 0;
    while (c + 1 < quantile.candidates.size() && all > 0 && (below += group[c]) < wanted) ++c;
    chosen.push_back(quantile.candidates[c]);
  }
  return chosen;
}

std::vector<std::vector<std::string>> RowsOf(const Plan& plan, const std::vector<std::vector<Int128>>& integers) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : ExactAnswer(plan, integers)) {
    rows.emplace_back();
    for (const Value& value : row) rows.back().push_back(ToText(value));
  }
  return rows;
}

/// Of questions about several tables of the units, which the reference does not know: sensitivities as written, in
/// their order. Neighbours are tried in tests/query_bruteforce/tables_property_test.cc.
void CompareTables(const Record& record, const Policy& policy, const Plan& plan, SqlRunner& engine,
                   const TinyTable& table, std::vector<std::string>& out) {
  std::vector<std::string> expected, found;
  for (const ExpectedStatistic& statistic : record.statistics)
    expected.push_back(Line(statistic.sensitivity, " step 2^", statistic.exponent));
  for (const Statistic& statistic : plan.statistics)
    found.push_back(Line(
        static_cast<long double>(statistic.change.l1().steps()) * static_cast<long double>(statistic.lattice.step()),
        " step 2^", statistic.lattice.exponent));
  if (found != expected) out.push_back("statistics are " + Joined(found) + "; expected " + Joined(expected));
  engine.Load(table);
  for (const TinyTable& other : PublicsOf(record, policy)) engine.Load(other);
  CompareRows(record.rows, RowsOf(plan, StatisticsOf(plan, engine.Run(plan.statement))), "engine", out);
}

void CompareChoices(const Record& record, const Plan& plan, SqlRunner& engine, std::vector<std::string>& out) {
  std::vector<std::vector<Int128>> integers;
  std::vector<std::string> expected, found;
  for (const ExpectedChoice& choice : record.choices)
    expected.push_back(Line(choice.name, " : ", choice.rows, " of ", choice.candidates));
  for (const Statistic& statistic : plan.statistics) {
    if (!statistic.quantile) return out.push_back("not a quantile: " + statistic.name);
    const Quantile& quantile = *statistic.quantile;
    const auto spread =
        static_cast<long double>(statistic.change.l1().steps()) / static_cast<long double>(quantile.den);
    found.push_back(Line(statistic.name, " : ", spread / 2, " of ", quantile.candidates.size()));
    integers.push_back(ExactChoices(plan, quantile, engine.Run(quantile.statement)));
  }
  if (found != expected) out.push_back("choices are " + Joined(found) + "; expected " + Joined(expected));
  CompareRows(record.rows, RowsOf(plan, integers), "engine", out);
}

std::vector<std::string> RefusalDifferences(const Record& record, const Result<Plan>& plan) {
  if (plan) return {"accepted, but should be refused: " + record.because};
  std::vector<std::string> out;
  const Code expected = record.code == "invalid" ? Code::kInvalidArgument : Code::kUnsupportedQuery;
  if (plan.error().code != expected) out.push_back("refused with another code: " + plan.error().Text());
  if (plan.error().Text().find(record.because) == std::string::npos)
    out.push_back("refused for another reason: " + plan.error().Text());
  return out;
}

}  // namespace

Policy PolicyOf(const Record& record) {
  auto policy = Policy::Parse(record.policy, "golden.toml");
  if (!policy) throw std::runtime_error(policy.error().Text());
  return *std::move(policy);
}

TinyTable TableOf(const Record& record, const Policy& policy) {
  return Typed(record.table, record.header, record.data, policy);
}

std::vector<TinyTable> PublicsOf(const Record& record, const Policy& policy) {
  std::vector<TinyTable> tables;
  for (const PublicTable& table : record.publics) tables.push_back(Typed(table.name, table.header, table.data, policy));
  return tables;
}

Result<Plan> PlanOf(const Record& record, const Policy& policy) {
  if (record.stages.empty()) return PlanQuestion(record.question, policy);
  std::vector<StageConstant> constants;
  std::vector<Value> values;
  for (const ExpectedStage& stage : record.stages) {
    const bool whole = stage.type == "integer";
    if (!whole && stage.type != "real") throw std::runtime_error("a stage is integer or real");
    StageConstant constant{constants.size(), 0, whole ? ColumnType::kInteger : ColumnType::kReal};
    constant.low = stage.low;
    constant.high = stage.high;
    constant.may_null = stage.may_null;
    if (constant.Name() != "kith_stage_" + std::to_string(constants.size() + 1) + ".value")
      throw std::runtime_error("the numbers of stages are called " + constant.Name());
    const Value value = stage.value == "NULL" ? Value()
                        : whole               ? Value(static_cast<std::int64_t>(std::stoll(stage.value)))
                                              : Value(std::stod(stage.value));
    values.push_back(constant.Cut(value));
    if (!(values.back() == value)) throw std::runtime_error("a number of a stage is outside its range");
    constants.push_back(constant);
  }
  const auto staged = StagedQuestion::Make(record.staged, *WithConstants(policy, constants), constants);
  if (!staged) return staged.error();
  return staged->At(values);
}

std::vector<std::string> Differences(const Record& record, const Policy& policy, const Result<Plan>& plan,
                                     const TinyTable& table, SqlRunner& engine) {
  if (record.kind == Record::Kind::kRefuse) return RefusalDifferences(record, plan);
  if (!plan) return {"refused: " + plan.error().Text()};
  std::vector<std::string> out;
  std::vector<std::string> names;
  for (const OutputColumn& output : plan->outputs) names.push_back(output.name);
  if (names != record.columns) out.push_back("columns are " + Joined(names));
  CompareCells(record.charges, policy, plan->charged, "plan", out);
  for (const std::string& note : record.notes)
    if (std::none_of(plan->notes.begin(), plan->notes.end(),
                     [&](const Note& n) { return n.text.find(note) != std::string::npos; }))
      out.push_back("no note says: " + note);
  if (record.kind == Record::Kind::kChoose) {
    engine.Load(table);
    for (const TinyTable& other : PublicsOf(record, policy)) engine.Load(other);
    CompareChoices(record, *plan, engine, out);
    return out;
  }
  if (policy.HasMoreTables()) {
    try {
      CompareTables(record, policy, *plan, engine, table, out);
    } catch (const std::runtime_error& error) {
      out.push_back(error.what());
    }
    return out;
  }
  const Question question = ParseQuestion(record.question);
  const Policy seen = SeenBy(question, policy);
  const Reference reference = ReferenceOf(record, seen, policy);
  if (plan->groups() != reference.groups()) {
    out.push_back(Line(plan->groups(), " groups, expected ", reference.groups()));
    return out;
  }
  try {
    engine.Load(table);
    for (const TinyTable& other : PublicsOf(record, policy)) engine.Load(other);
    const auto integers = StatisticsOf(*plan, engine.Run(plan->statement));
    CompareStatistics(record, *plan, integers, reference.Evaluate(RowsSeen(record, policy)), out);
    CompareRows(record.rows, RowsOf(*plan, integers), "engine", out);
  } catch (const std::runtime_error& error) {
    out.push_back(error.what());
  }
  return out;
}

std::vector<std::string> PairDifferences(const Record& record, const Result<Plan>& first, const Result<Plan>& second) {
  if (!first) return {"refused: " + first.error().Text()};
  if (!second) return {"refused: " + second.error().Text()};
  const bool same = first->normalised == second->normalised;
  if (same == (record.kind == Record::Kind::kSame)) return {};
  return {Line(same ? "taken for one question: " : "taken for two questions: ", first->normalised, "  and  ",
               second->normalised)};
}

std::vector<std::string> ReferenceDifferences(const Record& record, const Policy& policy) {
  if (record.kind != Record::Kind::kAccept || policy.HasMoreTables()) return {};
  std::vector<std::string> out;
  const Policy seen = SeenBy(ParseQuestion(record.question), policy);
  const Reference reference = ReferenceOf(record, seen, policy);
  std::vector<std::vector<std::string>> rows;
  for (const Row& row : reference.Answer(RowsSeen(record, policy))) {
    rows.emplace_back();
    for (const Datum& value : row) rows.back().push_back(ToText(value));
  }
  CompareRows(record.rows, rows, "reference", out);
  // A row of a group is of several units, and what one of them changes is less: engine_property_test.cc tries that.
  if (policy.unit.key && !seen.unit.key) return out;
  const BruteForce brute = TryAllNeighbours(seen, reference);
  for (std::size_t s = 0; s < record.statistics.size(); ++s)
    if (std::fabs(brute.sensitivity[s] - record.statistics[s].brute) > 1e-9L * std::max(1.0L, brute.sensitivity[s]))
      out.push_back(Line("trying all neighbours changes ", record.statistics[s].aggregate, " by ", brute.sensitivity[s],
                         ", expected ", record.statistics[s].brute));
  CompareCells(record.changes, policy, brute.Changed(), "trying all neighbours", out);
  return out;
}

}  // namespace kith::testing

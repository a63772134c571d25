// One random question on small tables in a real engine: the plan's SQL before and after one unit's record is replaced.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>

#include "policy/per_row.h"
#include "query/joint_moves.h"
#include "tests/query_bruteforce/cases.h"
#include "tests/support/tiny_db_engine.h"
#include "tests/support/tiny_db_neighbours.h"

namespace kith::testing {

using Integers = std::vector<std::vector<Int128>>;

inline std::string Dump(const TinyTable& table) {
  std::string text = "\n";
  for (const std::string& column : table.columns) text += column + " | ";
  for (const Row& row : table.rows) {
    text += "\n";
    for (const Datum& value : row) text += ToText(value) + " | ";
  }
  return text;
}

inline std::size_t IndexOf(const TinyTable& table, const std::string& column) {
  return static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), column) -
                                  table.columns.begin());
}

struct Distance {
  Int128 l1 = 0, l2_squared = 0, groups = 0;
};

inline Distance DistanceOf(const std::vector<Int128>& a, const std::vector<Int128>& b) {
  Distance distance;
  for (std::size_t g = 0; g < a.size(); ++g) {
    const Int128 difference = a[g] > b[g] ? a[g] - b[g] : b[g] - a[g];
    distance.l1 += difference;
    distance.l2_squared += difference * difference;
    distance.groups += difference > 0 ? 1 : 0;
  }
  return distance;
}

/// One question on tables of three units.
class Trial {
 public:
  Trial(const Case& c, SqlRunner& engine, Dice& dice)
      : case_(c),
        engine_(engine),
        dice_(dice),
        shuffle_(static_cast<unsigned>(dice.Below(1u << 30))),
        question_(ParseQuestion(c.sql)),
        reference_(c.seen, question_, AggregatesOf(question_), ImagesOf(c.plan), {PublicTable()}),
        literals_(LiteralsOf(reference_)),
        table_(EmptyTable(c.policy.unit_table())),
        rows_(c.policy, table_, literals_, dice),
        moves_(c.staged_policy ? JointMovesOf(c.staged_sql, *c.staged_policy, c.plan)
                               : JointMovesOf(c.sql, c.policy, c.plan)) {
    engine.Load(PublicTable());
  }

  /// What is wrong, in words; empty if nothing is.
  std::string Faults(std::size_t records) {
    const Row open = rows_.Public(IntegerDatum(1));
    const std::vector<Row> rows_of_unit = OpenRows(open);
    std::vector<Row> others;
    std::vector<std::vector<Row>> alike;
    for (const int unit : {2, 3}) {
      const Row of_unit = InAGroupWith(open, rows_.Public(IntegerDatum(unit)));
      if (case_.about_groups && Group(of_unit) == Group(open)) {
        alike.push_back(OpenRows(of_unit));
        continue;
      }
      auto theirs = Records(OpenRows(of_unit), 2);
      if (fits_) theirs = {theirs.back()};
      for (const auto& record : theirs) others.insert(others.end(), record.begin(), record.end());
    }
    if (case_.policy.unit.key) others.push_back(rows_.Secrets(rows_.Public(NullDatum())));
    std::vector<bool> charged;  // the cells of its rows
    for (const Row& row : rows_of_unit)
      charged.push_back(case_.plan.charged.at(CellOf(reference_.Read(EmptyTable(case_.seen.unit_table()), row))));
    std::vector<Integers> results;
    for (const auto& record : Records(rows_of_unit, records)) {
      table_.rows = others;
      // All units of the group change at once.
      for (const std::vector<Row>& of_unit : alike) {
        const auto theirs = Records(of_unit, 2).back();
        table_.rows.insert(table_.rows.end(), theirs.begin(), theirs.end());
      }
      table_.rows.insert(table_.rows.end(), record.begin(), record.end());
      std::shuffle(table_.rows.begin(), table_.rows.end(), shuffle_);
      engine_.Load(table_);
      results.push_back(StatisticsOf(case_.plan, engine_.Run(case_.plan.statement)));
      if (const std::string fault = ReferenceFault(results.back()); !fault.empty()) return fault;
      if (const std::string fault = FaultOfWhatIsKnown(results.back()); !fault.empty()) return fault;
      if (const std::string fault = ChangeFault(results, charged); !fault.empty()) return fault;
    }
    return JointFault(results);
  }

  /// Units of one group are met often.
  Row InAGroupWith(const Row& first, Row row) {
    for (const std::string& column : case_.groups)
      if (dice_.Chance(75)) row[IndexOf(table_, column)] = first[IndexOf(table_, column)];
    return row;
  }
  Datum Group(const Row& row) const { return row[IndexOf(table_, *case_.policy.unit.within)]; }

  /// The same answer as the reference on a table of many units, each with as many rows as are kept or fewer.
  std::string FaultOfManyUnits(int units) {
    table_.rows.clear();
    const auto most = static_cast<std::size_t>(case_.policy.unit.max_rows);
    for (int unit = 1; unit <= units; ++unit) {
      const Row open = rows_.Public(IntegerDatum(unit)), first = rows_.Secrets(open);
      table_.rows.push_back(first);
      for (std::size_t rows = dice_.Below(most); rows > 0; --rows)
        table_.rows.push_back(rows_.WithConstantsOf(first, rows_.Secrets(open)));
    }
    engine_.Load(table_);
    const Integers integers = StatisticsOf(case_.plan, engine_.Run(case_.plan.statement));
    const std::string fault = ReferenceFault(integers);
    return fault.empty() ? FaultOfWhatIsKnown(integers) : fault;
  }

  /// From now on no unit has rows to drop, and constant columns are constant: the reference can be compared on all
  /// tables.
  void Fit() { fits_ = true; }

  /// Reads the table as if units had at most this many rows, whether or not that is true.
  void Believe(std::int64_t most) { belief_ = sql::UnitRows{.most = most}; }

  std::size_t compared() const { return compared_; }
  std::size_t changes() const { return changes_; }
  std::size_t shortened() const { return shortened_; }

 private:
  // Where columns are public per row: the rows of a unit, as everybody knows them. One row otherwise.
  std::vector<Row> OpenRows(const Row& open) {
    if (!RowsArePublic(case_.policy)) return {open};
    std::vector<Row> rows;
    for (auto left = 1 + dice_.Below(static_cast<std::size_t>(case_.policy.unit.max_rows)); left > 0; --left)
      rows.push_back(rows_.AnotherOf(open));
    return rows;
  }
  // Lists of rows: nothing (if presence is secret), one row, duplicates, and more rows than are kept. Rows that are
  // public are all there.
  std::vector<std::vector<Row>> Records(const std::vector<Row>& rows_of_unit, std::size_t count) {
    const Row& open = rows_of_unit.front();
    std::vector<std::vector<Row>> records;
    if (case_.policy.unit.presence == Presence::kSecret) records.push_back({});
    while (RowsArePublic(case_.policy) && records.size() < count) {
      std::vector<Row>& record = records.emplace_back();
      for (const Row& row : rows_of_unit) {
        record.push_back(rows_.Secrets(row));
        record.back() = rows_.WithConstantsOf(record.front(), record.back());
      }
    }
    while (records.size() < count) {
      const auto most =
          case_.policy.unit.key ? static_cast<std::size_t>(case_.policy.unit.max_rows) + (fits_ ? 0 : 1) : 1;
      std::vector<Row> record;
      const bool constant = fits_ || dice_.Chance(60);
      for (std::size_t rows = 1 + dice_.Below(most); rows > 0; --rows) {
        Row row = !record.empty() && dice_.Chance(25) ? record.back() : rows_.Secrets(open);
        record.push_back(constant && !record.empty() ? rows_.WithConstantsOf(record.front(), row) : row);
      }
      records.push_back(std::move(record));
    }
    return records;
  }
  std::size_t CellOf(const Row& read) const {
    std::size_t cell = 0;
    for (const CellColumn& column : case_.policy.cells.columns()) {
      const std::size_t at = IndexOf(table_, column.name);
      std::size_t value = 0;
      while (!(FromPolicyValue(column.values[value], table_.types[at]) == read[at])) ++value;
      cell = cell * column.values.size() + value;
    }
    return cell;
  }
  // The last result against all before it. `charged`: for each row of the unit, which loses at most the average of what
  // is charged to their cells [ROW-2].
  std::string ChangeFault(const std::vector<Integers>& results, const std::vector<bool>& charged) {
    const auto paid = static_cast<Int128>(std::count(charged.begin(), charged.end(), true));
    const Integers& b = results.back();
    for (std::size_t s = 0; s < case_.plan.statistics.size(); ++s)
      for (const Integers& a : results) {
        const Distance distance = DistanceOf(a[s], b[s]);
        const Sensitivities& change = case_.plan.statistics[s].change;
        if (distance.l1 > change.l1().steps()) return "changes by " + ToText(distance.l1);
        if (distance.l2_squared > change.l2_squared()) return "changes in L2 by root " + ToText(distance.l2_squared);
        if (distance.groups > change.groups()) return "changes in groups: " + ToText(distance.groups);
        if (distance.l1 * static_cast<Int128>(charged.size()) > change.l1().steps() * paid)
          return "changes in cells that are not charged, or not enough of them";
        if (distance.l1 > 0) ++changes_;
        const Int128 presence = case_.plan.statistics[s].OfPresence().l1().steps();
        const bool absent = &a == &results.front() && case_.policy.unit.presence == Presence::kSecret;
        if (absent && distance.l1 > presence) return "changes by presence by " + ToText(distance.l1);
      }
    return {};
  }
  // For some weights, and all pairs: no more than the moves say.
  std::string JointFault(const std::vector<Integers>& results) {
    if (moves_.empty()) return {};
    const std::size_t n = case_.plan.statistics.size();
    for (int i = 0; i < 6; ++i) {
      std::vector<long double> weights;
      for (const Statistic& s : case_.plan.statistics) {
        const auto part = i == 0 ? 1.0L : static_cast<long double>(dice_.Below(100));
        weights.push_back(part / static_cast<long double>(std::max<std::int64_t>(1, s.change.l1().steps())));
      }
      long double most = 0;
      for (const JointMove& move : moves_) {
        long double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += weights[k] * static_cast<long double>(move[k]);
        most = std::max(most, sum);
      }
      for (const Integers& a : results)
        for (const Integers& b : results) {
          long double sum = 0;
          for (std::size_t k = 0; k < n; ++k) sum += weights[k] * static_cast<long double>(DistanceOf(a[k], b[k]).l1);
          if (sum > most * (1 + 1e-12L)) return "changes together by more than the largest move";
        }
    }
    return {};
  }
  // The same answer from the reference, if no unit has rows to drop.
  std::string ReferenceFault(const Integers& integers) {
    const auto seen = SeenBy(question_, case_.policy, table_);
    if (!seen) return {};
    // Rows are rounded to the lattice; a sum whose rows have no useful bound has a coarse one.
    const double rows = static_cast<double>(table_.rows.size());
    double tolerance = 1e-7 * rows;
    for (const Statistic& s : case_.plan.statistics) tolerance = std::max(tolerance, rows * s.lattice.step());
    tolerance += RoundingOfSpreads();
    const std::vector<Row> expected = reference_.Answer(*seen);
    const auto actual = ExactAnswer(case_.plan, integers);
    if (expected.size() != actual.size()) return "another number of rows than the reference";
    for (std::size_t r = 0; r < expected.size(); ++r)
      for (std::size_t i = 0; i < expected[r].size(); ++i) {
        const std::string a = ToText(expected[r][i]);
        const std::string b = ToText(actual[r][i]);
        if (a == b || a == kNoMean) continue;
        const bool near = expected[r][i].numeric() && b != "NULL" &&
                          std::fabs(static_cast<double>(expected[r][i].number) - std::stod(b)) <= tolerance;
        if (!near) return "reference " + a + ", engine " + b + " in row " + std::to_string(r + 1) + Dump(table_);
      }
    ++compared_;
    return {};
  }

  // A mean that is half a step e off moves its square by 2|x|e, which a variance of two rows doubles: far more than the
  // steps of the squares, where distances are large and their own steps are coarse.
  double RoundingOfSpreads() const {
    const auto of_products = [](const Statistic& s) {
      return s.name.find(" for var_pop(") != std::string::npos || s.name.find(" for covar_pop(") != std::string::npos;
    };
    const auto& all = case_.plan.statistics;
    if (std::none_of(all.begin(), all.end(), of_products)) return 0;
    double sum = 0;
    for (const Statistic& s : all) {
      if (of_products(s) || s.lattice.exponent <= 0) continue;
      const double step = s.lattice.step(), farthest = static_cast<double>(s.change.l1().steps()) * step;
      sum += 2 * farthest * step;
    }
    return sum;
  }

  // The same answer from the statement that runs where a check has shown how many rows units have [ENGINE-9].
  std::string FaultOfWhatIsKnown(const Integers& integers) {
    if (!case_.policy.unit.key) return {};
    sql::UnitRows known;
    Question rows = question_;
    rows.table = case_.policy.unit.table;
    rows.units.reset();
    if (SeenBy(rows, case_.policy, table_)) {
      std::map<Datum, std::int64_t> counts;
      known = {.most = 1};
      for (const Row& row : table_.rows) {
        const Datum& key = row[IndexOf(table_, *case_.policy.unit.key)];
        if (!key.null()) known.most = std::max(*known.most, ++counts[key]);
      }
    }
    if (belief_) known = *belief_;
    if (!known.most) return {};
    const std::string text = engine_.dialect().Write(case_.plan.statement, known);
    if (text == engine_.dialect().Write(case_.plan.statement)) return {};  // it was asked already
    ++shortened_;
    if (StatisticsOf(case_.plan, engine_.Run(case_.plan.statement, known)) == integers) return {};
    return "another answer where it is known how many rows units have: " + text + Dump(table_);
  }

  const Case& case_;
  SqlRunner& engine_;
  Dice& dice_;
  std::mt19937 shuffle_;
  Question question_;
  Reference reference_;
  std::vector<Datum> literals_;
  TinyTable table_;
  RowMaker rows_;
  std::size_t compared_ = 0;
  std::size_t changes_ = 0;
  std::size_t shortened_ = 0;
  bool fits_ = false;
  std::optional<sql::UnitRows> belief_;
  std::vector<JointMove> moves_;
};

}  // namespace kith::testing

#include "workload/table_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "policy/dates.h"
#include "query/output/output.h"
#include "query/range/range_ops.h"
#include "sql/quote.h"

namespace kith::workload {
namespace {

constexpr std::size_t kMostAtoms = 4096;
constexpr std::size_t kMostCuts = 200;            // each is a WHEN of a CASE
constexpr std::size_t kMostIndicators = 1 << 22;  // bytes of one question

using Boundary = std::pair<double, bool>;  // x < value; or, if true, x <= value

/// What questions need to know about a column.
struct Needs {
  bool every_value = false;
  std::set<Boundary> cuts;
};

bool IsCounted(ColumnType type) { return type == ColumnType::kInteger || type == ColumnType::kDate; }

void TermsOf(const ExprPtr& condition, std::vector<ExprPtr>& terms) {
  if (!condition) return;
  if (condition->op != Op::kAnd) return terms.push_back(condition);
  for (const ExprPtr& arg : condition->args) TermsOf(arg, terms);
}

std::vector<ExprPtr> TermsOf(const ExprPtr& condition) {
  std::vector<ExprPtr> terms;
  TermsOf(condition, terms);
  return terms;
}

bool IsColumn(const Expr& expr) {
  return expr.op == Op::kColumn || (expr.op == Op::kToReal && expr.args[0]->op == Op::kColumn);
}

// Where a condition on one column changes. False: it may change anywhere.
bool AddCuts(const Expr& expr, std::set<Boundary>& cuts) {
  switch (expr.op) {
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kBetween:
    case Op::kIn:
    case Op::kDistinct:
      if (std::none_of(expr.args.begin(), expr.args.end(), [](const ExprPtr& arg) { return IsColumn(*arg); }))
        return false;
      for (const ExprPtr& arg : expr.args) {
        if (IsColumn(*arg)) continue;
        if (arg->op != Op::kConstant) return false;
        const auto number = NumberIn(arg->value);
        if (!number) return std::holds_alternative<Null>(arg->value);
        cuts.insert({*number, false});
        cuts.insert({*number, true});
      }
      return true;
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
    case Op::kIsTrue:
    case Op::kIsFalse:
      return std::all_of(expr.args.begin(), expr.args.end(), [&](const ExprPtr& arg) { return AddCuts(*arg, cuts); });
    case Op::kIsNull:
      return IsColumn(*expr.args[0]) || AddCuts(*expr.args[0], cuts);
    default:
      return false;
  }
}

// What can be answered as a sum of cells, as far as its form goes.
bool HasTheForm(const Question& question, const Plan& plan, const Policy& policy) {
  const Table& table = question.policy->unit_table();
  if (question.per_unit || !question.joins.empty() || question.tick || !question.levels.empty()) return false;
  if (table.name != policy.unit_table().name || !table.rows_of.empty() ||
      table.columns.size() != policy.unit_table().columns.size())
    return false;
  for (const Counter& counter : question.counters) {
    if (counter.kind != CounterKind::kRows) return false;
  }
  for (const Statistic& statistic : plan.statistics) {
    if (!statistic.noisy() || statistic.lattice.step() != 1) return false;
  }
  return true;
}

bool ShowsCountsAsTheyAre(const Plan& plan) {
  return std::all_of(plan.outputs.begin(), plan.outputs.end(),
                     [](const OutputColumn& output) { return output.expr->Key() || output.expr->Statistic(); });
}

// Every condition and every key by the one column that it reads; nothing if one reads none or several.
std::optional<std::map<std::size_t, std::vector<ExprPtr>>> ByColumn(const Question& question) {
  std::map<std::size_t, std::vector<ExprPtr>> all;
  std::vector<ExprPtr> terms = TermsOf(question.where);
  for (const Counter& counter : question.counters) TermsOf(counter.filter, terms);
  for (const ExprPtr& term : terms) {
    const auto column = OnlyColumn(*term);
    if (!column) return std::nullopt;
    all[*column].push_back(term);
  }
  for (const Key& key : question.keys) {
    const auto column = OnlyColumn(*key.expr);
    if (!column) return std::nullopt;
    all[*column].push_back(key.expr);
  }
  return all;
}

bool CanBeCut(const Column& column) {
  const bool number = IsCounted(column.type) || column.type == ColumnType::kReal;
  return !column.values.empty() || (number && column.lower && column.upper);
}

std::string BoundText(const Column& column, const Boundary& at) {
  const std::string name = QuotedName(column.name);
  if (column.type == ColumnType::kReal)
    return fmt::format("{} {} {}", name, at.second ? "<=" : "<", RealText(at.first));
  const auto whole = static_cast<std::int64_t>(at.first);
  if (column.type == ColumnType::kDate) return fmt::format("{} < DATE '{}'", name, DateText(whole));
  return fmt::format("{} < {}", name, whole);
}

// Nothing if it falls into too many parts.
std::optional<Attribute> AttributeOf(const Table& table, std::size_t index, const Range& range, const Needs& needs) {
  const Column& column = table.columns[index];
  Attribute out;
  out.column = index;
  out.may_null = range.may_null;
  if (!column.values.empty()) {
    for (const Value& value : column.values) out.atoms.push_back(RangeOf(column, value));
  } else if (IsCounted(column.type)) {
    out.ordered = true;
    std::set<std::int64_t> starts;
    if (needs.every_value) {
      if (range.high - range.low >= static_cast<Int128>(kMostAtoms)) return std::nullopt;
      out.dense = true;
      for (Int128 x = range.low; x <= range.high; ++x) out.atoms.push_back(IntegerRange(x, x));
    } else {
      for (const auto& [value, included] : needs.cuts) {
        if (std::fabs(value) > 0x1p53) return std::nullopt;
        // x < 2.5 and x <= 2.5 begin another range at 3; x < 3 at 3, x <= 3 at 4.
        const auto start =
            static_cast<std::int64_t>(std::ceil(value)) + (included && value == std::floor(value) ? 1 : 0);
        if (start > range.low && start <= range.high) starts.insert(start);
      }
      Int128 from = range.low;
      for (const std::int64_t start : starts) {
        out.atoms.push_back(IntegerRange(from, start - 1));
        out.below.push_back(BoundText(column, {static_cast<double>(start), false}));
        from = start;
      }
      out.atoms.push_back(IntegerRange(from, range.high));
    }
  } else {
    if (needs.every_value) return std::nullopt;
    out.ordered = true;
    double from = range.real_low;
    for (const auto& [value, included] : needs.cuts) {
      const double last = included ? value : std::nextafter(value, -HUGE_VAL);
      if (last < from || last >= range.real_high) continue;
      Range& atom = out.atoms.emplace_back(range);
      atom.may_null = false;
      atom.real_low = from;
      atom.real_high = last;
      out.below.push_back(BoundText(column, {value, included}));
      from = std::nextafter(last, HUGE_VAL);
    }
    Range& atom = out.atoms.emplace_back(range);
    atom.may_null = false;
    atom.real_low = from;
  }
  if (out.below.size() > kMostCuts) return std::nullopt;
  if (out.may_null) out.atoms.push_back(NullRange());
  if (out.atoms.size() > kMostAtoms) return std::nullopt;
  out.chain = ChainsFor(out.atoms.size(), out.ordered).front();
  return out;
}

class Viewer {
 public:
  Viewer(const Policy& policy, const Question& question, const std::vector<Attribute>& attributes,
         const std::map<std::size_t, std::size_t>& attribute_of)
      : table_(policy.unit_table()),
        question_(question),
        attributes_(attributes),
        attribute_of_(attribute_of),
        columns_(question.columns) {}

  std::optional<TableQuestion> See() {
    TableQuestion out;
    for (const Key& key : question_.keys) out.key_sizes.push_back(key.shown.size());
    std::size_t bytes = 0;
    for (const Counter& counter : question_.counters) {
      std::map<std::size_t, Indicator> passes;  // by attribute
      for (const ExprPtr& condition : {question_.where, counter.filter}) {
        for (const ExprPtr& term : TermsOf(condition)) {
          if (!Restrict(*term, passes)) return std::nullopt;
        }
      }
      std::map<std::size_t, std::vector<std::size_t>> keys;
      for (std::size_t k = 0; k < question_.keys.size(); ++k) {
        const std::size_t attribute = attribute_of_.at(*OnlyColumn(*question_.keys[k].expr));
        passes.try_emplace(attribute, attributes_[attribute].atoms.size(), std::uint8_t{1});
        keys[attribute].push_back(k);
      }
      Sum& sum = out.statistics.emplace_back();
      for (const auto& [attribute, indicator] : passes) {
        Side& side = sum.sides.emplace_back(Side{attribute, keys[attribute], {}});
        std::size_t rows = 1;
        for (const std::size_t k : side.keys) rows *= question_.keys[k].shown.size();
        bytes += rows * indicator.size();
        if (bytes > kMostIndicators || !Fill(indicator, rows, side)) return std::nullopt;
      }
    }
    return out;
  }

 private:
  std::optional<Range> At(const Expr& expr, std::size_t attribute, std::size_t atom) {
    const std::size_t column = attributes_[attribute].column;
    columns_[column] = attributes_[attribute].atoms[atom];
    RangeEvaluator evaluator(table_, columns_);
    Range range = evaluator.Evaluate(expr);
    columns_[column] = question_.columns[column];
    if (evaluator.error()) return std::nullopt;
    return range;
  }

  // False: an atom passes in part.
  bool Restrict(const Expr& term, std::map<std::size_t, Indicator>& passes) {
    const std::size_t attribute = attribute_of_.at(*OnlyColumn(term));
    Indicator& all = passes.try_emplace(attribute, attributes_[attribute].atoms.size(), std::uint8_t{1}).first->second;
    for (std::size_t atom = 0; atom < all.size(); ++atom) {
      const auto range = At(term, attribute, atom);
      if (!range || (range->may_true && (range->may_false || range->may_null))) return false;
      if (!range->may_true) all[atom] = 0;
    }
    return true;
  }

  // The position of the only value that a key has there; nothing: it has several, or one that is not listed.
  std::optional<std::size_t> ValueAt(const Key& key, std::size_t attribute, std::size_t atom) {
    const auto range = At(*key.expr, attribute, atom);
    if (!range) return std::nullopt;
    const auto& values = key.image.values;
    if (range->OnlyNull()) return values.size() < key.shown.size() ? std::optional(values.size()) : std::nullopt;
    const Type type = key.expr->type;
    if (!IsKnown(*range, type)) return std::nullopt;
    Value value;
    if (type == Type::kBoolean) value = range->may_true;
    if (type == Type::kText) value = *range->text;
    if (type == Type::kInteger || type == Type::kDate || type == Type::kTimestamp)
      value = static_cast<std::int64_t>(range->low);
    if (type == Type::kReal) value = range->real_low;
    const auto found = std::find(values.begin(), values.end(), value);
    if (found == values.end()) return std::nullopt;
    return static_cast<std::size_t>(found - values.begin());
  }

  bool Fill(const Indicator& indicator, std::size_t rows, Side& side) {
    if (side.keys.empty()) {
      side.rows = {indicator};
      return true;
    }
    side.rows.assign(rows, Indicator(indicator.size(), 0));
    for (std::size_t atom = 0; atom < indicator.size(); ++atom) {
      if (!indicator[atom]) continue;
      std::size_t row = 0;
      for (const std::size_t k : side.keys) {
        const auto value = ValueAt(question_.keys[k], side.attribute, atom);
        if (!value) return false;
        row = row * question_.keys[k].shown.size() + *value;
      }
      side.rows[row][atom] = 1;
    }
    return true;
  }

  const Table& table_;
  const Question& question_;
  const std::vector<Attribute>& attributes_;
  const std::map<std::size_t, std::size_t>& attribute_of_;
  std::vector<Range> columns_;  // of the question, except one at a time
};

/// Calls `visit` for every list of indicators about an attribute.
template <class Visit>
void ForEachSide(std::vector<std::optional<TableQuestion>>& questions, std::size_t attribute, const Visit& visit) {
  for (auto& question : questions) {
    if (!question) continue;
    for (Sum& sum : question->statistics) {
      for (Side& side : sum.sides) {
        if (side.attribute == attribute) visit(side.rows);
      }
    }
  }
}

// Neighbours that no question distinguishes become one: decades of ages need no single years.
void MergeNeighbours(const Table& table, std::size_t index, std::vector<std::optional<TableQuestion>>& questions,
                     Attribute& attribute) {
  if (!attribute.ordered) return;
  std::vector<bool> begins(attribute.atoms.size(), false);
  begins[0] = true;
  if (attribute.may_null) begins.back() = true;
  ForEachSide(questions, index, [&](const std::vector<Indicator>& rows) {
    for (const Indicator& row : rows) {
      for (std::size_t k = 1; k < row.size(); ++k) begins[k] = begins[k] || row[k] != row[k - 1];
    }
  });
  const auto kept = static_cast<std::size_t>(std::count(begins.begin(), begins.end(), true));
  if (kept == begins.size() || kept > kMostCuts) return;
  Attribute merged = attribute;
  merged.dense = false;
  merged.atoms.clear();
  merged.below.clear();
  const Column& column = table.columns[attribute.column];
  for (std::size_t k = 0; k < begins.size(); ++k) {
    const Range& atom = attribute.atoms[k];
    if (!begins[k]) {
      merged.atoms.back().high = atom.high;
      merged.atoms.back().real_high = atom.real_high;
      continue;
    }
    const bool null = attribute.may_null && k + 1 == begins.size();
    if (k > 0 && !null)
      merged.below.push_back(attribute.dense ? BoundText(column, {static_cast<double>(atom.low), false})
                                             : attribute.below[k - 1]);
    merged.atoms.push_back(atom);
  }
  merged.chain = ChainsFor(merged.atoms.size(), true).front();
  attribute = std::move(merged);
  ForEachSide(questions, index, [&](std::vector<Indicator>& rows) {
    for (Indicator& row : rows) {
      std::size_t to = 0;
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (begins[k]) row[to++] = row[k];
      }
      row.resize(to);
    }
  });
}

// CASE with the number of the block; the last one also has NULL, if that is an atom of it.
std::string CaseText(const Attribute& attribute, const std::string& name, std::size_t size) {
  std::string text = "CASE";
  const std::size_t last = (attribute.atoms.size() - 1) / size;
  for (std::size_t block = 0; block < last; ++block) {
    const std::size_t end = (block + 1) * size - 1;  // its last atom
    text += fmt::format(" WHEN {} THEN {}", end < attribute.below.size() ? attribute.below[end] : name + " IS NOT NULL",
                        block);
  }
  return text + fmt::format(" ELSE {} END", last);
}

std::string KeyText(const Table& table, const Attribute& attribute, const Range& range, std::size_t level) {
  const Column& column = table.columns[attribute.column];
  const std::string name = QuotedName(column.name);
  const std::size_t size = attribute.chain.sizes[level];
  if (!attribute.ordered || (attribute.dense && size == 1)) return name;
  if (attribute.atoms.size() <= size) return "0";
  if (!attribute.dense) return CaseText(attribute, name, size);
  const auto low = static_cast<std::int64_t>(range.low);
  const std::string from = column.type == ColumnType::kDate ? fmt::format("{} - DATE '{}'", name, DateText(low))
                           : low < 0                        ? fmt::format("{} + {}", name, -low)
                                                            : fmt::format("{} - {}", name, low);
  const std::string text = fmt::format("div({}, {})", from, size);
  return attribute.may_null ? fmt::format("coalesce({}, {})", text, (attribute.atoms.size() - 1) / size) : text;
}

}  // namespace

std::size_t TableQuestion::RowOf(const Side& side, std::size_t group) const {
  std::vector<std::size_t> at(key_sizes.size());
  for (std::size_t k = key_sizes.size(); k-- > 0; group /= key_sizes[k]) at[k] = group % key_sizes[k];
  std::size_t row = 0;
  for (const std::size_t k : side.keys) row = row * key_sizes[k] + at[k];
  return row;
}

Levels TableView::Top() const {
  Levels top;
  for (const Attribute& attribute : attributes) top += static_cast<char>(attribute.chain.top());
  return top;
}

std::size_t TableView::CellsOf(const Levels& levels) const {
  std::size_t cells = 1;
  for (std::size_t k = 0; k < levels.size(); ++k)
    cells *= attributes[k].chain.blocks(static_cast<std::size_t>(levels[k]));
  return cells;
}

std::string TableView::SqlOf(const Levels& levels) const {
  const Table& table = policy->unit_table();
  std::string keys, numbers;
  std::size_t count = 0;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const auto level = static_cast<std::size_t>(levels[k]);
    if (level == attributes[k].chain.top()) continue;
    keys += KeyText(table, attributes[k], kith::RangeOf(table.columns[attributes[k].column]), level) + ", ";
    numbers += fmt::format("{}{}", count == 0 ? "" : ", ", count + 1);
    ++count;
  }
  return fmt::format("SELECT {}count(*) FROM {}{}", keys, QuotedName(table.name),
                     count == 0 ? "" : " GROUP BY " + numbers);
}

std::string TableView::NameOf(const Levels& levels) const {
  const Table& table = policy->unit_table();
  std::string text;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Attribute& attribute = attributes[k];
    const auto level = static_cast<std::size_t>(levels[k]);
    if (level == attribute.chain.top()) continue;
    text += (text.empty() ? "" : ", ") + table.columns[attribute.column].name;
    if (!attribute.ordered) continue;
    const std::size_t size = attribute.chain.sizes[level];
    const std::size_t blocks = (attribute.atoms.size() + size - 1) / size;
    text += fmt::format(" in {} {}", blocks, blocks == 1 ? "part" : "parts");
  }
  return text.empty() ? "all rows" : text;
}

Result<std::vector<std::size_t>> TableView::PlacesOf(const Levels& levels, const Plan& plan) const {
  std::vector<std::size_t> measured;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (static_cast<std::size_t>(levels[k]) != attributes[k].chain.top()) measured.push_back(k);
  }
  const Error other = InternalError("a measured table does not have the groups that it was planned with");
  if (plan.keys.size() != measured.size() || plan.statistics.size() != 1) return other;
  // Of each key: which block each of its values is.
  std::vector<std::vector<std::size_t>> blocks;
  for (std::size_t j = 0; j < measured.size(); ++j) {
    const Attribute& attribute = attributes[measured[j]];
    const auto level = static_cast<std::size_t>(levels[measured[j]]);
    const std::vector<Value>& values = plan.keys[j].values;
    const bool by_number = attribute.ordered && !(attribute.dense && level == 0);
    if (!by_number && values.size() != attribute.atoms.size()) return other;
    auto& of_key = blocks.emplace_back();
    for (std::size_t v = 0; v < values.size(); ++v) {
      std::size_t block = v;
      if (by_number) {
        const auto* number = std::get_if<std::int64_t>(&values[v]);
        if (number == nullptr || *number < 0) return other;
        block = static_cast<std::size_t>(*number);
      }
      if (block >= attribute.chain.blocks(level)) return other;
      of_key.push_back(block);
    }
  }
  std::vector<std::size_t> places(plan.groups());
  for (std::size_t group = 0; group < places.size(); ++group) {
    const auto place = plan.PlaceOf(group);
    std::size_t at = 0;
    for (std::size_t j = 0; j < measured.size(); ++j) {
      const auto level = static_cast<std::size_t>(levels[measured[j]]);
      at = at * attributes[measured[j]].chain.blocks(level) + blocks[j][*place.keys[j]];
    }
    places[group] = at;
  }
  return places;
}

TableView ViewOf(std::shared_ptr<const Policy> policy, const std::vector<const Planned*>& questions,
                 std::vector<std::optional<TableQuestion>>& seen) {
  TableView view;
  const Table& table = policy->unit_table();
  std::map<std::size_t, Needs> needs;
  std::vector<bool> fits(questions.size(), false);
  for (std::size_t q = 0; q < questions.size(); ++q) {
    if (!questions[q] || !HasTheForm(questions[q]->question, questions[q]->plan, *policy) ||
        !ShowsCountsAsTheyAre(questions[q]->plan))
      continue;
    const Question& question = questions[q]->question;
    const auto by_column = ByColumn(question);
    if (!by_column) continue;
    fits[q] = std::all_of(by_column->begin(), by_column->end(),
                          [&](const auto& of) { return CanBeCut(table.columns[of.first]); });
    if (!fits[q]) continue;
    for (const auto& [column, exprs] : *by_column) {
      Needs& need = needs[column];
      for (const ExprPtr& expr : exprs) {
        // A CASE or an OR over one column of listed values needs no cuts; ranges do.
        if (expr->type != Type::kBoolean || !AddCuts(*expr, need.cuts)) need.every_value = true;
      }
    }
  }
  std::map<std::size_t, std::size_t> attribute_of;
  for (auto& [column, need] : needs) {
    const Range range = kith::RangeOf(table.columns[column]);
    auto attribute = AttributeOf(table, column, range, need);
    if (!attribute && need.every_value) {  // too many of them: only what the others ask can be shared
      need.every_value = false;
      attribute = AttributeOf(table, column, range, need);
    }
    if (!attribute) continue;
    attribute_of.emplace(column, view.attributes.size());
    view.attributes.push_back(std::move(*attribute));
  }
  view.policy = std::move(policy);
  seen.assign(questions.size(), std::nullopt);
  for (std::size_t q = 0; q < questions.size(); ++q) {
    if (!fits[q]) continue;
    const Question& question = questions[q]->question;
    const auto by_column = ByColumn(question);
    if (std::all_of(by_column->begin(), by_column->end(),
                    [&](const auto& of) { return attribute_of.contains(of.first); }))
      seen[q] = Viewer(*view.policy, question, view.attributes, attribute_of).See();
  }
  return view;
}

std::optional<TableQuestion> SeeOn(const TableView& view, const Planned& question) {
  if (!HasTheForm(question.question, question.plan, *view.policy)) return std::nullopt;
  std::map<std::size_t, std::size_t> attribute_of;
  for (std::size_t k = 0; k < view.attributes.size(); ++k) attribute_of.emplace(view.attributes[k].column, k);
  const auto by_column = ByColumn(question.question);
  if (!by_column || !std::all_of(by_column->begin(), by_column->end(),
                                 [&](const auto& of) { return attribute_of.contains(of.first); }))
    return std::nullopt;
  return Viewer(*view.policy, question.question, view.attributes, attribute_of).See();
}

void Simplify(std::vector<std::optional<TableQuestion>>& questions, TableView& view) {
  for (std::size_t k = 0; k < view.attributes.size(); ++k)
    MergeNeighbours(view.policy->unit_table(), k, questions, view.attributes[k]);
}

}  // namespace kith::workload

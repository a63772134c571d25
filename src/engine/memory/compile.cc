// The statements that query/emit makes, taken apart: rows with values and conditions, their totals, and, where there
// are groups, the totals of numbered groups.
#include <algorithm>
#include <limits>

#include "engine/memory/program.h"
#include "engine/memory/steps.h"

namespace kith {

bool IsFramed(const FrameColumn& column, ColumnType type) {
  if (type == ColumnType::kText)
    return column.type == FrameType::kText || column.type == FrameType::kLargeText ||
           column.type == FrameType::kTextView;
  if (column.index_bytes != 0) return false;
  const bool whole = column.type == FrameType::kInteger && (column.bytes < 8 || column.is_signed);
  if (type == ColumnType::kInteger) return whole;
  return type == ColumnType::kReal && (whole || column.type == FrameType::kDouble || column.type == FrameType::kFloat);
}

namespace memory {
namespace {

using sql::Form;

constexpr std::int64_t kMostGroups = 1 << 16;

const sql::Node& Plain(const sql::Term& term) {
  const sql::Node* node = term.get();
  while (node->form == Form::kParen) node = node->args[0].get();
  return *node;
}

class Compiler {
 public:
  Compiler(const sql::UnitRows& known, const FramedTable& table) : known_(known), table_(table), maker_(table, known) {}

  std::optional<Program> Of(const sql::Statement& statement) {
    const sql::Select* select = SelectOf(statement);
    if (select == nullptr || !IsSimple(*select) || select->where) return std::nullopt;
    const bool done = select->group_by.empty() ? Totals(*select) : Groups(*select);
    if (!done) return std::nullopt;
    program_.steps = maker_.steps();
    program_.texts = maker_.texts();
    return std::move(program_);
  }

 private:
  // What a session would run: see sql::Writer.
  const sql::Select* SelectOf(const sql::Statement& statement) const {
    if (statement.empty()) return nullptr;
    const auto& part = statement.query().part;
    if (const auto* select = std::get_if<sql::Select>(&part)) return select;
    if (const auto* choice = std::get_if<sql::Choice>(&part)) return SelectOf(choice->preferred);
    const auto* limit = std::get_if<sql::Limit>(&part);
    if (limit == nullptr || !known_.most || *known_.most > limit->rows) return nullptr;
    return SelectOf(known_.all_have_keys ? limit->all : limit->keyed);
  }

  static bool IsSimple(const sql::Select& select) {
    return select.with.empty() && !select.distinct && select.joins.empty() && select.order_by.empty() &&
           select.from.series == 0 && !select.from.own;
  }

  // The rows of the table, with names for what is computed from them.
  bool Rows(const sql::Select& totals) {
    const sql::Select* rows = SelectOf(totals.from.statement);
    if (rows == nullptr || !IsSimple(*rows) || !rows->group_by.empty()) return false;
    const sql::Source& from = rows->from;
    if (!from.statement.empty() || from.table != table_.name || from.name != "t") return false;
    for (const sql::Item& item : rows->items) names_[item.name] = item.term;
    program_.table = from.table;
    if (!rows->where) return true;
    program_.condition = rows->where;
    program_.where = maker_.Of(rows->where);
    return program_.where >= 0 && maker_.kind(program_.where) == Kind::kTruth;
  }

  bool Totals(const sql::Select& select) {
    if (!Rows(select)) return false;
    return std::all_of(select.items.begin(), select.items.end(),
                       [this](const sql::Item& item) { return AddOutput(*item.term); });
  }

  // Groups by stored values are numbered afterwards; numbers that are alike make one group. Here they are numbered at
  // once.
  bool Groups(const sql::Select& numbered) {
    const sql::Select* listed = SelectOf(numbered.from.statement);
    const std::size_t keys = numbered.group_by.size();
    if (listed == nullptr || !IsSimple(*listed) || listed->where || listed->group_by.size() != keys ||
        listed->items.size() != numbered.items.size() || listed->items.size() < keys || !Rows(*listed))
      return false;
    program_.totals.push_back({});  // all rows: which groups there are
    for (std::size_t k = 0; k < keys; ++k) {
      const sql::Node& ordinal = *numbered.group_by[k];
      const sql::Node& by = *listed->group_by[k];
      const sql::Node& name = *listed->items[k].term;
      if (ordinal.form != Form::kNumber || ordinal.low != static_cast<Int128>(k + 1) || by.form != Form::kName ||
          name.form != Form::kName || by.text != name.text || !by.source.empty() ||
          !AddKey(*numbered.items[k].term, by))
        return false;
    }
    for (std::size_t k = keys; k < listed->items.size(); ++k) {
      const sql::Node& sum = *numbered.items[k].term;
      if (sum.form != Form::kSum || sum.filter || sum.args[0]->form != Form::kName ||
          sum.args[0]->text != listed->items[k].name || !AddOutput(*listed->items[k].term))
        return false;
    }
    return true;
  }

  static std::optional<std::int64_t> WholeIn(const sql::Term& term) {
    const sql::Node& node = Plain(term);
    const auto* value =
        node.form == Form::kLiteral && node.type == Type::kInteger ? std::get_if<std::int64_t>(&node.value) : nullptr;
    return value == nullptr ? std::nullopt : std::optional(*value);
  }

  static bool IsKey(const sql::Term& term, const sql::Node& key) {
    return term->form == Form::kName && term->text == key.text && term->source.empty();
  }

  bool AddKey(const sql::Node& index, const sql::Node& key) {
    return index.form == Form::kPosition ? AddText(index, key) : AddNumber(index, key);
  }

  // The position of k among strings
  bool AddText(const sql::Node& index, const sql::Node& key) {
    if (index.type != Type::kText || index.values.empty() || !IsKey(index.args[0], key) || index.low < 0 ||
        index.low > kMostGroups || index.values.size() > static_cast<std::size_t>(kMostGroups))
      return false;
    std::vector<std::string> texts;
    for (const Value& value : index.values) {
      const auto* text = std::get_if<std::string>(&value);
      if (text == nullptr) return false;
      texts.push_back(*text);
    }
    const auto last = static_cast<std::int64_t>(texts.size()) - 1, other = static_cast<std::int64_t>(index.low);
    return AddIndex(maker_.Code(key.text, names_, std::move(texts), other), std::max(last, other) + 1);
  }

  // CASE WHEN k BETWEEN low AND high THEN CAST(k - low AS BIGINT) ELSE otherwise END
  bool AddNumber(const sql::Node& index, const sql::Node& key) {
    if (index.form != Form::kCase || index.args.size() != 3) return false;
    const sql::Node &between = *index.args[0], &above = *index.args[1], &otherwise = *index.args[2];
    const auto is_key = [&](const sql::Term& term) { return IsKey(term, key); };
    if (between.form != Form::kBetween || above.form != Form::kCast || above.stored != sql::Stored::kWhole ||
        otherwise.form != Form::kNumber || !is_key(between.args[0]))
      return false;
    const sql::Node& difference = Plain(above.args[0]);
    const auto low = WholeIn(between.args[1]), high = WholeIn(between.args[2]);
    if (difference.form != Form::kInfix || difference.text != " - " || difference.args.size() != 2 ||
        !is_key(difference.args[0]) || !low || !high || WholeIn(difference.args[1]) != low)
      return false;
    if (*low > *high || *low < -kMostWhole || *high > kMostWhole || *high - *low >= kMostGroups || otherwise.low < 0 ||
        otherwise.low > kMostGroups)
      return false;
    const auto other = static_cast<std::int64_t>(otherwise.low);
    const int one = maker_.Index(maker_.Of(std::make_shared<const sql::Node>(key), names_), *low, *high, other);
    return AddIndex(one, std::max(*high - *low, other) + 1);
  }

  bool AddIndex(int one, std::int64_t size) {
    if (one < 0) return false;
    program_.group = program_.sizes.empty() ? one : maker_.JoinIndex(program_.group, size, one);
    program_.sizes.push_back(size);
    groups_ *= size;
    return program_.group >= 0 && groups_ <= kMostGroups;
  }

  static constexpr std::int64_t kMostWhole = std::int64_t{1} << 62;

  std::optional<std::size_t> AddTotal(const sql::Node& node) {
    Total total;
    if (node.form == Form::kSum) {
      total.sum = true;
    } else if (node.form != Form::kCount || node.flag) {
      return std::nullopt;
    }
    if (node.args[0]->form != Form::kStar) {
      total.value = maker_.Of(node.args[0], names_);
      if (total.value < 0 || (total.sum && maker_.kind(total.value) != Kind::kWhole)) return std::nullopt;
    }
    if (node.filter) {
      total.filter = maker_.Of(node.filter, names_);
      if (total.filter < 0 || maker_.kind(total.filter) != Kind::kTruth) return std::nullopt;
    }
    const auto found = std::find(program_.totals.begin(), program_.totals.end(), total);
    const auto place = static_cast<std::size_t>(found - program_.totals.begin());
    if (found == program_.totals.end()) program_.totals.push_back(total);
    return place;
  }

  // A count; or coalesce(sum, 0), where the sum may be less a constant for each value that it adds up. For no rows all
  // are 0.
  bool AddOutput(const sql::Node& node) {
    const auto one = [&](const sql::Node& total) {
      const auto place = AddTotal(total);
      if (place) program_.outputs.push_back({*place});
      return place.has_value();
    };
    if (node.form == Form::kCount) return one(node);
    if (node.form != Form::kCall || node.text != "coalesce" || node.args.size() != 2) return false;
    const sql::Node &sum = *node.args[0], &zero = *node.args[1];
    if (zero.form != Form::kNumber || zero.low != 0) return false;
    if (sum.form == Form::kSum) return one(sum);
    if (sum.form != Form::kInfix || sum.text != " - " || sum.args.size() != 2) return false;
    const sql::Node &whole = *sum.args[0], &off = *sum.args[1];
    if (whole.form != Form::kSum || off.form != Form::kInfix || off.text != " * " || off.args.size() != 2) return false;
    const sql::Node &each = *off.args[0], &count = *off.args[1];
    if (each.form != Form::kCast || each.stored != sql::Stored::kWide || each.args[0]->form != Form::kNumber ||
        count.form != Form::kCount)
      return false;
    const auto added = AddTotal(whole), counted = AddTotal(count);
    if (!added || !counted) return false;
    const Total &a = program_.totals[*added], &c = program_.totals[*counted];
    if (a.value != c.value || a.filter != c.filter || a.value < 0) return false;
    program_.outputs.push_back({*added, each.args[0]->low, *counted});
    return true;
  }

  const sql::UnitRows& known_;
  const FramedTable& table_;
  StepMaker maker_;
  StepMaker::Names names_;
  Program program_;
  std::int64_t groups_ = 1;
};

}  // namespace

std::size_t Program::groups() const {
  std::size_t all = 1;
  for (const std::int64_t size : sizes) all *= static_cast<std::size_t>(size);
  return all;
}

std::vector<bool> Program::Needed() const {
  std::vector<bool> needed(steps.size());
  const auto need = [&](int step) {
    if (step >= 0) needed[static_cast<std::size_t>(step)] = true;
  };
  need(where);
  need(group);
  for (const Total& total : totals) {
    need(total.value);
    need(total.filter);
  }
  for (std::size_t k = steps.size(); k-- > 0;) {
    if (!needed[k]) continue;
    for (const int other : {steps[k].a, steps[k].b, steps[k].c}) need(other);
  }
  return needed;
}

std::optional<Program> Compile(const sql::Statement& statement, const sql::UnitRows& known, const FramedTable& table) {
  return Compiler(known, table).Of(statement);
}

}  // namespace memory
}  // namespace kith

// A statement as text: what all engines spell alike. The rest is the dialect's.
#include <fmt/format.h>

#include <limits>

#include "base/check.h"
#include "policy/dates.h"
#include "sql/dialect.h"
#include "sql/quote.h"

namespace kith::sql {
namespace {

class Writer {
 public:
  /// Both outlive the writer.
  Writer(const Dialect& dialect, const UnitRows& known) : dialect_(dialect), known_(known) {}

  std::string Of(const Statement& statement) const {
    if (statement.empty()) return {};
    const auto& part = statement.query().part;
    if (const auto* select = std::get_if<Select>(&part)) return Of(*select);
    if (const auto* both = std::get_if<Union>(&part))
      return fmt::format("{} UNION {}{}", Of(both->first), both->all ? "ALL " : "", Of(both->second));
    return Of(std::get<UnitLimit>(part));
  }

  std::string Of(const Term& term) const { return Of(*term); }

 private:
  std::string Of(const UnitLimit& limit) const {
    const bool few = limit.of_unit_table && known_.most && *known_.most <= limit.rows.value_or(*known_.most);
    std::vector<Item> items;
    for (const std::string& name : limit.columns) {
      const Term value = Column(limit.from.name, name);
      const bool first = !few && limit.constant.contains(name);
      items.push_back(first ? Item{FirstOf(value, limit.key, limit.order), name, true} : Item{value});
    }
    const bool numbered = limit.rows && !few;
    if (numbered) items.push_back({Window("row_number", limit.key, limit.order), limit.number, true});
    const auto rows = Selected({.items = std::move(items), .from = limit.from, .where = IsNotNull(limit.key)});
    if (!numbered) return Of(rows);
    const Term kept = Infix(" <= ", {Column("", limit.number), Number(*limit.rows)});
    return Of(Selected({.items = {{Star()}}, .from = Rows(rows, "n"), .where = kept}));
  }

  std::string Of(const Select& select) const {
    std::string text;
    for (const With& with : select.with) {
      text += fmt::format("{}{} AS {}({})", text.empty() ? "WITH " : ", ", IdentifierText(with.name),
                          with.once ? dialect_.Once() : "", Of(with.statement));
    }
    text += fmt::format("{}SELECT {}", text.empty() ? "" : " ", select.distinct ? "DISTINCT " : "");
    for (std::size_t k = 0; k < select.items.size(); ++k) {
      if (k > 0) text += ", ";
      text += Of(select.items[k].term);
      if (!select.items[k].name.empty()) text += " AS " + AliasOf(select.items[k]);
    }
    text += " FROM " + Of(select.from);
    for (const Join& join : select.joins)
      text += fmt::format("{} JOIN {} ON {}", join.left ? " LEFT" : "", Of(join.source), Of(join.on));
    if (select.where) text += " WHERE " + Of(select.where);
    if (!select.group_by.empty()) text += " GROUP BY " + List(select.group_by);
    if (!select.order_by.empty()) text += " ORDER BY " + List(select.order_by);
    return text;
  }

  std::string AliasOf(const Item& item) const {
    return item.declared ? dialect_.Name(item.name) : IdentifierText(item.name);
  }

  std::string Of(const Source& source) const {
    std::string text;
    if (source.series > 0) {
      text = dialect_.Series(source.series);
    } else if (!source.statement.empty()) {
      text = fmt::format("({})", Of(source.statement));
    } else {
      text = source.own ? IdentifierText(source.table) : dialect_.Name(source.table);
    }
    if (!source.name.empty()) text += " AS " + IdentifierText(source.name);
    if (!source.column.empty()) text += fmt::format("({})", IdentifierText(source.column));
    return text;
  }

  std::vector<std::string> Texts(const Terms& terms, std::size_t from = 0) const {
    std::vector<std::string> texts;
    for (std::size_t k = from; k < terms.size(); ++k) texts.push_back(Of(terms[k]));
    return texts;
  }

  std::string List(const Terms& terms, std::size_t from = 0) const {
    return fmt::format("{}", fmt::join(Texts(terms, from), ", "));
  }

  static Stored StoredAs(Type type) {
    switch (type) {
      case Type::kBoolean:
        return Stored::kBoolean;
      case Type::kInteger:
        return Stored::kWhole;
      case Type::kReal:
        return Stored::kReal;
      case Type::kDate:
        return Stored::kDate;
      case Type::kTimestamp:
        return Stored::kTimestamp;
      case Type::kText:
      case Type::kNull:
        return Stored::kText;
    }
    KITH_CHECK(false);
  }

  std::string CastTo(Stored stored, const std::string& text) const {
    return fmt::format("CAST({} AS {})", text, dialect_.TypeName(stored));
  }

  // Dates and truth values carry their type in any case; text is text.
  std::string Literal(const Value& value, Type type, bool typed) const {
    if (std::holds_alternative<Null>(value)) return CastTo(StoredAs(type), "NULL");
    switch (type) {
      case Type::kBoolean:
        return std::get<bool>(value) ? "TRUE" : "FALSE";
      case Type::kInteger: {
        std::string text = fmt::format("{}", std::get<std::int64_t>(value));
        return typed ? CastTo(Stored::kWhole, text) : text;
      }
      case Type::kReal: {
        std::string text = dialect_.Real(std::get<double>(value));
        return typed ? CastTo(Stored::kReal, text) : text;
      }
      case Type::kDate:
        return fmt::format("DATE '{}'", DateText(std::get<std::int64_t>(value)));
      case Type::kTimestamp:
        return fmt::format("TIMESTAMP '{}'", TimestampText(std::get<std::int64_t>(value)));
      case Type::kText:
      case Type::kNull:
        return dialect_.Text(std::get<std::string>(value));
    }
    KITH_CHECK(false);
  }

  std::string Values(const Node& node) const {
    std::string list;
    for (const Value& value : node.values) {
      if (!list.empty()) list += ", ";
      list += Literal(value, node.type, false);
    }
    return list;
  }

  std::string PositionOf(const Node& node) const {
    const std::string otherwise = ToText(node.low);
    if (node.values.empty()) return otherwise;
    std::string text = "CASE " + Of(node.args[0]);
    for (std::size_t i = 0; i < node.values.size(); ++i)
      text += fmt::format(" WHEN {} THEN {}", Literal(node.values[i], node.type, false), i);
    return text + fmt::format(" ELSE {} END", otherwise);
  }

  std::string CaseOf(const Node& node) const {
    std::string text = "CASE";
    std::size_t i = 0;
    if (node.form == Form::kSimpleCase) text += " " + Of(node.args[i++]);
    for (; i + 1 < node.args.size(); i += 2)
      text += fmt::format(" WHEN {} THEN {}", Of(node.args[i]), Of(node.args[i + 1]));
    if (i < node.args.size()) text += " ELSE " + Of(node.args[i]);
    return text + " END";
  }

  std::string LikeOf(const Node& node) const {
    std::string text = fmt::format("{} LIKE {}", Of(node.args[0]), dialect_.Text(node.text));
    if (node.flag) text += " ESCAPE " + dialect_.Text("\\");
    return text;
  }

  std::string WindowOf(const Node& node) const {
    const std::string partition = node.args[0] ? fmt::format("PARTITION BY {} ", Of(node.args[0])) : "";
    return fmt::format("{}() OVER ({}ORDER BY {})", node.text, partition, List(node.args, 1));
  }

  std::string Of(const Node& node) const {
    std::string text = Unfiltered(node);
    if (node.filter) text += fmt::format(" FILTER (WHERE {})", Of(node.filter));
    return text;
  }

  std::string Unfiltered(const Node& node) const {
    const auto arg = [&](std::size_t k) { return Of(node.args[k]); };
    const std::string source = node.source.empty() ? "" : IdentifierText(node.source) + ".";
    switch (node.form) {
      case Form::kName:
        return source + IdentifierText(node.text);
      case Form::kColumn:
        return source + dialect_.Name(node.text);
      case Form::kStar:
        return "*";
      case Form::kLiteral:
        return Literal(node.value, node.type, false);
      case Form::kConstant:
        return Literal(node.value, node.type, true);
      case Form::kNumber:
        return ToText(node.low);
      case Form::kParen:
        return fmt::format("({})", arg(0));
      case Form::kInfix:
        return fmt::format("{}", fmt::join(Texts(node.args), node.text));
      case Form::kPrefix:
        return node.text + arg(0);
      case Form::kSuffix:
        return arg(0) + node.text;
      case Form::kCall:
        return node.function != nullptr ? dialect_.Call(*node.function, Texts(node.args))
                                        : fmt::format("{}({})", node.text, List(node.args));
      case Form::kCase:
      case Form::kSimpleCase:
        return CaseOf(node);
      case Form::kCast:
        return CastTo(node.stored, arg(0));
      case Form::kBetween:
        return fmt::format("{} BETWEEN {} AND {}", arg(0), arg(1), arg(2));
      case Form::kIn:
        return fmt::format("{} IN ({})", arg(0), node.values.empty() ? List(node.args, 1) : Values(node));
      case Form::kPosition:
        return PositionOf(node);
      case Form::kLike:
        return LikeOf(node);
      case Form::kCount:
        return fmt::format("count({}{})", node.flag ? "DISTINCT " : "", arg(0));
      case Form::kMin:
        return fmt::format("min({})", arg(0));
      case Form::kMax:
        return fmt::format("max({})", arg(0));
      case Form::kWindow:
        return WindowOf(node);
      case Form::kFirst:
        return fmt::format("first_value({}) OVER (PARTITION BY {} ORDER BY {})", arg(0), arg(1), List(node.args, 2));
      default:
        return Different(node);
    }
  }

  // Where engines differ.
  std::string Different(const Node& node) const {
    const auto arg = [&](std::size_t k) { return Of(node.args[k]); };
    switch (node.form) {
      case Form::kCollated:
        return dialect_.Collated(arg(0));
      case Form::kSum:
        return dialect_.Sum(arg(0), Fits(node.high));
      case Form::kIntegerDivide:
        return dialect_.IntegerDivide(arg(0), arg(1));
      case Form::kSumDivide:
        return dialect_.SumDivide(arg(0), arg(1));
      case Form::kGreatest:
        return dialect_.Greatest(Texts(node.args));
      case Form::kLeast:
        return dialect_.Least(Texts(node.args));
      case Form::kIsTrue:
        return dialect_.IsTrue(arg(0));
      case Form::kIsNotTrue:
        return dialect_.IsNotTrue(arg(0));
      case Form::kIsFalse:
        return dialect_.IsFalse(arg(0));
      case Form::kIsFinite:
        return dialect_.IsFinite(arg(0));
      case Form::kDaysBetween:
        return dialect_.DaysBetween(arg(0), arg(1));
      case Form::kDatePart:
        return dialect_.PartOf(node.part, arg(0));
      case Form::kDateTrunc:
        return dialect_.TruncatedTo(node.part, arg(0), node.stored);
      case Form::kRowHash:
        return dialect_.RowHash(Texts(node.args));
      case Form::kSteps:
        return dialect_.Steps(arg(0), node.flag);
      case Form::kWithin:
        return dialect_.Within(arg(0), node.low, node.high, node.flag);
      case Form::kEither:
        return arg(dialect_.Has(node.feature) ? 0 : 1);
      case Form::kClamped:
        if (known_.within.contains(node.text)) return arg(0);
        return dialect_.Clamped(Texts(node.args), node.flag);  // not all of these are used
      default:
        break;
    }
    KITH_CHECK(false);
  }

  // A sum over as many rows as are known, each of them adding no more than `most`, up or down.
  bool Fits(Int128 most) const {
    if (most <= 0 || !known_.rows) return false;
    return *known_.rows == 0 || most <= std::numeric_limits<std::int64_t>::max() / *known_.rows;
  }

  const Dialect& dialect_;
  const UnitRows& known_;
};

}  // namespace

std::string Dialect::Write(const Statement& statement, const UnitRows& known) const {
  return Writer(*this, known).Of(statement);
}
std::string Dialect::Write(const Term& term) const { return Writer(*this, {}).Of(term); }

}  // namespace kith::sql

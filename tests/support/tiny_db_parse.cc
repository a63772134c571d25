// Parser of the reference database: recursive descent over the questions kith accepts, nothing more.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "tests/support/tiny_db.h"
#include "tests/support/tiny_db_tokens.h"

namespace kith::testing {
namespace {

Expr Node(std::string op, std::vector<Expr> args = {}) { return {std::move(op), {}, {}, std::move(args), {}}; }
Expr Literal(Datum value) { return {"literal", {}, std::move(value), {}, {}}; }
Expr ColumnRef(std::string name) { return {"column", std::move(name), {}, {}, {}}; }

class Parser {
 public:
  explicit Parser(const std::string& sql) : tokens_(Tokens(sql)) {}

  Question WholeQuestion() {
    std::map<std::string, Question> names;
    if (Take("with")) {
      do {
        const std::string name = Name();
        Need("as");
        Need("(");
        names[name] = Select(names);
        Need(")");
      } while (Take(","));
    }
    Question question = Select(names);
    Take(";");
    End();
    return question;
  }

  Expr Whole() {
    Expr expr = Expression();
    End();
    return expr;
  }

 private:
  Question Select(const std::map<std::string, Question>& names) {
    Question question;
    Need("select");
    do {
      if (Take("*")) continue;  // of a sub-select: everything that is not renamed
      Question::Item item{Expression(), {}};
      if (Take("as"))
        item.name = Name();
      else if (AtName() && !AtKeyword())
        item.name = Name();
      question.items.push_back(std::move(item));
    } while (Take(","));
    Need("from");
    std::optional<Question> source;
    if (Take("(")) {
      source = Select(names);
      Need(")");
    } else {
      question.table = Name();
      if (const auto found = names.find(question.table); found != names.end()) source = found->second;
    }
    if (Take("as") || (AtName() && !AtKeyword())) Name();
    while (At("join") || At("left") || At("inner")) question.joins.push_back(JoinPart());
    if (Take("where")) question.where = Expression();
    if (Take("group")) {
      Need("by");
      do {
        const bool cube = Take("cube"), rolls_up = cube || Take("rollup");
        question.cube = question.cube || cube;
        if (rolls_up) Need("(");
        do {
          question.group_by.push_back(Expression());
          if (rolls_up) ++question.rolled_up;
        } while (rolls_up && Take(","));
        if (rolls_up) Need(")");
      } while (Take(","));
    }
    if (Take("having")) {  // a condition on the row of a unit
      question.items.push_back({Expression(), "having"});
    }
    if (Take("order")) {
      Need("by");
      do {
        Expr expr = Expression();
        const bool descending = Take("desc");
        if (!descending) Take("asc");
        question.order_by.push_back({std::move(expr), descending});
      } while (Take(","));
    }
    if (Take("limit")) question.limit = std::stoll(Next().text);
    if (Take("offset")) question.offset = std::stoll(Next().text);
    Unqualify(question);
    if (source && OfUnits(*source)) {
      question.table = source->table;
      const bool having = source->items.back().name == "having";
      if (having)
        question.where = question.where ? Node("and", {*question.where, ColumnRef("having")}) : ColumnRef("having");
      question.units = std::make_shared<const Question>(std::move(*source));
    } else if (source) {
      PutInPlace(*source, question);
    }
    return question;
  }

  Question::Join JoinPart() {
    Question::Join join;
    join.inner = !Take("left");
    Take("inner");
    Need("join");
    join.alias = join.table = Name();
    if (Take("as") || (AtName() && !AtKeyword())) join.alias = Name();
    Need("on");
    const Expr on = Expression();
    const std::string prefix = join.alias + ".";
    const bool last = on.args.at(1).name.starts_with(prefix);
    join.key = on.args[last ? 1 : 0].name.substr(prefix.size());
    join.on = on.args[last ? 0 : 1];
    return join;
  }
  // Names of joined tables stay in front of their columns; that of the table itself says nothing.
  static void Unqualify(Question& question) {
    const auto joined = [&](const std::string& table) {
      return std::any_of(question.joins.begin(), question.joins.end(),
                         [&](const Question::Join& join) { return join.alias == table; });
    };
    const std::function<void(Expr&)> strip = [&](Expr& expr) {
      const std::size_t dot = expr.op == "column" ? expr.name.find('.') : std::string::npos;
      if (dot != std::string::npos && !joined(expr.name.substr(0, dot))) expr.name.erase(0, dot + 1);
      for (Expr& arg : expr.args) strip(arg);
      for (Expr& filter : expr.filter) strip(filter);
    };
    for (auto& item : question.items) strip(item.expr);
    for (Expr& key : question.group_by) strip(key);
    for (auto& order : question.order_by) strip(order.expr);
    for (auto& join : question.joins) strip(join.on);
    if (question.where) strip(*question.where);
  }

  // Names of the sub-select become what they refer to; a name that it does not have is a column of the table.
  static void Replace(Expr& expr, const Question& source) {
    for (const auto& item : source.items)
      if (expr.op == "column" && expr.name == item.name) {
        expr = Expr(item.expr);
        return;
      }
    for (Expr& arg : expr.args) Replace(arg, source);
    for (Expr& filter : expr.filter) Replace(filter, source);
  }
  static void PutInPlace(const Question& source, Question& question) {
    question.table = source.table;
    question.units = source.units;
    for (auto& join : question.joins) Replace(join.on, source);
    question.joins.insert(question.joins.begin(), source.joins.begin(), source.joins.end());
    for (auto& item : question.items) Replace(item.expr, source);
    for (Expr& key : question.group_by) Replace(key, source);
    if (question.where) Replace(*question.where, source);
    if (source.where && question.where)
      question.where = Node("and", {*source.where, *question.where});
    else if (source.where)
      question.where = source.where;
    // Passed on with *: what the inner one defines.
    if (question.items.empty()) question.items = source.items;
  }

  const Token& Peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  Token Next() {
    Token token = Peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool At(const std::string& text) const {
    const auto kind = Peek().kind;
    return (kind == Token::Kind::kWord || kind == Token::Kind::kSymbol) && Peek().text == text;
  }
  bool Take(const std::string& text) {
    if (!At(text)) return false;
    Next();
    return true;
  }
  void Need(const std::string& text) {
    if (!Take(text)) throw std::runtime_error("reference parser: expected " + text + " at '" + Peek().text + "'");
  }
  void End() const {
    if (Peek().kind != Token::Kind::kEnd) throw std::runtime_error("reference parser: left over '" + Peek().text + "'");
  }
  bool AtName() const { return Peek().kind == Token::Kind::kWord || Peek().kind == Token::Kind::kQuoted; }
  bool AtKeyword() const {
    static const std::vector<std::string> words = {"from", "where", "group", "order", "limit", "offset", "as",
                                                   "and",  "or",    "join",  "left",  "inner", "on",     "having"};
    return Peek().kind == Token::Kind::kWord && std::count(words.begin(), words.end(), Peek().text) > 0;
  }
  std::string Name() {
    if (!AtName()) throw std::runtime_error("reference parser: expected a name at '" + Peek().text + "'");
    return Next().text;
  }

  Expr Expression() {
    Expr left = Conjunction();
    while (Take("or")) left = Node("or", {left, Conjunction()});
    return left;
  }
  Expr Conjunction() {
    Expr left = Negation();
    while (Take("and")) left = Node("and", {left, Negation()});
    return left;
  }
  Expr Negation() {
    if (Take("not")) return Node("not", {Negation()});
    return Comparison();
  }
  Expr Comparison() {
    Expr left = Sum();
    while (Take("||")) left = Node("||", {left, Sum()});
    for (;;) {
      if (Take("is")) {
        const bool negated = Take("not");
        if (Take("distinct")) {
          Need("from");
          left = Node("distinct", {left, Sum()});
          if (negated) left = Node("not", {left});
          continue;
        }
        const std::string what = Next().text;
        if (what != "null" && what != "true" && what != "false")
          throw std::runtime_error("reference parser: IS " + what);
        left = Node("is_" + what, {left});
        if (negated) left = Node("not", {left});
        continue;
      }
      const bool negated = At("not") && (Peek(1).text == "in" || Peek(1).text == "between" || Peek(1).text == "like" ||
                                         Peek(1).text == "ilike");
      if (negated) Next();
      if (Take("in")) {
        Need("(");
        std::vector<Expr> args = {left};
        do args.push_back(Expression());
        while (Take(","));
        Need(")");
        left = Node("in", std::move(args));
      } else if (Take("between")) {
        Expr low = Sum();
        Need("and");
        left = Node("and", {Node(">=", {left, low}), Node("<=", {left, Sum()})});
      } else if (At("like") || At("ilike")) {
        const std::string op = Next().text;
        left = Node(op, {left, Sum()});
      } else {
        bool found = false;
        for (const char* op : {"=", "<>", "!=", "<=", ">=", "<", ">"}) {
          if (!Take(op)) continue;
          left = Node(std::string(op) == "!=" ? "<>" : op, {left, Sum()});
          found = true;
          break;
        }
        if (!found) return left;
      }
      if (negated) left = Node("not", {left});
    }
  }
  Expr Sum() {
    Expr left = Product();
    while (At("+") || At("-")) {
      const std::string op = Next().text;
      left = Node(op, {left, Product()});
    }
    return left;
  }
  Expr Product() {
    Expr left = Signed();
    while (At("*") || At("/") || At("%")) {
      const std::string op = Next().text;
      left = Node(op, {left, Signed()});
    }
    return left;
  }
  Expr Signed() {
    if (Take("-")) return Node("negate", {Signed()});
    if (Take("+")) return Signed();
    Expr value = Primary();
    while (Take("::")) value = Cast(std::move(value));
    return value;
  }
  Expr Cast(Expr value) {
    const std::string type = Name();
    if (type == "double") Need("precision");
    if (type == "bigint" || type == "integer" || type == "int") return Node("to_integer", {std::move(value)});
    if (type == "double" || type == "real" || type == "float8") return Node("to_real", {std::move(value)});
    if (type == "date" || type == "timestamp") return Node("to_" + type, {std::move(value)});
    throw std::runtime_error("reference parser: cast to " + type);
  }
  Expr Primary() {
    const Token token = Next();
    switch (token.kind) {
      case Token::Kind::kNumber: {
        const bool whole = token.text.find_first_of(".eE") == std::string::npos;
        const long double number = std::stold(token.text);
        return Literal(whole ? IntegerDatum(number) : RealDatum(number));
      }
      case Token::Kind::kString:
        return Literal(TextDatum(token.text));
      case Token::Kind::kQuoted:
        return Qualified(token.text);
      case Token::Kind::kSymbol:
        if (token.text == "(") {
          Expr inner = Expression();
          Need(")");
          return inner;
        }
        break;
      case Token::Kind::kWord:
        return Word(token.text);
      case Token::Kind::kEnd:
        break;
    }
    throw std::runtime_error("reference parser: unexpected '" + token.text + "'");
  }
  Expr Qualified(std::string name) {
    if (Take(".")) name += "." + Name();
    return ColumnRef(std::move(name));
  }
  Expr Word(const std::string& word) {
    if (word == "null") return Literal(NullDatum());
    if (word == "true" || word == "false") return Literal(BooleanDatum(word == "true"));
    if (word == "case") return Case();
    if (word == "date" && Peek().kind == Token::Kind::kString) return Literal(FromText(Next().text, ColumnType::kDate));
    if (word == "timestamp" && Peek().kind == Token::Kind::kString)
      return Literal(FromText(Next().text, ColumnType::kTimestamp));
    if (word == "extract") {
      Need("(");
      const std::string part = Next().text;
      Need("from");
      Expr from = Expression();
      Need(")");
      return Node("date_part", {Literal(TextDatum(part)), from});
    }
    if (!At("(")) return Qualified(word);
    Next();
    if (word == "cast") {
      Expr value = Expression();
      Need("as");
      value = Cast(std::move(value));
      Need(")");
      return value;
    }
    if (word == "count" && Take("*")) {
      Need(")");
      return Filtered(Node("count_star"));
    }
    const bool distinct = word == "count" && Take("distinct");
    std::vector<Expr> args;
    if (!At(")")) {
      do args.push_back(Expression());
      while (Take(","));
    }
    Need(")");
    return Filtered(Node(distinct ? "count_distinct" : word, std::move(args)));
  }
  Expr Filtered(Expr aggregate) {
    if (Take("filter")) {
      Need("(");
      Need("where");
      aggregate.filter.push_back(Expression());
      Need(")");
    }
    return Take("over") ? Window(std::move(aggregate)) : aggregate;
  }
  // The function, then "asc" or "desc" of each key. Partitions are units.
  Expr Window(Expr function) {
    Expr window = Node("window", {std::move(function)});
    Need("(");
    Need("partition");
    Need("by");
    Name();
    if (Take("order")) {
      Need("by");
      do {
        Expr by = Expression();
        const bool descending = Take("desc");
        window.args.push_back(Node(descending ? "desc" : "asc", {std::move(by)}));
      } while (Take(","));
    }
    Need(")");
    return window;
  }
  static bool HasWindow(const Expr& expr) {
    return expr.op == "window" || std::any_of(expr.args.begin(), expr.args.end(), HasWindow);
  }
  static bool OfUnits(const Question& source) {
    return !source.group_by.empty() || std::any_of(source.items.begin(), source.items.end(),
                                                   [](const Question::Item& item) { return HasWindow(item.expr); });
  }
  // CASE x WHEN a THEN b ... becomes CASE WHEN x = a THEN b ...; args are condition, value, ..., and the ELSE last.
  Expr Case() {
    std::optional<Expr> subject;
    if (!At("when")) subject = Expression();
    std::vector<Expr> args;
    while (Take("when")) {
      Expr condition = Expression();
      args.push_back(subject ? Node("=", {*subject, condition}) : condition);
      Need("then");
      args.push_back(Expression());
    }
    args.push_back(Take("else") ? Expression() : Literal(NullDatum()));
    Need("end");
    return Node("case", std::move(args));
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

void CollectAggregates(const Expr& expr, std::vector<Expr>& found) {
  if (IsAggregate(expr)) {
    if (std::find(found.begin(), found.end(), expr) == found.end()) found.push_back(expr);
    return;
  }
  for (const Expr& arg : expr.args) CollectAggregates(arg, found);
}

}  // namespace

Question ParseQuestion(const std::string& sql) { return Parser(sql).WholeQuestion(); }
Expr ParseExpression(const std::string& sql) { return Parser(sql).Whole(); }

bool operator==(const Expr& a, const Expr& b) {
  return a.op == b.op && a.name == b.name && a.literal.kind == b.literal.kind && a.literal == b.literal &&
         a.args == b.args && a.filter == b.filter;
}

bool IsAggregate(const Expr& expr) {
  return expr.op == "count_star" || expr.op == "count_distinct" || expr.op == "count" || expr.op == "sum" ||
         expr.op == "avg" || IsSpread(expr);
}

bool IsSpread(const Expr& expr) {
  static const std::set<std::string> kSpreads = {"variance",    "var_samp",   "var_pop",        "stddev",
                                                 "stddev_samp", "stddev_pop", "covar_pop",      "covar_samp",
                                                 "corr",        "regr_slope", "regr_intercept", "regr_r2"};
  return kSpreads.count(expr.op) > 0;
}

std::vector<Expr> AggregatesOf(const Question& question) {
  std::vector<Expr> found;
  for (const auto& item : question.items) CollectAggregates(item.expr, found);
  for (const auto& order : question.order_by) CollectAggregates(order.expr, found);
  return found;
}

void CollectColumns(const Expr& expr, std::vector<std::string>& columns) {
  if (expr.op == "column" && std::find(columns.begin(), columns.end(), expr.name) == columns.end())
    columns.push_back(expr.name);
  for (const Expr& arg : expr.args) CollectColumns(arg, columns);
  for (const Expr& filter : expr.filter) CollectColumns(filter, columns);
}

void CollectLiterals(const Expr& expr, std::vector<Datum>& literals) {
  if (expr.op == "literal") literals.push_back(expr.literal);
  for (const Expr& arg : expr.args) CollectLiterals(arg, literals);
  for (const Expr& filter : expr.filter) CollectLiterals(filter, literals);
}

}  // namespace kith::testing

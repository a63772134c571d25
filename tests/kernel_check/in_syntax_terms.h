// Terms of statements in the syntax of proofs/Language.v (in_syntax.h).
#pragma once
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sql/statement.h"
#include "tests/kernel_check/in_syntax.h"

namespace kith::testing::in_syntax {

using sql::Form;
using sql::Node;
using sql::Term;

// Whole numbers in binary with a sign, as the program that reads them builds them.
inline std::string Binary(Int128 n) {
  std::string digits;
  for (UInt128 rest = n < 0 ? -static_cast<UInt128>(n) : static_cast<UInt128>(n); rest > 0; rest /= 2)
    digits.insert(digits.begin(), rest % 2 == 1 ? '1' : '0');
  return (n < 0 ? "-" : "+") + (digits.empty() ? "0" : digits) + " ";
}
inline std::string Numbered(std::size_t n) { return std::to_string(n) + " "; }

inline bool Alike(const Term& a, const Term& b) {
  if (!a || !b) return !a && !b;
  if (a->form == Form::kParen) return Alike(a->args[0], b);
  if (b->form == Form::kParen) return Alike(a, b->args[0]);
  return a->form == b->form && a->source == b->source && a->text == b->text && a->value == b->value &&
         a->values == b->values && a->low == b->low && a->high == b->high && a->stored == b->stored &&
         a->part == b->part && a->flag == b->flag && a->function == b->function && Alike(a->filter, b->filter) &&
         std::equal(a->args.begin(), a->args.end(), b->args.begin(), b->args.end(), Alike);
}

// Texts are numbers by a coding, so they have no order; of what is opaque, nothing is known.
enum class Kind { kWhole, kText, kOpaque };

struct Coded {
  std::string text;
  Kind kind = Kind::kWhole;
};

struct Column {
  std::string source, name;
  Coded what;
  bool unit_key = false;
};

struct Rows {
  std::string source;
  std::vector<Column> columns;
  bool own = true;  // of a unit alone
};

class TermWriter {
 protected:
  static const Column& Find(const Rows& rows, const Node& name) {
    for (const Column& column : rows.columns)
      if (column.name == name.text && (name.source.empty() || name.source == column.source)) return column;
    throw Outside("a name that no column has");
  }

  static Coded Call(const std::vector<Coded>& of, Kind kind = Kind::kOpaque) {
    std::string text = "n ";
    for (const Coded& one : of) text = "f " + one.text + text;
    return {of.empty() ? "f n n " : text, kind};
  }
  Coded Constant(const Value& value) {
    if (std::holds_alternative<Null>(value)) return {"n "};
    if (const auto* truth = std::get_if<bool>(&value)) return {"l " + Binary(*truth ? 1 : 0)};
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return {"l " + Binary(*whole)};
    if (const auto* text = std::get_if<std::string>(&value))
      return {"l " + Binary(static_cast<Int128>(codes_.emplace(*text, codes_.size()).first->second)), Kind::kText};
    return Call({});
  }
  static Coded Not(const Coded& a) { return {"! " + a.text}; }
  static Coded And(const Coded& a, const Coded& b) { return {"& " + a.text + b.text}; }
  static Coded Or(const Coded& a, const Coded& b) { return Not(And(Not(a), Not(b))); }
  static Coded Choose(const Coded& c, const Coded& a, const Coded& b) {
    return {"? " + c.text + a.text + b.text, std::max(a.kind, b.kind)};
  }
  static Coded First(const Coded& a, const Coded& b) { return {"?? " + a.text + b.text, std::max(a.kind, b.kind)}; }
  static bool Opaque(const Coded& a, const Coded& b) { return a.kind == Kind::kOpaque || b.kind == Kind::kOpaque; }
  static Coded Equal(const Coded& a, const Coded& b) {
    if (Opaque(a, b)) return Call({a, b}, Kind::kWhole);
    return {"= " + a.text + b.text};
  }
  static Coded Less(const Coded& a, const Coded& b) {
    if (a.kind != Kind::kWhole || b.kind != Kind::kWhole) return Call({a, b}, Kind::kWhole);
    return {"< " + a.text + b.text};
  }
  static Coded Between(const Coded& x, const Coded& low, const Coded& high) {
    return And(Not(Less(x, low)), Not(Less(high, x)));
  }
  std::vector<Coded> Args(const Node& node, const Rows& rows, std::size_t from = 0) {
    std::vector<Coded> all;
    for (std::size_t k = from; k < node.args.size(); ++k) all.push_back(Of(node.args[k], rows));
    return all;
  }
  static std::optional<Int128> Whole(const Term& term) {
    if (term->form == Form::kParen) return Whole(term->args[0]);
    if (term->form == Form::kNumber) return term->low;
    const auto* value = term->form == Form::kLiteral || term->form == Form::kConstant
                            ? std::get_if<std::int64_t>(&term->value)
                            : nullptr;
    return value ? std::optional<Int128>(*value) : std::nullopt;
  }
  // What a condition says of the ends of a term, where it is true.
  static std::optional<std::pair<Int128, Int128>> EndsOf(const Term& condition, const Term& of) {
    const Node& node = *condition;
    if (node.form == Form::kParen) return EndsOf(node.args[0], of);
    if (node.form == Form::kBetween && Alike(node.args[0], of)) {
      const auto low = Whole(node.args[1]), high = Whole(node.args[2]);
      if (low && high) return std::pair(*low, *high);
    }
    if (node.form == Form::kIn && !node.values.empty() && Alike(node.args[0], of)) {
      std::optional<std::pair<Int128, Int128>> ends;
      for (const Value& value : node.values) {
        const auto* whole = std::get_if<std::int64_t>(&value);
        if (!whole) return std::nullopt;
        ends = ends ? std::pair(std::min<Int128>(ends->first, *whole), std::max<Int128>(ends->second, *whole))
                    : std::pair<Int128, Int128>(*whole, *whole);
      }
      return ends;
    }
    if (node.form == Form::kInfix && node.text == " AND ")
      for (const Term& arg : node.args)
        if (const auto ends = EndsOf(arg, of)) return ends;
    return std::nullopt;
  }
  Coded CaseFrom(const Node& node, std::size_t k, const Rows& rows) {
    if (k == node.args.size()) return {"n "};
    if (k + 1 == node.args.size()) return Of(node.args[k], rows);
    const Coded when = Of(node.args[k], rows), then = Of(node.args[k + 1], rows), rest = CaseFrom(node, k + 2, rows);
    const auto ends = EndsOf(node.args[k], node.args[k + 1]);
    if (ends && then.kind == Kind::kWhole) {
      // Where the condition is true, the term is not NULL and within the ends: this is the same.
      const bool just = node.args[k]->form == Form::kBetween;
      const Coded chosen = just ? then : Choose(when, then, {"n "});
      return First({"in " + Binary(ends->first) + Binary(ends->second) + chosen.text}, rest);
    }
    return Choose(when, then, rest);
  }

  Coded Of(const Term& term, const Rows& rows) {
    if (!term || term->filter) throw Outside("an aggregate where a value is expected");
    const Node& node = *term;
    switch (node.form) {
      case Form::kName:
      case Form::kColumn:
        return Find(rows, node).what;
      case Form::kLiteral:
      case Form::kConstant:
        return Constant(node.value);
      case Form::kNumber:
        return {"l " + Binary(node.low)};
      case Form::kParen:
      case Form::kCollated:
        return Of(node.args[0], rows);
      case Form::kInfix:
        return Infix(node, rows);
      case Form::kPrefix: {
        const Coded x = Of(node.args[0], rows);
        if (node.text == "NOT ") return Not(x);
        return x.kind == Kind::kWhole ? Coded{"- l +0 " + x.text} : Call({x});
      }
      case Form::kSuffix: {
        if (node.text != " IS NULL" && node.text != " IS NOT NULL") throw Outside("windows");
        const Coded is{"null " + Of(node.args[0], rows).text};
        return node.text == " IS NULL" ? is : Not(is);
      }
      case Form::kCall:
        return Called(node, rows);
      case Form::kCase:
        return CaseFrom(node, 0, rows);
      case Form::kSimpleCase: {
        const auto args = Args(node, rows);
        Coded made = args.size() % 2 == 0 ? args.back() : Coded{"n "};
        for (std::size_t k = (args.size() - 1) / 2; k-- > 0;)
          made = Choose(Equal(args[0], args[1 + 2 * k]), args[2 + 2 * k], made);
        return made;
      }
      case Form::kCast: {
        const Coded x = Of(node.args[0], rows);
        const bool whole = node.stored == sql::Stored::kNarrow || node.stored == sql::Stored::kWhole ||
                           node.stored == sql::Stored::kWide;
        return x.kind == Kind::kWhole && whole ? x : Call({x}, whole ? Kind::kWhole : Kind::kOpaque);
      }
      case Form::kBetween:
        return Between(Of(node.args[0], rows), Of(node.args[1], rows), Of(node.args[2], rows));
      case Form::kIn: {
        const Coded x = Of(node.args.at(0), rows);
        std::vector<Coded> others = Args(node, rows, 1);
        for (const Value& value : node.values) others.push_back(Constant(value));
        if (others.empty()) throw Outside("IN nothing");
        if (others.size() > 60) return Call({x}, Kind::kWhole);
        Coded any = Equal(x, others[0]);
        for (std::size_t k = 1; k < others.size(); ++k) any = Or(any, Equal(x, others[k]));
        return any;
      }
      case Form::kPosition: {
        const Coded x = Of(node.args.at(0), rows);
        if (node.values.size() > 60) throw Outside("long lists of groups");
        Coded made{"l " + Binary(node.low)};
        for (std::size_t k = node.values.size(); k-- > 0;)
          made = Choose(Equal(x, Constant(node.values[k])), {"l " + Binary(static_cast<Int128>(k))}, made);
        return made;
      }
      case Form::kGreatest:
      case Form::kLeast: {
        const auto args = Args(node, rows);
        Coded made = args.at(0);
        for (std::size_t k = 1; k < args.size(); ++k) {
          const bool great = node.form == Form::kGreatest;
          made = Choose(great ? Less(made, args[k]) : Less(args[k], made), args[k], First(made, args[k]));
        }
        return made;
      }
      case Form::kIsTrue:
        return {"true " + Of(node.args[0], rows).text};
      case Form::kIsNotTrue:
        return Not({"true " + Of(node.args[0], rows).text});
      case Form::kIsFalse:
        return {"true " + Not(Of(node.args[0], rows)).text};
      case Form::kDaysBetween: {
        const Coded a = Of(node.args[0], rows), b = Of(node.args[1], rows);
        return Opaque(a, b) ? Call({a, b}) : Coded{"- " + a.text + b.text};
      }
      case Form::kWithin: {
        const Coded x = Of(node.args[0], rows);
        if (node.flag) return x;
        return {"cut " + Binary(node.low) + Binary(node.high) + x.text};
      }
      case Form::kClamped: {
        const Coded x = Of(node.args[0], rows);
        const auto low = Whole(node.args[1]), high = Whole(node.args[2]);
        if (!low || !high || x.kind != Kind::kWhole) throw Outside("clamps of reals");
        const Coded cut{"cut " + Binary(*low) + Binary(*high) + x.text};
        return node.flag ? First(cut, {"l " + Binary(*low)}) : cut;
      }
      case Form::kEither: {  // which of the two runs depends on the engine alone
        const Coded a = Of(node.args[0], rows), b = Of(node.args[1], rows);
        return Choose(Call({}), a, b);
      }
      case Form::kIntegerDivide:
      case Form::kSteps:
      case Form::kDatePart:
        return Call(Args(node, rows), Kind::kWhole);
      case Form::kIsFinite:
      case Form::kLike:
        return Call(Args(node, rows), Kind::kWhole);
      case Form::kDateTrunc:
      case Form::kRowHash:
        return Call(Args(node, rows));
      case Form::kWindow:
      case Form::kFirst:
        throw Outside("windows");
      default:
        throw Outside("an aggregate where a value is expected");
    }
  }

  Coded Infix(const Node& node, const Rows& rows) {
    const auto args = Args(node, rows);
    const std::string& sign = node.text;
    Coded made = args.at(0);
    if (sign == " AND " || sign == " OR ") {
      for (std::size_t k = 1; k < args.size(); ++k) made = sign == " AND " ? And(made, args[k]) : Or(made, args[k]);
      return made;
    }
    if (sign == " + " || sign == " - " || sign == " * ") {
      for (std::size_t k = 1; k < args.size(); ++k)
        made = Opaque(made, args[k]) ? Call({made, args[k]}) : Coded{sign.substr(1) + made.text + args[k].text};
      return made;
    }
    if (args.size() != 2) throw Outside("an operator of many");
    if (sign == " = ") return Equal(args[0], args[1]);
    if (sign == " <> ") return Not(Equal(args[0], args[1]));
    if (sign == " < ") return Less(args[0], args[1]);
    if (sign == " <= ") return Not(Less(args[1], args[0]));
    if (sign == " > ") return Less(args[1], args[0]);
    if (sign == " >= ") return Not(Less(args[0], args[1]));
    if (sign == " IS DISTINCT FROM ")
      return Not(Or({"true " + Equal(args[0], args[1]).text}, And({"null " + args[0].text}, {"null " + args[1].text})));
    return Call(args, sign == " % " ? Kind::kWhole : Kind::kOpaque);
  }

  Coded Called(const Node& node, const Rows& rows) {
    const auto args = Args(node, rows);
    if (node.text == "coalesce" && !args.empty()) {
      Coded made = args[0];
      for (std::size_t k = 1; k < args.size(); ++k) made = First(made, args[k]);
      return made;
    }
    if (node.text == "nullif" && args.size() == 2) return Choose(Equal(args[0], args[1]), {"n "}, args[0]);
    if (node.text == "abs" && args.size() == 1 && args[0].kind == Kind::kWhole)
      return Choose(Less(args[0], {"l +0 "}), {"- l +0 " + args[0].text}, args[0]);
    return Call(args);
  }

 private:
  std::map<std::string, std::size_t> codes_;
};

}  // namespace kith::testing::in_syntax

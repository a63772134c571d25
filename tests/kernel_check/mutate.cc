#include "tests/kernel_check/mutate.h"

#include <functional>

namespace kith::testing {
namespace {

using sql::Form;
using sql::Term;

// For each way to change a part, calls `make` with the changed part.
template <class T>
using Make = std::function<void(const T&, const std::string&)>;

void OfTerm(const Term& term, const Make<Term>& make) {
  if (!term) return;
  const sql::Node& node = *term;
  switch (node.form) {
    case Form::kWithin:
    case Form::kClamped:
      make(node.args[0], "clamp removed");
      break;
    case Form::kCase:
      if (node.args.size() >= 2) make(node.args[1], "case replaced by its first value");
      break;
    case Form::kCount:
      if (node.flag) {
        sql::Node all = node;
        all.flag = false;
        make(std::make_shared<const sql::Node>(all), "DISTINCT removed");
      } else if (node.args[0]->form != Form::kStar) {
        make(sql::Where(sql::CountRows(), node.filter), "count of values of all rows");
      }
      break;
    case Form::kNumber: {
      make(sql::Number(node.low * 2 + 1), "number changed");
      break;
    }
    case Form::kInfix:
      if (node.text == " AND ") {
        sql::Terms fewer(node.args.begin() + 1, node.args.end());
        make(fewer.size() == 1 ? fewer[0] : sql::All(fewer), "condition removed");
        make(sql::Infix(" OR ", node.args), "AND replaced by OR");
      }
      if (node.text == " - ") make(sql::Infix(" + ", node.args), "minus replaced by plus");
      break;
    case Form::kCall:
      if (node.text == "kith_steps" || node.text == "kith_clamp") {
        sql::Node wide = node;
        wide.args[2] = sql::Literal(1e12, Type::kReal);
        make(std::make_shared<const sql::Node>(wide), "end of a clamp moved");
      }
      if (node.text == "coalesce") make(node.args[0], "coalesce removed");
      break;
    case Form::kIsNotTrue:
      make(sql::IsTrue(node.args[0]), "condition negated");
      break;
    default:
      break;
  }
  if (node.filter) {
    sql::Node all = node;
    all.filter = nullptr;
    make(std::make_shared<const sql::Node>(all), "FILTER removed");
    OfTerm(node.filter, [&](const Term& changed, const std::string& what) {
      sql::Node made = node;
      made.filter = changed;
      make(std::make_shared<const sql::Node>(made), what);
    });
  }
  for (std::size_t k = 0; k < node.args.size(); ++k) {
    OfTerm(node.args[k], [&](const Term& changed, const std::string& what) {
      sql::Node made = node;
      made.args[k] = changed;
      make(std::make_shared<const sql::Node>(made), what);
    });
  }
}

void OfStatement(const sql::Statement& statement, const Make<sql::Statement>& make);

void OfSource(const sql::Source& source, const Make<sql::Source>& make) {
  if (source.statement.empty()) return;
  OfStatement(source.statement, [&](const sql::Statement& changed, const std::string& what) {
    sql::Source made = source;
    made.statement = changed;
    make(made, what);
  });
}

void OfLimit(const sql::UnitLimit& limit, const Make<sql::Statement>& make) {
  const auto with = [&](const std::string& what, auto change) {
    sql::UnitLimit made = limit;
    change(made);
    make(sql::Limited(made), what);
  };
  with("limit removed", [](sql::UnitLimit& l) { l.rows.reset(); });
  if (limit.rows) with("limit larger", [](sql::UnitLimit& l) { ++*l.rows; });
  for (const std::string& name : limit.columns)
    if (limit.key->text != name)
      with("limit by " + name, [&](sql::UnitLimit& l) { l.key = sql::Column(l.from.name, name); });
  if (!limit.constant.empty())
    with("constant columns read from each row", [](sql::UnitLimit& l) { l.constant.clear(); });
  with("order of the rows left out", [](sql::UnitLimit& l) { l.order = {l.key}; });
  with("another table taken for the unit's", [](sql::UnitLimit& l) { l.of_unit_table = !l.of_unit_table; });
  if (limit.from.statement.empty()) {
    make(sql::Selected({.items = {{sql::Star()}}, .from = limit.from}), "all rows of the table");
  }
  OfSource(limit.from, [&](const sql::Source& changed, const std::string& what) {
    with(what, [&](sql::UnitLimit& l) { l.from = changed; });
  });
}

void OfSelect(const sql::Select& select, const Make<sql::Statement>& make) {
  const auto with = [&](const std::string& what, auto change) {
    sql::Select made = select;
    change(made);
    make(sql::Selected(made), what);
  };
  for (std::size_t k = 0; k < select.items.size(); ++k) {
    OfTerm(select.items[k].term, [&](const Term& changed, const std::string& what) {
      with(what, [&](sql::Select& s) { s.items[k].term = changed; });
    });
    for (std::size_t j = k + 1; j < select.items.size(); ++j)
      with("items swapped", [&](sql::Select& s) { std::swap(s.items[k].term, s.items[j].term); });
  }
  OfSource(select.from, [&](const sql::Source& changed, const std::string& what) {
    with(what, [&](sql::Select& s) { s.from = changed; });
  });
  for (std::size_t k = 0; k < select.joins.size(); ++k) {
    with("join removed", [&](sql::Select& s) { s.joins.erase(s.joins.begin() + static_cast<std::ptrdiff_t>(k)); });
    with("outer join made inner, or the reverse", [&](sql::Select& s) { s.joins[k].left = !s.joins[k].left; });
    with("join on everything", [&](sql::Select& s) { s.joins[k].on = sql::Truth(true); });
    const Term& on = select.joins[k].on;
    if (on->args.size() == 2)
      with("join condition turned", [&](sql::Select& s) { s.joins[k].on = sql::Infix(" <> ", on->args); });
    OfSource(select.joins[k].source, [&](const sql::Source& changed, const std::string& what) {
      with(what, [&](sql::Select& s) { s.joins[k].source = changed; });
    });
  }
  if (select.where) {
    with("WHERE removed", [](sql::Select& s) { s.where = nullptr; });
    with("WHERE negated", [](sql::Select& s) { s.where = sql::IsNotTrue(sql::Paren(s.where)); });
    OfTerm(select.where, [&](const Term& changed, const std::string& what) {
      with(what, [&](sql::Select& s) { s.where = changed; });
    });
  }
  for (std::size_t k = 0; k < select.group_by.size(); ++k)
    with("group left out",
         [&](sql::Select& s) { s.group_by.erase(s.group_by.begin() + static_cast<std::ptrdiff_t>(k)); });
}

void OfStatement(const sql::Statement& statement, const Make<sql::Statement>& make) {
  const auto& part = statement.query().part;
  if (const auto* limit = std::get_if<sql::UnitLimit>(&part)) return OfLimit(*limit, make);
  if (const auto* select = std::get_if<sql::Select>(&part)) OfSelect(*select, make);
}

}  // namespace

std::vector<Mutant> MutantsOf(const sql::Statement& statement) {
  std::vector<Mutant> mutants;
  OfStatement(statement, [&](const sql::Statement& changed, const std::string& what) {
    mutants.push_back({changed, what});
  });
  return mutants;
}

}  // namespace kith::testing

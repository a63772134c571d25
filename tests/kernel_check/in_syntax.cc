#include "tests/kernel_check/in_syntax.h"

#include <algorithm>

#include "tests/kernel_check/in_syntax_terms.h"

namespace kith::testing {
namespace {

using namespace in_syntax;

class Translator : TermWriter {
 public:
  Translator(const check::Facts& facts, const CellValues& cell, bool unclamped)
      : facts_(facts), cell_(cell), unclamped_(unclamped) {}

  InSyntax Run(const sql::Statement& statement, const check::Claim& claim, std::size_t number) {
    const sql::Select& select = SelectOf(statement);
    const sql::Select* rows = &select;
    const sql::Select* inner =
        select.from.statement.empty() ? nullptr : std::get_if<sql::Select>(&select.from.statement.query().part);
    const bool nested = inner && claim.keys > 0 && inner->group_by.size() == claim.keys &&
                        inner->items.size() == select.items.size() && select.group_by.at(0)->form == Form::kNumber;
    if (nested) rows = inner;
    if (rows->group_by.size() != claim.keys || rows->items.size() <= claim.keys + number) throw Outside("other groups");
    Rows from = FromOf(*rows);
    std::vector<Column> keys;
    for (std::size_t k = 0; k < claim.keys; ++k)
      keys.push_back({select.from.name, rows->items[k].term->text, Of(rows->items[k].term, from), false});
    if (nested) {
      Rows groups{"", keys};
      for (std::size_t k = 0; k < claim.keys; ++k) keys[k].what = Of(select.items[k].term, groups);
    }
    auto levels = claim.use.levels;
    if (levels.empty()) levels.emplace_back(claim.keys, true);
    finest_only_ = levels.size() == 1 && std::find(levels[0].begin(), levels[0].end(), false) == levels[0].end();
    InSyntax made;
    Term counted = rows->items[claim.keys + number].term;
    made.number = NumberOf(counted, from);
    made.source = from.source;
    const auto& open = claim.numbers[number].open_levels;
    std::string text;
    std::size_t count = 0;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      if (level < open.size() && open[level]) continue;
      ++count;
      text += Numbered(static_cast<std::size_t>(std::count(levels[level].begin(), levels[level].end(), true)));
      for (std::size_t k = 0; k < claim.keys; ++k)
        if (levels[level][k]) text += keys[k].what.text;
    }
    made.levels = Numbered(count) + text;
    made.tables = Numbered(facts_.tables.size());
    for (const check::TableFacts& table : facts_.tables) made.tables += TextOf(table);
    return made;
  }

 private:
  static const sql::Select& SelectOf(const sql::Statement& statement) {
    const auto* select = statement.empty() ? nullptr : std::get_if<sql::Select>(&statement.query().part);
    if (!select || !select->with.empty() || select->distinct || !select->order_by.empty())
      throw Outside("WITH, DISTINCT, ORDER BY or UNION");
    return *select;
  }

  // Facts.

  bool OfUnits(const check::TableFacts& table) const { return &table == &facts_.tables[facts_.unit_table]; }
  std::string TextOf(const check::TableFacts& table) {
    const bool of_unit = OfUnits(table);
    std::string most = "-", columns;
    if (of_unit && !facts_.key) most = "+1";
    if (of_unit && facts_.rows_are_public) most = Binary(facts_.public_rows);
    const bool present = of_unit && facts_.always_there;
    const bool there = present && (!facts_.key || facts_.rows_are_public);
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      const check::ColumnFacts& column = table.columns[k];
      const bool key = !table.is_public && table.key == column.name;
      const bool secret = !column.is_public, by_row = !key && (secret || column.per_row);
      if (!secret && by_row && !(of_unit && facts_.rows_are_public))
        throw Outside("columns that are public per row where rows are not");
      std::string low = "- ", high = "- ";
      if (column.type == Type::kBoolean) low = Binary(0), high = Binary(1);
      bool null = true;
      if (of_unit && k < cell_.size() && cell_[k] && !column.first_if_missing) {
        const Coded value = Constant(*cell_[k]);
        if (value.text.starts_with("l ") && value.kind != Kind::kOpaque)
          low = high = value.text.substr(2), null = false;
      }
      columns += low + high + (null ? "1 " : "0 ") + (secret ? "1 " : "0 ") + (by_row ? "1 " : "0 ");
    }
    // The key of the unit need not be declared.
    columns += "- - 1 1 0 ";
    return most + " " + (there ? "1 " : "0 ") + (present ? "1 " : "0 ") + Numbered(table.columns.size() + 1) + columns;
  }

  // Sources.

  Rows OfTable(const check::TableFacts& table, const std::string& name) {
    if (table.is_public) throw Outside("rows of a public table");
    if (table.other) throw Outside("rows that name two units");
    Rows rows;
    const auto at = static_cast<std::size_t>(&table - facts_.tables.data());
    rows.source = "T " + Numbered(at);
    bool key = !table.key;
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      const check::ColumnFacts& column = table.columns[k];
      const Kind kind = column.type == Type::kReal   ? Kind::kOpaque
                        : column.type == Type::kText ? Kind::kText
                                                     : Kind::kWhole;
      rows.columns.push_back({name, column.name, {"c " + Numbered(k), kind}, table.key == column.name});
      key = key || table.key == column.name;
    }
    if (!key) rows.columns.push_back({name, *table.key, {"c " + Numbered(table.columns.size()), Kind::kOpaque}, true});
    return rows;
  }
  Rows OfSource(const sql::Source& source) {
    if (source.series > 0 || source.own || !source.column.empty()) throw Outside("rows that come from no table");
    if (source.statement.empty()) {
      const check::TableFacts* table = facts_.Find(source.table);
      if (!table) throw Outside("a table that is not declared");
      return OfTable(*table, source.name.empty() ? source.table : source.name);
    }
    Rows rows = OfStatement(source.statement);
    for (Column& column : rows.columns) column.source = source.name;
    return rows;
  }
  Rows OfStatement(const sql::Statement& statement) {
    if (const auto* limit = std::get_if<sql::UnitLimit>(&statement.query().part)) return OfLimit(*limit);
    const sql::Select& select = SelectOf(statement);
    Rows from = FromOf(select);
    return select.group_by.empty() ? Projected(select, from) : PerUnit(select, from);
  }
  Rows OfLimit(const sql::UnitLimit& limit) {
    Rows from = OfSource(limit.from);
    if (!limit.key || !Find(from, *limit.key).unit_key) throw Outside("a limit by another key");
    Rows kept;
    std::string constant;
    std::size_t constants = 0;
    for (const std::string& name : limit.columns) {
      kept.columns.push_back(Find(from, *sql::Column(limit.from.name, name)));
      if (!limit.constant.contains(name)) continue;
      const std::string& text = kept.columns.back().what.text;
      if (!text.starts_with("c ")) throw Outside("a constant column that is computed");
      constant += text.substr(2);
      ++constants;
    }
    kept.source = from.source;
    if (constants > 0) kept.source = "K " + Numbered(constants) + constant + kept.source;
    if (limit.rows) kept.source = "L " + Binary(*limit.rows) + kept.source;
    return kept;
  }
  Rows Projected(const sql::Select& select, const Rows& from) {
    Rows made;
    std::string terms;
    for (const sql::Item& item : select.items) {
      if (!item.term) throw Outside("an item without a term");
      const bool named = item.term->form == Form::kName || item.term->form == Form::kColumn;
      const Coded what = Of(item.term, from);
      made.columns.push_back({"",
                              !item.name.empty() ? item.name
                              : named            ? item.term->text
                                                 : "",
                              {"c " + Numbered(made.columns.size()), what.kind},
                              named && Find(from, *item.term).unit_key});
      terms += what.text;
    }
    made.source = "S " + Numbered(made.columns.size()) + terms + from.source;
    return made;
  }
  Rows PerUnit(const sql::Select& select, Rows from) {
    bool unit = false;
    for (const Term& by : select.group_by) {
      if (!by || (by->form != Form::kName && by->form != Form::kColumn)) throw Outside("groups by terms");
      unit = unit || Find(from, *by).unit_key;
    }
    if (!unit) throw Outside("groups of several units");
    // What it is grouped by is one for each unit, or the rows would be several.
    for (const Term& by : select.group_by)
      if (!Find(from, *by).unit_key && select.group_by.size() > 1) throw Outside("groups by the unit and more");
    // First the aggregates, each a column; then what is made of them.
    Rows folded;
    std::string folds;
    std::vector<sql::Item> items;
    const auto add = [&](const std::string& name, const std::string& fold, Kind kind, bool key) {
      folds += fold;
      folded.columns.push_back({"kith", name, {"c " + Numbered(folded.columns.size()), kind}, key});
    };
    for (const Term& by : select.group_by)
      add(by->text, "the " + Of(by, from).text, Find(from, *by).what.kind, Find(from, *by).unit_key);
    aggregates_ = 0;
    for (const sql::Item& item : select.items) {
      if (!item.term) throw Outside("an item without a term");
      items.push_back({Replaced(item.term, from, add), item.name});
      if (items.back().name.empty() && item.term->form == Form::kName) items.back().name = item.term->text;
    }
    folded.source = "U " + Numbered(folded.columns.size()) + folds + from.source;
    for (Column& column : folded.columns) column.source = "";
    sql::Select outer;
    outer.items = items;
    return Projected(outer, folded);
  }
  // The term with names of columns in place of its aggregates.
  template <class Add>
  Term Replaced(const Term& term, const Rows& from, const Add& add) {
    if (!term) return term;
    const Node& node = *term;
    const bool call =
        node.form == Form::kCall && node.args.size() == 1 && (node.text == "bool_or" || node.text == "bool_and");
    const bool choose = node.form == Form::kMin || node.form == Form::kMax || call;
    if (node.form == Form::kCount || node.form == Form::kSum || choose) {
      const bool star = node.args.at(0)->form == Form::kStar;
      const Coded value = star ? Coded{"l +1 "} : Of(node.args[0], from);
      const Coded filter = node.filter ? Of(node.filter, from) : Coded{"l +1 "};
      if (value.kind == Kind::kOpaque && node.form == Form::kSum) throw Outside("sums of reals");
      const std::string name = "kith_" + std::to_string(aggregates_++);
      if (choose && !call)
        add(name, "the " + (node.filter ? Choose(filter, value, {"n "}) : value).text, value.kind, false);
      else if (node.form == Form::kCount)
        add(name, "num 2 " + value.text + filter.text, Kind::kWhole, false);
      else
        add(name, std::string(call ? "fold 1 2 " : "fold 0 2 ") + value.text + filter.text, Kind::kWhole, false);
      return sql::Name(name);
    }
    if (node.args.empty()) {
      if (node.form == Form::kName || node.form == Form::kColumn) return sql::Name(node.text);
      return term;
    }
    auto copy = std::make_shared<Node>(node);
    for (Term& arg : copy->args) arg = Replaced(arg, from, add);
    return copy;
  }

  Rows FromOf(const sql::Select& select) {
    Rows rows = OfSource(select.from);
    for (const sql::Join& join : select.joins) rows = Joined(rows, join);
    if (select.where) {
      rows.source = "W " + Of(select.where, rows).text + rows.source;
      for (Column& column : rows.columns) {
        const auto ends = EndsOf(select.where, sql::Name(column.source, column.name));
        const auto same = ends ? ends : EndsOf(select.where, sql::Column(column.source, column.name));
        if (same && column.what.kind == Kind::kWhole)
          column.what.text = "in " + Binary(same->first) + Binary(same->second) + column.what.text;
      }
    }
    return rows;
  }
  static const Node* Bare(const Term& term) {
    const Node* node = term.get();
    while (node && (node->form == Form::kParen || node->form == Form::kCollated)) node = node->args[0].get();
    return node;
  }
  Rows Joined(Rows left, const sql::Join& join) {
    const Node* on = Bare(join.on);
    if (!on || on->form != Form::kInfix || on->text != " = " || on->args.size() != 2) throw Outside("joins on more");
    const check::TableFacts* table = join.source.statement.empty() ? facts_.Find(join.source.table) : nullptr;
    if (table && table->is_public) {
      const Node& key = *Bare(on->args[1]);
      if (table->key != key.text || key.source != join.source.name) throw Outside("joins on no key");
      const Coded by = Of(on->args[0], left);
      for (const check::ColumnFacts& column : table->columns) {
        Coded what = Call({by}, column.type == Type::kReal   ? Kind::kOpaque
                                : column.type == Type::kText ? Kind::kText
                                                             : Kind::kWhole);
        left.columns.push_back({join.source.name, column.name, what});
      }
      if (!join.left) left.source = "W " + Call({by}, Kind::kWhole).text + left.source;
      return left;
    }
    Rows right = OfSource(join.source);
    const Node &here = *Bare(on->args[0]), &there = *Bare(on->args[1]);
    if ((here.form != Form::kName && here.form != Form::kColumn) || !Find(left, here).unit_key ||
        !Find(right, there).unit_key)
      throw Outside("joins of different units");
    left = Plain(left);
    right = Plain(right);
    Rows both;
    both.source = std::string("B ") + (join.left ? "1 " : "0 ") + left.source + right.source;
    for (std::size_t k = 0; k < left.columns.size(); ++k) {
      both.columns.push_back(left.columns[k]);
      both.columns.back().what.text = "c " + Numbered(2 * k);
    }
    for (std::size_t k = 0; k < right.columns.size(); ++k) {
      both.columns.push_back(right.columns[k]);
      both.columns.back().what.text = "c " + Numbered(2 * k + 1);
      both.columns.back().unit_key = false;
    }
    return both;
  }
  // The columns that can be read, in their order.
  static Rows Plain(Rows rows) {
    std::string terms;
    for (std::size_t k = 0; k < rows.columns.size(); ++k) {
      terms += rows.columns[k].what.text;
      rows.columns[k].what.text = "c " + Numbered(k);
    }
    rows.source = "S " + Numbered(rows.columns.size()) + terms + rows.source;
    return rows;
  }

  // Numbers.

  void Filter(const Node& node, Rows& rows) {
    if (node.filter) rows.source = "W " + Of(node.filter, rows).text + rows.source;
  }
  std::string NumberOf(const Term& term, Rows& rows) {
    if (!term) throw Outside("a number that is no sum or count");
    const Node& node = *term;
    if (node.form == Form::kParen) return NumberOf(node.args[0], rows);
    if (node.form == Form::kCall && node.text == "coalesce" && node.args.size() == 2)
      return NumberOf(node.args[0], rows);
    if (node.form == Form::kCount && node.flag) {
      const Node& of = *node.args.at(0);
      const bool named = of.form == Form::kName || of.form == Form::kColumn;
      if (!named || !Find(rows, of).unit_key) {
        // Totals are sums of what the finest groups have: no numbers of different values themselves.
        if (!finest_only_) throw Outside("different values in several levels");
        const std::string value = Of(node.args[0], rows).text;
        Filter(node, rows);
        return "distinct " + value;
      }
      Filter(node, rows);
      return "units ";
    }
    if (node.form == Form::kCount) {
      const bool star = node.args.at(0)->form == Form::kStar;
      const std::string counted =
          star ? "l +1 " : Choose({"null " + Of(node.args[0], rows).text}, {"n "}, {"l +1 "}).text;
      Filter(node, rows);
      return "sum " + counted;
    }
    if (node.form == Form::kSum) return "sum " + Summed(node, rows);
    if (node.form == Form::kInfix && node.text == " - " && node.args[0]->form == Form::kSum) {
      const Node& off = *node.args[1];
      if (off.form != Form::kInfix || off.text != " * " || off.args[1]->form != Form::kCount || off.args[1]->flag ||
          !Alike(off.args[1]->args[0], node.args[0]->args[0]) || !Alike(off.args[1]->filter, node.args[0]->filter))
        throw Outside("a number that is no sum or count");
      const std::string each = Of(off.args[0], rows).text;
      return "sum - " + Summed(*node.args[0], rows) + each;
    }
    throw Outside("a number that is no sum or count");
  }
  std::string Summed(const Node& node, Rows& rows) {
    Term of = node.args.at(0);
    if (unclamped_) {
      if (of->form != Form::kWithin || of->flag) throw Outside("nothing is clamped");
      of = of->args[0];
    }
    const Coded x = Of(of, rows);
    Filter(node, rows);
    return x.text;
  }

  const check::Facts& facts_;
  const CellValues& cell_;
  const bool unclamped_;
  std::size_t aggregates_ = 0;
  bool finest_only_ = true;
};

}  // namespace

std::vector<CellValues> CellsOf(const check::Facts& facts, std::size_t most) {
  const check::TableFacts& table = facts.tables[facts.unit_table];
  std::vector<CellValues> cells = {CellValues(table.columns.size())};
  for (const check::CellFacts& column : facts.cells) {
    if (table.columns[column.column].per_row) continue;
    std::vector<CellValues> more;
    for (const CellValues& cell : cells)
      for (const Value& value : column.values) {
        more.push_back(cell);
        if (!std::holds_alternative<Null>(value)) more.back()[column.column] = value;
      }
    if (more.size() > most) throw Outside("very many cells");
    cells = std::move(more);
  }
  return cells;
}

InSyntax Translate(const sql::Statement& statement, const check::Facts& facts, const check::Claim& claim,
                   std::size_t number, const CellValues& cell, bool unclamped) {
  if (claim.use.rank) throw Outside("ranks");
  return Translator(facts, cell, unclamped).Run(statement, claim, number);
}

}  // namespace kith::testing

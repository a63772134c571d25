// SELECT without GROUP BY: a row for each row.
#include <algorithm>

#include "kernel/check/same.h"
#include "kernel/check/terms.h"

namespace kith::check {
namespace {

std::string NameOf(const sql::Item& item) {
  if (!item.name.empty()) return item.name;
  const bool named = item.term && (item.term->form == sql::Form::kName || item.term->form == sql::Form::kColumn);
  return named ? item.term->text : std::string();
}

bool IsNumber(const sql::Term& term) { return term->form == sql::Form::kNumber; }

// Rows that tie in this window agree in the term: it is ordered by, made of what is ordered by, or the same in all of
// them.
class Ordered {
 public:
  Ordered(const sql::Node& window, const Rows& rows) : rows_(rows) {
    for (std::size_t k = 1; k < window.args.size(); ++k) {
      const sql::Term by = Bare(window.args[k]);
      by_.push_back(by);
      if (by->form == sql::Form::kColumn || by->form == sql::Form::kName) names_.insert(by->text);
      // CASE WHEN condition THEN 0 ELSE 1 END says whether the condition is true.
      if (by->form == sql::Form::kCase && by->args.size() == 3 && IsNumber(by->args[1]) && IsNumber(by->args[2]) &&
          by->args[1]->low != by->args[2]->low)
        conditions_.push_back(Bare(by->args[0]));
    }
    // Rows with one place among whole rows are one row.
    whole_ = std::any_of(window.args.begin() + 1, window.args.end(), [&](const sql::Term& arg) {
      const sql::Term by = Bare(arg);
      return (by->form == sql::Form::kColumn || by->form == sql::Form::kName) &&
             std::any_of(rows.columns.begin(), rows.columns.end(),
                         [&](const RowColumn& c) { return c.name == by->text && IsOfWholeRows(c.what, rows); });
    });
    for (const RowColumn& column : rows.columns) {
      if (whole_) names_.insert(column.name);
    }
    // A name that two sources have says nothing.
    std::erase_if(names_, [&](const std::string& name) {
      return std::count_if(rows.columns.begin(), rows.columns.end(),
                           [&](const RowColumn& c) { return c.name == name; }) != 1;
    });
    const sql::Term& partition = window.args[0];
    if (partition && partition->form == sql::Form::kInfix) {
      by_.insert(by_.end(), partition->args.begin(), partition->args.end());
    } else {
      by_.push_back(partition);
    }
  }

  bool Says(const sql::Term& term, const Possible& what, bool of_unit) const {
    if (of_unit && !what.by_row) return true;
    const sql::Term bare = Bare(term);
    const auto same = [&](const sql::Term& by) { return Same(Bare(by), bare); };
    if (std::any_of(by_.begin(), by_.end(), same)) return true;
    // Of what is false and what is NULL it says the same.
    if (!what.null && SaysWhetherTrue(term)) return true;
    std::set<std::string> read;
    Reads(term, read);
    return std::all_of(read.begin(), read.end(), [&](const std::string& name) {
      if (names_.contains(name)) return true;
      const auto of =
          std::find_if(rows_.columns.begin(), rows_.columns.end(), [&](const RowColumn& c) { return c.name == name; });
      return of != rows_.columns.end() && of_unit && !of->what.by_row;
    });
  }

  bool whole() const { return whole_; }

  bool SaysWhetherTrue(const sql::Term& term) const {
    return std::any_of(conditions_.begin(), conditions_.end(),
                       [&](const sql::Term& by) { return Same(by, Bare(term)); });
  }

 private:
  const Rows& rows_;
  sql::Terms by_, conditions_;
  std::set<std::string> names_;
  bool whole_ = false;
};

// The names of those columns that a window divides rows by.
Names NamesOf(const sql::Terms& partition, const sql::Terms& made_of, const Rows& rows) {
  auto names = std::make_shared<std::set<std::string>>();
  for (std::size_t k = 0; k < made_of.size(); ++k) {
    const auto same = [&](const sql::Term& by) { return Same(Bare(by), Bare(made_of[k])); };
    if (std::any_of(partition.begin(), partition.end(), same)) names->insert(rows.columns[k].name);
  }
  return names;
}

bool HoldsWindow(const sql::Node& node) {
  return PartitionOf(node) ||
         std::any_of(node.args.begin(), node.args.end(), [](const sql::Term& arg) { return arg && HoldsWindow(*arg); });
}

// Stands for a column of which only that much is the same. No column has such a name.
std::string WhetherTrue(const std::string& name) { return std::string(1, '\0') + name; }

// The columns in which rows with the same place agree.
Names SamePlaces(std::size_t place, const sql::Terms& made_of, const Rows& from, const Rows& rows) {
  const Ordered order(*made_of[place], from);
  const sql::Terms partition = PartitionOf(*made_of[place]).value_or(sql::Terms());
  auto same = std::make_shared<std::set<std::string>>();
  for (std::size_t k = 0; k < made_of.size(); ++k) {
    const Possible& what = rows.columns[k].what;
    const auto own = PartitionOf(*made_of[k]);  // one value for all rows of the same partition
    const bool of_partition = own && made_of[k]->form != sql::Form::kWindow && made_of[k]->text == ")" &&
                              std::equal(own->begin(), own->end(), partition.begin(), partition.end(), Same);
    // Two windows in one order may number rows that tie in different ways, unless no rows tie.
    const bool untied = order.whole() && made_of[k]->form == sql::Form::kWindow && Ordered(*made_of[k], from).whole();
    const bool function = !HoldsWindow(*made_of[k]);
    if (k == place || of_partition || untied ||
        (function && order.Says(made_of[k], what, from.own && !rows.columns[place].what.others)))
      same->insert(rows.columns[k].name);
    if (order.SaysWhetherTrue(made_of[k])) same->insert(WhetherTrue(rows.columns[k].name));
  }
  return same;
}

}  // namespace

void Reads(const sql::Term& term, std::set<std::string>& names) {
  if (!term) return;
  if (term->form == sql::Form::kName || term->form == sql::Form::kColumn) names.insert(term->text);
  for (const sql::Term& arg : term->args) Reads(arg, names);
  Reads(term->filter, names);
  if (const auto window = term->form == sql::Form::kSuffix ? ReadWindowText(term->text) : std::nullopt) {
    names.insert(window->partition);
    if (!window->order.empty()) names.insert(window->order);
  }
}

void PartsOfFilter(const sql::Term& filter, const Possible& read, sql::Terms& parts) {
  if (!filter) return;
  if (filter->form == sql::Form::kParen) return PartsOfFilter(filter->args[0], read, parts);
  if (filter->form == sql::Form::kInfix && filter->text == " AND ") {
    for (const sql::Term& arg : filter->args) PartsOfFilter(arg, read, parts);
  } else if (filter->form != sql::Form::kName || !read.places || !read.places->contains(WhetherTrue(filter->text))) {
    parts.push_back(filter);
  }
}

bool IsOfWholeRows(const Possible& place, const Rows& rows) {
  return rows.own && place.places && !place.others &&
         std::all_of(rows.columns.begin(), rows.columns.end(),
                     [&](const RowColumn& c) { return !c.what.by_row || place.places->contains(c.name); });
}

void CheckPlaces(const Possible& what, const sql::Terms& beside, const Rows& rows, Reason& reason) {
  if (!what.places) return;
  std::set<std::string> read;
  for (const sql::Term& term : beside) Reads(term, read);
  for (const std::string& name : read) {
    const auto differs = [&](const RowColumn& c) { return c.name == name && (c.what.by_row || !rows.own); };
    if (!what.places->contains(name) && std::any_of(rows.columns.begin(), rows.columns.end(), differs))
      reason.Say("rows that tie in an order are not the same");
  }
}

Rows Projected(const sql::Select& select, const Context& context) {
  const Rows from = RowsOfFrom(select, context);
  Terms terms(from, context);
  if (select.where) terms.Assume(select.where);
  Rows rows = from;
  rows.columns.clear();
  rows.as_stored = from.as_stored && select.items.size() == 1 && select.items[0].term &&
                   select.items[0].term->form == sql::Form::kStar;
  sql::Terms made_of;
  for (const sql::Item& item : select.items) {
    if (!item.term) {
      context.reason.Say("an item without a term");
      return {};
    }
    if (item.term->form == sql::Form::kStar) {
      for (const RowColumn& column : from.columns) {
        rows.columns.push_back(column);
        made_of.push_back(sql::Column(column.source, column.name));
      }
      continue;
    }
    rows.columns.push_back({{}, NameOf(item), terms.Of(item.term)});
    made_of.push_back(item.term);
  }
  for (std::size_t k = 0; k < made_of.size(); ++k) {
    Possible& what = rows.columns[k].what;
    rows.whole = rows.whole || HoldsWindow(*made_of[k]);
    if (const auto partition = PartitionOf(*made_of[k])) {
      if (what.others) what.others = NamesOf(*partition, made_of, rows);
    } else if (what.others) {
      context.reason.Say("a value that depends on rows of other units");
    }
  }
  for (std::size_t k = 0; k < made_of.size(); ++k) {
    Possible& what = rows.columns[k].what;
    if (made_of[k]->form == sql::Form::kWindow) {
      what.places = SamePlaces(k, made_of, from, rows);
    } else if (what.places) {
      CheckPlaces(what, made_of, from, context.reason);
      what.places = nullptr;
    }
  }
  return rows;
}

}  // namespace kith::check

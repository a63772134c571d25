// A row for each unit, or for each group of units. Claims UNIT-1, GROUP-1, TABLES-3.
#include <algorithm>

#include "kernel/check/same.h"
#include "kernel/check/terms.h"

namespace kith::check {
namespace {

using sql::Form;

enum class Grouped { kByUnit, kByOwner, kByPublic };

class RowMaker {
 public:
  RowMaker(const sql::Select& select, const Context& context)
      : select_(select), context_(context), from_(RowsOfFrom(select, context)), inner_(from_, context) {
    if (select.where) inner_.Assume(select.where);
  }

  Rows Make() {
    ReadGroups();
    Rows rows = from_;
    rows.columns.clear();
    rows.whole = true;
    rows.as_stored = rows.once = false;
    rows.most = std::min<Int128>(from_.most, by_ == Grouped::kByOwner ? 1 + 2 * Int128{from_.most_other} : 1);
    rows.there = rows.unit_there = from_.unit_there || from_.there;
    rows.own = from_.own && by_ == Grouped::kByUnit;
    rows.parts = by_ == Grouped::kByPublic && from_.own;
    rows.of_households = by_ == Grouped::kByPublic && household_;
    if (by_ == Grouped::kByOwner) rows.there = rows.unit_there = false;
    for (const sql::Item& item : select_.items) {
      if (!item.term) context_.reason.Say("an item without a term");
      if (!item.term) return {};
      const bool key = item.term->form == Form::kName || item.term->form == Form::kColumn;
      if (!item.name.empty() && groups_names_.contains(item.name) && !(key && item.term->text == item.name))
        context_.reason.Say("a group under the name of another column");
      Terms terms(groups_, context_, [this](const sql::Node& node) { return Aggregate(node); });
      Possible what = terms.Of(item.term);
      if (by_ == Grouped::kByOwner) what.secret = what.by_row = true;
      rows.columns.push_back({{}, !item.name.empty() ? item.name : key ? item.term->text : "", what});
    }
    return rows;
  }

 private:
  void ReadGroups() {
    bool unit = false, owner = false, all_public = true, household = false, all_of_household = true;
    for (const sql::Term& by : select_.group_by) {
      if (!by || (by->form != Form::kName && by->form != Form::kColumn)) {
        context_.reason.Say("GROUP BY anything but names");
        return;
      }
      const RowColumn* column = Find(from_, *by, context_.reason);
      if (column == nullptr) return;
      const Possible& what = column->what;
      groups_.columns.push_back(*column);
      groups_names_.insert(by->text);
      unit = unit || (what.role == Role::kUnit && from_.own);
      owner = owner || what.role == Role::kOwner;
      all_public = all_public && (what.OfUnit() || (what.role == Role::kUnit && from_.own));
      household = household || what.role == Role::kHousehold;
      all_of_household = all_of_household && what.of_household;
      if (what.others || what.places) context_.reason.Say("GROUP BY a place in an order");
    }
    by_ = unit ? Grouped::kByUnit : owner ? Grouped::kByOwner : Grouped::kByPublic;
    household_ = household && all_of_household;
    if (by_ == Grouped::kByOwner && (select_.group_by.size() > 1 || from_.most_other == 0))
      context_.reason.Say("GROUP BY one of two units");
    if (by_ != Grouped::kByOwner && !all_public)
      context_.reason.Say("GROUP BY what a secret can change, without a list of groups");
  }

  // One value of all rows of a group.
  Possible Aggregate(const sql::Node& node) {
    const bool star = node.args.size() == 1 && node.args[0]->form == Form::kStar;
    if (node.args.size() != 1 || (star && node.form != Form::kCount))
      context_.reason.Say("an aggregate of several values");
    if (node.args.size() != 1) return {};
    const Possible value = star ? Constant(true) : inner_.Of(node.args[0]);
    const Possible filter = node.filter ? inner_.Of(node.filter) : Constant(true);
    const Possible both = Made({value, filter});
    sql::Terms read = {star ? nullptr : node.args[0]};
    PartsOfFilter(node.filter, both, read);
    CheckPlaces(both, read, from_, context_.reason);
    // Only of rows of one and the same group: then it is a function of the group's rows.
    if (both.others &&
        !std::includes(both.others->begin(), both.others->end(), groups_names_.begin(), groups_names_.end()))
      context_.reason.Say("an aggregate of what depends on rows of other groups");
    if (value.real && node.form == Form::kSum) context_.reason.Say("a sum of numbers that are not whole");
    const bool chooses = node.form == Form::kMin || node.form == Form::kMax || node.form == Form::kCall;
    // The same in all rows: it is that, if there is one. Rows of a group agree in what they are grouped by.
    const bool of_group = !node.args.empty() &&
                          (node.args[0]->form == Form::kName || node.args[0]->form == Form::kColumn) &&
                          groups_names_.contains(node.args[0]->text);
    if (chooses && value.OfUnit() && filter.OfUnit() && (by_ == Grouped::kByUnit || of_group)) {
      Possible same = value;
      same.null = value.null || node.filter;
      same.places = same.others = nullptr;
      // Among units of which only some pass the filter, whether one that does is there may be a secret.
      if (node.filter && by_ != Grouped::kByUnit && !from_.there && !from_.unit_there) same.secret = true;
      if (node.form == Form::kCall) same.is.reset();
      return same;
    }
    Possible p;
    p.real = value.real && chooses;
    const bool no_rows = from_.most == 0 || !filter.MayBeTrue();
    // Rows that are there whatever the secrets are, with values that no secret changes.
    const bool open = from_.there && !value.secret && !filter.secret && !both.others;
    p.secret = !open && !no_rows;
    if (node.form == Form::kCount) {
      p.null = false;
      p.low = 0;
      if (by_ == Grouped::kByUnit && from_.most < kUnlimited) p.high = static_cast<double>(from_.most);
    }
    if (node.form == Form::kCall) p.low = 0, p.high = 1;
    if (by_ == Grouped::kByPublic && from_.own && from_.most < kUnlimited) OwnPart(node, value, filter, p);
    return Settled(p);
  }

  // How far the rows of one unit can move a count or a sum. Claim GROUP-2.
  void OwnPart(const sql::Node& node, const Possible& value, const Possible& filter, Possible& p) const {
    const auto rows = static_cast<double>(from_.most);
    if (node.form == Form::kCount) p.own = p.alone = rows;
    if (node.form != Form::kSum || !(value.low > -kExact && value.high < kExact)) return;
    p.alone = rows * (std::max(value.high, 0.0) - std::min(value.low, 0.0));
    const bool counts = from_.there && from_.most == 1 && !filter.secret && !value.null;
    p.own = counts ? value.high - value.low : p.alone;
  }

  const sql::Select& select_;
  const Context& context_;
  const Rows from_;
  Terms inner_;
  Rows groups_;
  std::set<std::string> groups_names_;
  Grouped by_ = Grouped::kByPublic;
  bool household_ = false;
};

}  // namespace

Rows OnePerGroup(const sql::Select& select, const Context& context) { return RowMaker(select, context).Make(); }

}  // namespace kith::check

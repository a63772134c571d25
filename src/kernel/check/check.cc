#include "kernel/check/check.h"

#include <algorithm>
#include <map>
#include <set>

namespace kith::check {
namespace {

void NamesIn(const sql::Statement& statement, std::set<std::string>& names, bool& all);

void NamesIn(const sql::Source& source, std::set<std::string>& names, bool& all) {
  if (!source.statement.empty()) NamesIn(source.statement, names, all);
}

// The names that a statement reads anywhere.
void NamesIn(const sql::Statement& statement, std::set<std::string>& names, bool& all) {
  const auto& part = statement.query().part;
  if (const auto* limit = std::get_if<sql::UnitLimit>(&part)) {
    names.insert(limit->columns.begin(), limit->columns.end());
    return NamesIn(limit->from, names, all);
  }
  const auto* select = std::get_if<sql::Select>(&part);
  if (select == nullptr) {
    all = true;
    return;
  }
  for (const sql::Item& item : select->items) Reads(item.term, names);
  for (const sql::Term& term : select->group_by) Reads(term, names);
  Reads(select->where, names);
  NamesIn(select->from, names, all);
  for (const sql::Join& join : select->joins) {
    Reads(join.on, names);
    NamesIn(join.source, names, all);
  }
}

void Widen(Moved& most, const Moved& by) {
  most.l1 = std::max(most.l1, by.l1);
  most.l2_squared = std::max(most.l2_squared, by.l2_squared);
  most.groups = std::max(most.groups, by.groups);
}

void Add(Moved& sum, const Moved& part) {
  sum.l1 += part.l1;
  sum.l2_squared += part.l2_squared;
  sum.groups += part.groups;
}

class Finder {
 public:
  Finder(const sql::Statement& statement, const Facts& facts, const Claim& claim)
      : statement_(statement), facts_(facts), claim_(claim), use_(claim.use) {
    if (use_.levels.empty()) use_.levels.emplace_back(claim.keys, true);
  }

  Result<Found> Run() {
    if (statement_.empty()) return Unsupported("no rule knows this statement", "there is none", {});
    for (const auto& level : use_.levels)
      if (level.size() != claim_.keys) return Unsupported("levels of other keys", {}, {});
    if (!claim_.sizes.empty() && claim_.sizes.size() != claim_.keys) return Unsupported("sizes of other keys", {}, {});
    if (use_.rank && (use_.levels.size() > 1 || claim_.keys == 0 || use_.rank->den < 1 || use_.rank->num < 0 ||
                      use_.rank->num > use_.rank->den))
      return Unsupported("ranks that are none", {}, {});
    found_.charged = InCells(true);
    if (facts_.rows_are_public && reason_.empty()) {
      // A cell of rows says what one row does; rows of a unit are in several cells, and in the groups of all of them.
      // Where a row depends on other rows of its unit, it says nothing at all.
      Found of_rows = std::move(found_);
      found_ = {};
      found_.charged = InCells(false);
      for (std::size_t k = 0; k < found_.numbers.size() && !whole_; ++k) {
        const auto& [change, presence, open] = found_.numbers[k];
        Found::Of& of = of_rows.numbers[k];
        of.change.groups = std::min(change.groups, of.change.l1);
        of.presence.groups = std::min(presence.groups, of.presence.l1);
      }
      if (!whole_) found_ = std::move(of_rows);
    }
    if (!reason_.empty()) return Refusal();
    const bool any = std::find(found_.charged.begin(), found_.charged.end(), true) != found_.charged.end();
    if (any && (facts_.cells_joined || use_.of_households)) found_.charged.assign(found_.charged.size(), true);
    return found_;
  }

 private:
  Error Refusal() const {
    return Unsupported("no rule of the checker knows this statement", reason_.text(), "ask in another way");
  }

  // Cells in which something changes. `rows`: also by columns that are public per row.
  std::vector<bool> InCells(bool rows) {
    std::set<std::string> names;
    bool all = false;
    NamesIn(statement_, names, all);
    const TableFacts& table = facts_.tables[facts_.unit_table];
    std::map<std::vector<std::size_t>, bool> seen;
    std::vector<bool> changes;
    for (std::size_t number = 0; number < facts_.number_of_cells && reason_.empty(); ++number) {
      Cell cell{std::vector<std::optional<Value>>(table.columns.size())};
      std::vector<std::size_t> digits;
      std::size_t rest = number;
      for (std::size_t k = facts_.cells.size(); k-- > 0;) {
        const CellFacts& column = facts_.cells[k];
        const std::size_t digit = rest % column.values.size();
        rest /= column.values.size();
        const ColumnFacts& declared = table.columns[column.column];
        if (!(all || names.contains(declared.name)) || (declared.per_row && !rows)) continue;
        cell.values[column.column] = column.values[digit];
        digits.push_back(digit);
      }
      const auto known = seen.find(digits);
      if (known == seen.end()) {
        changes.push_back(InCell(cell));
        seen.emplace(std::move(digits), changes.back());
      } else {
        changes.push_back(known->second);
      }
    }
    return changes;
  }

  bool InCell(const Cell& cell) {
    const Context context{facts_, cell, reason_};
    const Asked asked = AskedBy(statement_, claim_.keys, context);
    if (!reason_.empty()) return false;
    if (asked.numbers.size() != claim_.numbers.size()) {
      reason_.Say("another number of numbers than is claimed");
      return false;
    }
    for (std::size_t k = 0; k < claim_.sizes.size(); ++k) {
      const Possible& key = asked.keys[k];
      const bool declared = !key.null && key.low >= 0 && key.high <= static_cast<double>(claim_.sizes[k]) - 1;
      if (asked.rows.most > 0 && !declared) reason_.Say("groups that no key declares");
    }
    found_.rows = std::max(found_.rows, asked.rows.most);
    whole_ = whole_ || asked.rows.whole || use_.rank.has_value();
    found_.numbers.resize(asked.numbers.size());
    bool changes = false;
    for (std::size_t k = 0; k < asked.numbers.size(); ++k) {
      Found::Of& found = found_.numbers[k];
      whole_ = whole_ || asked.numbers[k].adds == Adds::kDistinct;
      found.open_levels.resize(use_.levels.size(), true);
      const auto& open = claim_.numbers[k].open_levels;
      Moved change, presence;
      for (std::size_t level = 0; level < use_.levels.size(); ++level) {
        const Moved moved = MovedIn(use_.levels[level], asked, asked.numbers[k], use_, context);
        if (moved.l1 > 0) found.open_levels[level] = false;
        changes = changes || moved.l1 > 0;
        if (level < open.size() && open[level]) continue;
        Add(change, moved);
        Add(presence, ComingIn(use_.levels[level], asked, asked.numbers[k], use_, context));
      }
      Widen(found.change, change);
      Widen(found.presence, presence);
    }
    return changes;
  }

  const sql::Statement& statement_;
  const Facts& facts_;
  const Claim& claim_;
  Use use_;
  Reason reason_;
  Found found_;
  bool whole_ = false;
};

bool Holds(const Sensitivities& claimed, const Moved& found) {
  return claimed.l1().steps() >= found.l1 && claimed.l2_squared() >= found.l2_squared &&
         claimed.groups() >= found.groups;
}

Error Smaller(const std::string& what) {
  return Unsupported("a claim is smaller than what the statement can do", what + " can be more than is claimed", {});
}

}  // namespace

Result<Found> FindChange(const sql::Statement& statement, const Facts& facts, const Claim& claim) {
  return Finder(statement, facts, claim).Run();
}

namespace {

Result<void> Compare(const Found& found, const Claim& claim) {
  if (found.rows > claim.rows) return Smaller("the rows of a unit");
  for (std::size_t k = 0; k < found.numbers.size(); ++k) {
    const Found::Of& of = found.numbers[k];
    const ClaimedNumber& claimed = claim.numbers[k];
    if (!Holds(claimed.change, of.change)) return Smaller("the change");
    if (claimed.presence && !Holds(*claimed.presence, of.presence))
      return Smaller("the change when a unit comes or goes");
    for (std::size_t level = 0; level < claimed.open_levels.size(); ++level)
      if (claimed.open_levels[level] && (level >= of.open_levels.size() || !of.open_levels[level]))
        return Smaller("the change of a level without noise");
  }
  if (claim.charged.size() != found.charged.size()) return Smaller("the cells");
  for (std::size_t cell = 0; cell < claim.charged.size(); ++cell)
    if (found.charged[cell] && !claim.charged[cell]) return Smaller("the cells");
  return {};
}

}  // namespace

Result<CheckedStatement> Check(const sql::Statement& statement, const Facts& facts, const Claim& claim) {
  const auto found = FindChange(statement, facts, claim);
  if (!found) return found.error();
  if (auto holds = Compare(*found, claim); !holds) return holds.error();
  return CheckedStatement(statement, claim);
}

}  // namespace kith::check

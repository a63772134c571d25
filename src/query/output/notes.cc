#include "query/output/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>

#include "policy/per_row.h"
#include "query/bind/bind_levels.h"
#include "query/bind/typing.h"
#include "query/emit/emit.h"
#include "query/per_unit.h"

namespace kith {
namespace {

class NoteTaker {
 public:
  explicit NoteTaker(const Policy& policy) : policy_(policy), table_(policy.unit_table()) {}

  std::vector<Note> Run(const Question& question) {
    per_unit_ = question.per_unit.get();
    const auto look = [&](const ExprPtr& expr) {
      if (expr) LookForStrangers(*expr);
      if (expr) ForEachColumn(*expr, [&](std::size_t column) { NoteConstant(table_.columns[column]); });
    };
    look(question.where);
    for (const Key& key : question.keys) look(key.expr);
    for (const Counter& counter : question.counters) {
      look(counter.value);
      look(counter.filter);
    }
    for (const Key& key : question.keys) {
      if (key.column) continue;
      ForEachColumn(*key.expr, [&](std::size_t column) {
        const Column& c = table_.columns[column];
        if (!c.lower || !c.upper || IsMade(column)) return;
        Add(NoteKind::kCut, fmt::format("{} is clamped to its declared bounds before it is grouped", ColumnText(c)));
      });
    }
    for (const Counter& counter : question.counters) {
      if (counter.value) {
        ForEachColumn(*counter.value, [&](std::size_t column) {
          if (!IsMade(column)) NoteBounds(table_.columns[column]);
        });
      }
    }
    if (per_unit_) NoteRows(question);
    if (!question.levels.empty()) {
      Add(NoteKind::kMethod, fmt::format("{} levels, each with noise of its own; totals are {}", question.levels.size(),
                                         InAChain(question.levels) ? "then made the sums of their parts"
                                                                   : "not made the sums of their parts"));
    }
    for (const TableJoin& join : question.joins) {
      Add(NoteKind::kLeftOut, fmt::format("rows with no match in {} {}", join.table,
                                          join.inner ? "do not count" : "are kept, with NULL in its columns"));
      if (!join.of_units) continue;
      Add(NoteKind::kRowLimit, fmt::format("of {}, {}", join.table, KeptText(join.of_units->max_rows, join.key)));
      if (table_.other) continue;
      Add(NoteKind::kRowLimit, fmt::format("joined within each {}: at most {} rows of one in all", *policy_.unit.key,
                                           policy_.unit.max_rows));
    }
    if (table_.other) {
      Add(NoteKind::kRowLimit,
          fmt::format("rows are about two units: hidden is whoever is in {} or in {}, there in at most {} {}, as the "
                      "policy promises",
                      *table_.key, *table_.other, table_.max_other, table_.max_other == 1 ? "row" : "rows"));
    }
    if (policy_.unit.key && !per_unit_) {
      const std::int64_t rows = table_.OfUnits() ? table_.max_rows : policy_.unit.max_rows;
      Add(NoteKind::kRowLimit, KeptText(rows, *policy_.unit.key));
    }
    if (policy_.unit.level == UnitLevel::kHousehold) {
      Add(NoteKind::kMethod, fmt::format("asked about households: the answer hides all persons of one {}, at most {}",
                                         *policy_.unit.within, policy_.unit.size));
      const auto outer = [](const Counter& counter) { return counter.kind == CounterKind::kHouseholds; };
      if (std::any_of(question.counters.begin(), question.counters.end(), outer))
        Add(NoteKind::kLeftOut,
            fmt::format("persons without {} are households alone, and not counted by count(DISTINCT {})",
                        *policy_.unit.within, *policy_.unit.within));
    }
    return std::move(notes_);
  }

 private:
  // Where rows are public, no unit has more: that is checked.
  std::string KeptText(std::int64_t rows, const std::string& key) const {
    return fmt::format(
        "at most {} row{} of each {}{}; rows where it is NULL are left out", rows, rows == 1 ? "" : "s", key,
        RowsArePublic(policy_) ? "" : ", and further ones are neither in the answer nor in its error bar");
  }

  void Add(NoteKind kind, std::string text) {
    Note note{kind, std::move(text)};
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(std::move(note));
  }

  // An aggregate of a unit's rows: what is cut are the columns that it is made of.
  bool IsMade(std::size_t column) const {
    return per_unit_ && column >= per_unit_->first && column < per_unit_->first + per_unit_->columns.size();
  }

  // The rows that a unit's row is made of.
  void NoteRows(const Question& question) {
    Question rows;
    rows.joins = per_unit_->joins;
    rows.where = per_unit_->where;
    const auto used = UsedColumns(question);
    for (std::size_t k = 0; k < per_unit_->columns.size(); ++k) {
      if (!used.contains(per_unit_->first + k)) continue;
      Counter counter;
      counter.value = per_unit_->columns[k].value;
      counter.filter = per_unit_->columns[k].filter;
      rows.counters.push_back(std::move(counter));
    }
    if (per_unit_->OfGroups()) {
      NoteGroups();
    } else {
      Add(NoteKind::kMethod, per_unit_->windows
                                 ? fmt::format("windows look at the rows of each {} that are kept", *policy_.unit.key)
                                 : fmt::format("one row for each {}, made of its own rows alone", *policy_.unit.key));
    }
    rows.per_unit = per_unit_->rows;
    for (Note& note : NotesOf(rows, *per_unit_->policy)) Add(note.kind, std::move(note.text));
  }

  void NoteGroups() {
    std::string names;
    for (const std::size_t k : per_unit_->groups)
      names += (names.empty() ? "" : " and ") + ColumnText(per_unit_->policy->unit_table().columns[k]);
    Add(NoteKind::kMethod,
        fmt::format("one row for each {}, made of the rows of at most {} units", names, per_unit_->size));
    Add(NoteKind::kLeftOut, fmt::format("rows without {} are in no group, and left out", names));
  }

  void NoteBounds(const Column& column) {
    if (!column.lower || !column.upper) return;
    Add(NoteKind::kCut,
        fmt::format("{} is clamped to its declared bounds; what lies beyond them is not in the error bar",
                    ColumnText(column)));
  }

  void NoteConstant(const Column& column) {
    if (!column.constant || !OwnerOf(column).empty()) return;
    Add(NoteKind::kMethod,
        fmt::format("{} is constant: read from one row of each {}", ColumnText(column), *policy_.unit.key));
  }

  // Comparisons of a column that lists its values with a constant that is not among them: usually a slip.
  void LookForStrangers(const Expr& expr) {
    for (const auto& arg : expr.args) LookForStrangers(*arg);
    switch (expr.op) {
      case Op::kEqual:
      case Op::kNotEqual:
      case Op::kDistinct:
        Compare(*expr.args[0], *expr.args[1]);
        Compare(*expr.args[1], *expr.args[0]);
        return;
      case Op::kIn:
        for (std::size_t i = 1; i < expr.args.size(); ++i) Compare(*expr.args[0], *expr.args[i]);
        return;
      case Op::kSimpleCase:
        for (std::size_t i = 1; i + 1 < expr.args.size(); i += 2) Compare(*expr.args[0], *expr.args[i]);
        return;
      default:
        return;
    }
  }

  void Compare(const Expr& left, const Expr& right) {
    if (left.op != Op::kColumn || right.op != Op::kConstant || IsNullConstant(right)) return;
    const Column& column = table_.columns[left.column];
    if (column.values.empty()) return;
    if (IsDeclared(left.column, right.value)) return;
    std::string declared;
    for (const Value& value : column.values) {
      const ExprPtr listed = MakeConstant(TypedValue(column, value), right.type);
      declared += (declared.empty() ? "" : ", ") + DisplayText(*listed, table_);
      if (declared.size() > 100) break;  // no more is shown
    }
    Add(NoteKind::kSlip, fmt::format("{} is not a declared value of {}: no row has it; declared: {}",
                                     Shortened(DisplayText(right, table_)), ColumnText(column), Shortened(declared)));
  }

  // Lists are long on both sides: strings are looked up.
  bool IsDeclared(std::size_t index, const Value& constant) {
    const Column& column = table_.columns[index];
    const auto* text = std::get_if<std::string>(&constant);
    if (text && column.type == ColumnType::kText) {
      auto& declared = declared_[index];
      if (declared.empty()) {
        for (const Value& value : column.values) declared.insert(std::get<std::string>(value));
      }
      return declared.contains(*text);
    }
    const auto same = [&](const Value& value) { return TypedValue(column, value) == constant; };
    return std::any_of(column.values.begin(), column.values.end(), same);
  }

  const Policy& policy_;
  const Table& table_;
  const PerUnit* per_unit_ = nullptr;
  std::map<std::size_t, std::unordered_set<std::string_view>> declared_;  // strings of columns that were examined
  std::vector<Note> notes_;
};

}  // namespace

std::vector<Note> NotesOf(const Question& question, const Policy& policy) { return NoteTaker(policy).Run(question); }

}  // namespace kith

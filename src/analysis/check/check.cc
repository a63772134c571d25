#include "analysis/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/check/alarm.h"
#include "sql/quote.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

std::string Literal(const Value& value) {
  const std::string text = ToText(value);
  if (!std::holds_alternative<std::string>(value)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

std::vector<const Column*> Secrets(const Policy& policy) {
  std::vector<const Column*> secrets;
  for (const Column& column : policy.unit_table().columns) {
    if (!column.is_public && policy.unit.key != column.name) secrets.push_back(&column);
  }
  return secrets;
}

// Nothing in a record but this yes or no is secret.
bool IsWholeRecord(const Policy& policy) {
  const auto secrets = Secrets(policy);
  return policy.unit.presence == Presence::kPublic && policy.unit.max_rows == 1 && !policy.HasMoreTables() &&
         secrets.size() == 1 && secrets[0]->required && secrets[0]->values.size() == 2;
}

std::optional<Error> WrongPolicy(const Policy& policy) {
  const auto* group = std::get_if<Group>(&policy.dependence.model);
  constexpr const char* kNeeds =
      "a check counts groups by their members that say yes: it needs kind = \"group\" with by, size and odds_ratio";
  if (group == nullptr || !policy.dependence.by || policy.dependence.of_households || policy.stream)
    return Unsupported("no table of groups can contradict this declaration", "[dependence]", kNeeds);
  if (group->size < 2 || group->size > CheckOptions::kMaxSize)
    return Unsupported(fmt::format("groups of {} are not checked", group->size), "[dependence] size", kNeeds);
  if (policy.unit.max_rows != 1)
    return Unsupported("a unit has several rows, and so no single yes or no", "[unit]", "one row for each unit");
  if (group->size > 2 && !IsWholeRecord(policy)) {
    return Unsupported(
        "in groups of more than two, the check needs records that are nothing but one yes or no: what else is in them "
        "can tie the members as well, and an alarm would mean nothing",
        "[columns]", "keep one secret column of two values, required, with presence = \"public\"; or check pairs");
  }
  const auto stated = [](const GroupClass& one) { return one.odds_ratio.has_value(); };
  if (std::none_of(group->classes.begin(), group->classes.end(), stated))
    return Unsupported("members may depend on each other in any way, so that no data contradict it",
                       "[dependence] odds_ratio", kNeeds);
  return std::nullopt;
}

struct Property {
  std::string text;   // "sick = true"
  std::string value;  // 1 or 0, as SQL
};

Result<Property> PropertyOf(const CheckOptions& options, const Policy& policy) {
  std::vector<const Column*> usable;
  for (const Column* column : Secrets(policy)) {
    const bool named = column->name == options.column;
    if (options.column.empty() ? column->type == ColumnType::kBoolean || IsWholeRecord(policy) : named)
      usable.push_back(column);
  }
  if (usable.size() != 1) {
    return InvalidArgument(options.column.empty() ? "nothing says which secret the check is about"
                                                  : fmt::format("there is no secret column {:.60}", options.column),
                           "[columns]", "name a secret column that is yes or no")
        .For("check.column");
  }
  const Column& column = *usable[0];
  std::string wanted = options.value.value_or("true");
  if (!options.value && column.type != ColumnType::kBoolean && column.values.size() == 2)
    wanted = ToText(column.values[1]);
  const auto found =
      std::find_if(column.values.begin(), column.values.end(), [&](const Value& v) { return ToText(v) == wanted; });
  const bool exact =
      column.type == ColumnType::kBoolean || column.type == ColumnType::kText || column.type == ColumnType::kInteger;
  if (found == column.values.end() || !exact) {
    return InvalidArgument(fmt::format("column {} has no declared value {:.60}", column.name, wanted), "[columns]",
                           "say which of its declared values is a yes")
        .For("check.value");
  }
  const std::string condition = fmt::format("{} = {}", IdentifierText(column.name), Literal(*found));
  return Property{condition, fmt::format("CASE WHEN {} THEN 1 ELSE 0 END", condition)};
}

// A stratum is one of public columns: chosen by secrets, its groups would not be drawn from the law that is declared.
std::optional<Error> WrongStratum(const std::string& where, const Policy& policy) {
  if (where.empty()) return std::nullopt;
  Policy open = policy;
  open.unit.presence = Presence::kPublic;  // is there anything else that is secret?
  const auto rows = PlanRows({"0"}, where, open);
  if (!rows) return rows.error();
  if (rows->count_is_public) return std::nullopt;
  return InvalidArgument("the condition reads a secret: groups that are chosen by secrets say nothing about the others",
                         {}, "name public columns alone")
      .For("check.where");
}

// Which class of the declaration a row belongs to; after the last: none, because the value is missing.
std::string ClassOf(const Policy& policy) {
  if (!policy.dependence.strength_column) return "0";
  std::string text = "CASE";
  for (std::size_t k = 0; k < policy.dependence.class_values.size(); ++k) {
    text += fmt::format(" WHEN {} = {} THEN {}", IdentifierText(*policy.dependence.strength_column),
                        Literal(policy.dependence.class_values[k]), k);
  }
  return text + fmt::format(" ELSE {} END", policy.dependence.class_values.size());
}

// Can the rows hold a unit of this class? Only by what is public.
bool IsCharged(const Policy& policy, std::size_t of_class, const std::vector<bool>& charged) {
  const auto& columns = policy.cells.columns();
  const auto at = std::find_if(columns.begin(), columns.end(), [&](const CellColumn& column) {
    return column.name == policy.dependence.strength_column;
  });
  if (at == columns.end() || of_class >= policy.dependence.class_values.size()) return true;
  const Value& value = policy.dependence.class_values[of_class];
  for (std::size_t cell = 0; cell < charged.size(); ++cell) {
    if (charged[cell] && policy.cells.At(cell, static_cast<std::size_t>(at - columns.begin())) == value) return true;
  }
  return false;
}

}  // namespace

Result<std::unique_ptr<DependenceCheck>> DependenceCheck::Make(const CheckOptions& options, const Policy& policy) {
  if (const auto error = WrongPolicy(policy)) return *error;
  const double rate = options.false_alarm;
  if (!(rate >= CheckOptions::kLeastFalseAlarm && rate <= CheckOptions::kMostFalseAlarm)) {
    return InvalidArgument(fmt::format("the rate of false alarms must lie between {} and {}",
                                       CheckOptions::kLeastFalseAlarm, CheckOptions::kMostFalseAlarm),
                           {}, "name a rate such as 0.05")
        .For("check.false_alarm");
  }
  const auto property = PropertyOf(options, policy);
  if (!property) return property.error();
  if (const auto error = WrongStratum(options.where, policy)) return *error;
  auto rows =
      PlanRows({property->value, ClassOf(policy)}, options.where, policy, RowsOfUnit::kKept, *policy.dependence.by);
  if (!rows) return rows.error();
  const auto& group = std::get<Group>(policy.dependence.model);
  std::unique_ptr<DependenceCheck> made(new DependenceCheck());
  std::int64_t stated = 0;
  for (std::size_t k = 0; k < group.classes.size(); ++k) {
    const GroupClass& one = group.classes[k];
    made->classes_.push_back({one.label, one.odds_ratio, group.SizeOf(k), IsCharged(policy, k, rows->charged)});
    stated += one.odds_ratio ? 1 : 0;
  }
  made->rule_ = {group.size, stated, rate};
  made->property_ = property->text;
  made->group_ = *policy.dependence.by;
  made->strength_ = policy.dependence.strength_column.value_or("");
  if (!options.where.empty()) made->stratum_ = rows->normalised;
  made->rows_ = std::move(*rows);
  return made;
}

// With what is declared: another odds ratio is another check.
std::string DependenceCheck::Normalised() const {
  std::string declared;
  for (const Class& one : classes_)
    declared += fmt::format("{}{}{}", declared.empty() ? "" : ", ", one.label.empty() ? "" : one.label + " ",
                            one.odds_ratio ? fmt::format("{}", *one.odds_ratio) : "any");
  return fmt::format("check of the declared dependence: {} in groups of {} by {}{}, odds ratio {}, false alarms {}{}",
                     property_, rule_.size, IdentifierText(group_),
                     strength_.empty() ? "" : " and " + IdentifierText(strength_), declared, rule_.false_alarm,
                     stratum_.empty() ? "" : "; of " + stratum_);
}

Result<Plan> DependenceCheck::Round(std::span<const NoisyRound>) const {
  Plan plan;
  plan.normalised = Normalised();
  plan.charged = rows_.charged;
  GroupKey of_class{"class", {}, false}, of_yes{"members that say yes", {}, true};
  for (std::size_t k = 0; k < classes_.size(); ++k) of_class.values.emplace_back(static_cast<std::int64_t>(k));
  for (std::int64_t k = 0; k <= rule_.size; ++k) of_yes.values.emplace_back(k);
  plan.keys = {std::move(of_class), std::move(of_yes)};
  const auto change = Sensitivities::OfL1(2);
  if (!change) return change.error();
  plan.statistics.push_back({"groups by members that say yes",
                             {},
                             *change,
                             "a unit's record takes its group out of one count and into another"});
  plan.notes = Caveats();
  // Only whole groups: those with as many members in the table as there can be.
  const auto whole = [](sql::Term term) { return sql::Cast(std::move(term), sql::Stored::kWhole); };
  const auto counted = sql::Selected({.items = {{whole(sql::Sum(sql::Name("v0"))), "yes"},
                                                {whole(sql::Min(sql::Name("v1"))), "kind"},
                                                {whole(sql::CountRows()), "members"}},
                                      .from = sql::Rows(rows_.statement, "r"),
                                      .where = sql::IsNotNull(sql::Name("h")),
                                      .group_by = {sql::Name("h")}});
  const sql::Term kind = sql::Name("kind"), yes = sql::Name("yes");
  plan.statement = sql::Selected(
      {.items = {{kind}, {yes}, {sql::CountRows(), "n"}},
       .from = sql::Rows(counted, "g"),
       .where = sql::All({sql::Infix(" = ", {sql::Name("members"), sql::Number(rule_.size)}),
                          sql::Between(kind, sql::Number(0), sql::Number(static_cast<Int128>(classes_.size()) - 1)),
                          sql::Between(yes, sql::Number(0), sql::Number(rule_.size))}),
       .group_by = {kind, yes}});
  return plan;
}

std::vector<Note> DependenceCheck::Caveats() const {
  return {
      {NoteKind::kAccuracy,
       "silence proves nothing: a declaration that is not contradicted may still be wrong, by too little to be "
       "noticed, "
       "in another column, or between other people"},
      {NoteKind::kAccuracy,
       fmt::format("if the declaration is right and groups are alike, an alarm is raised with probability {} at most; "
                   "where groups differ in how common {} is (in age, or place), that alone can raise one",
                   rule_.false_alarm, property_)},
      {NoteKind::kMethod,
       fmt::format(
           "only groups with exactly {} members in the table{} are looked at: where there are none, nothing can "
           "be contradicted; all that leaves is whether they contradict the declared odds ratio, whatever the "
           "noise was",
           rule_.size, stratum_.empty() ? "" : ", all of them in the stratum,")}};
}

std::string DependenceCheck::Silence() const { return fmt::format("not contradicted (groups of {} only)", rule_.size); }

Result<Findings> DependenceCheck::Conclude(std::span<const NoisyRound> rounds) const {
  const NoisyRound& round = rounds[0];
  const std::int64_t box = rule_.Box(round.scales[0]);
  const auto count = static_cast<std::size_t>(rule_.size) + 1;
  constexpr Int128 kFarthest = Int128{1} << 60;
  Findings findings;
  findings.columns = {"of", "declared odds ratio", "verdict"};
  check::Alarm alarm{{}, group_, strength_, {}};
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    const Class& one = classes_[k];
    if (!one.odds_ratio) continue;
    std::vector<std::int64_t> noisy;
    for (std::size_t yes = 0; yes < count; ++yes)
      noisy.push_back(static_cast<std::int64_t>(std::clamp(round.noisy[k * count + yes][0], -kFarthest, kFarthest)));
    const bool contradicted = one.looked_at && check::Contradicts(rule_, noisy, rounding::LogUp(*one.odds_ratio), box);
    const std::string silence = one.looked_at ? Silence() : "not looked at";
    findings.rows.push_back({Value(property_ + (one.label.empty() ? "" : ", " + one.label)), Value(*one.odds_ratio),
                             Value(contradicted ? std::string("contradicted") : silence)});
    if (!contradicted) continue;
    alarm.found += fmt::format("{}{}{} by {}: the odds ratio between members of a group is above the declared {}",
                               alarm.found.empty() ? "" : "; ", property_, one.label.empty() ? "" : " for " + one.label,
                               group_, *one.odds_ratio);
    alarm.of.push_back({one.label, check::ContradictedUpTo(rule_, noisy, *one.odds_ratio, box), one.size});
  }
  if (!alarm.of.empty()) {
    alarm.found += fmt::format("; false alarms {} at most", rule_.false_alarm);
    findings.alarm = check::ToText(alarm);
  }
  findings.notes = Caveats();
  findings.claims = {"ROWS-1", "CHECK-1", "CHECK-2"};
  return findings;
}

std::vector<CheckPower> DependenceCheck::PowerAt(double scale) const {
  std::vector<CheckPower> table;
  for (const Class& one : classes_) {
    if (!one.odds_ratio || !one.looked_at) continue;
    for (const std::int64_t groups : {200, 2'000, 20'000, 200'000}) {
      for (const double share : {0.05, 0.2, 0.5}) {
        table.push_back({one.label, *one.odds_ratio, groups, share,
                         check::Noticed(rule_, groups, share, std::log(*one.odds_ratio), scale)});
      }
    }
  }
  return table;
}

}  // namespace kith

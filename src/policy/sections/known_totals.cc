// [dependence] known: exact totals that somebody may know.
//   known = ["total"]                                              one property that is yes or no, whichever it is
//   known = [{ total = "sick" }, { total = "sick", by = "ward" }]  of all units, and within each ward
//   known = [{ total = "diagnosis", value = "flu" }]               how many units have that value
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "policy/sections/sections.h"

namespace kith {
namespace {

constexpr const char* kExample =
    "write known = [{ total = \"sick\" }], known = [{ total = \"sick\", by = \"ward\" }], or known = [\"total\"] for "
    "the total of any one property that is yes or no";

struct Total {
  std::string column;                // empty: any one
  std::optional<std::string> value;  // how many units have it
  std::vector<std::string> by;       // sorted; empty: of all units
  int line = 0;
};

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  return text;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<std::vector<std::string>> ReadScope(const Section& total, const Member& member, const Policy& policy) {
  std::vector<Node> nodes = member.value.kind == NodeKind::kList ? member.value.items : std::vector<Node>{member.value};
  std::vector<std::string> names;
  for (Node& node : nodes) {
    Member one{member.key, node.line, std::move(node)};
    auto name = total.Text(one);
    if (!name) return name.error();
    const Column* column = policy.unit_table().Find(*name);
    if (column == nullptr || !column->is_public) {
      return total.At(one.line,
                      fmt::format("a total by {} is about groups that everybody knows, and {} is no public column of "
                                  "the unit's table",
                                  Quote(*name), Quote(*name)),
                      "name a column that is declared with public = true");
    }
    if (column->per_row) {
      return total.At(one.line,
                      fmt::format("totals by {} cross: a unit has rows in several of them, so that they tie any number "
                                  "of units to each other, and nothing can be promised",
                                  Quote(*name)),
                      "name a column that is the same in all rows of a unit, or leave these totals out");
    }
    if (!Contains(names, *name)) names.push_back(*name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<Total> ReadTotal(const Section& section, const Node& node, const Policy& policy) {
  Total out;
  out.line = node.line;
  if (node.kind == NodeKind::kText) {
    if (std::get<std::string>(node.leaf) == "total") return out;
    return section.At(node.line, fmt::format("known cannot be {}", Quote(std::get<std::string>(node.leaf))), kExample);
  }
  if (node.kind != NodeKind::kTable) return section.At(node.line, "a known total must be a table", kExample);
  const Section total = section.Item(node, "a known total");
  if (auto ok = total.AllowOnly("total"); !ok) return ok.error();
  const Member* of = total.Find("total");
  if (of == nullptr) return total.Missing("total", kExample);
  auto name = total.Text(*of);
  if (!name) return name.error();
  out.column = *name;
  if (const Member* value = total.Find("value"); value != nullptr) {
    if (value->value.kind == NodeKind::kList || value->value.kind == NodeKind::kTable)
      return total.At(value->line, "'value' must be one declared value of the column", kExample);
    out.value = ToText(value->value.leaf);
  }
  if (const Member* by = total.Find("by"); by != nullptr) {
    auto scope = ReadScope(total, *by, policy);
    if (!scope) return scope.error();
    out.by = *std::move(scope);
  }
  return out;
}

// The only secret of a record is this one, yes or no.
bool IsWholeRecord(const Policy& policy, const std::string& name) {
  if (policy.unit.presence != Presence::kPublic || policy.unit.max_rows != 1) return false;
  const Column* secret = nullptr;
  for (const Column& column : policy.unit_table().columns) {
    if (column.is_public || policy.unit.key == column.name) continue;
    if (secret != nullptr) return false;
    secret = &column;
  }
  return secret != nullptr && (name.empty() || secret->name == name) && secret->required && secret->values.size() == 2;
}

/// Whole numbers from `low` to `high`; nothing if the column has others, or is not bounded.
struct Range {
  double low = 0, high = 0;
};
std::optional<Range> WholeNumbers(const Column& column) {
  if (column.type != ColumnType::kInteger) return std::nullopt;
  if (column.lower) return Range{*column.lower, *column.upper};
  if (column.values.empty()) return std::nullopt;
  std::vector<double> values;
  for (const Value& value : column.values) values.push_back(static_cast<double>(std::get<std::int64_t>(value)));
  std::sort(values.begin(), values.end());
  if (values.back() - values.front() + 1 != static_cast<double>(values.size())) return std::nullopt;
  return Range{values.front(), values.back()};
}

// How far one unit can move the total of a column of whole numbers.
Result<std::int64_t> RangeOf(const Section& section, const Column& column, const Policy& policy, int line) {
  const std::string name = Quote(column.name);
  const auto range = WholeNumbers(column);
  if (!range) {
    return section.At(
        line,
        fmt::format("the total of {} is covered where it is yes or no, or a whole number between bounds without gaps",
                    name),
        "declare lower and upper, or name one of its values: { total = \"column\", value = \"flu\" }");
  }
  const bool always = column.required && policy.unit.presence == Presence::kPublic && policy.unit.max_rows == 1;
  if (!always && (range->low > 0 || range->high < 0)) {
    return section.At(
        line,
        fmt::format("a missing {} adds 0 to the total, which does not lie between its bounds: the law of a unit's part "
                    "would have a gap, and nothing is proved then",
                    name),
        "add required = true to the column (with presence = \"public\" and one row per unit), or widen its bounds to "
        "0");
  }
  const double low = always ? range->low : std::min(range->low, 0.0),
               high = always ? range->high : std::max(range->high, 0.0);
  const double rows = column.constant ? 1 : static_cast<double>(policy.unit.max_rows);
  constexpr double kMost = 1e6;  // the loss is multiplied by it
  if (!((high - low) * rows <= kMost)) {
    return section.At(line, fmt::format("one unit can move the total of {} by more than {}", name, kMost),
                      "narrow its bounds; the loss is multiplied by them");
  }
  return static_cast<std::int64_t>((high - low) * rows);
}

// What the total is of, in words, and how far one unit can move it.
Result<KnownTotals> Property(const Section& section, const Total& total, const Policy& policy) {
  KnownTotals known;
  known.whole_record = IsWholeRecord(policy, total.column);
  if (total.column.empty()) {
    known.of = "the exact number of units with one property that is yes or no, whichever it is";
    return known;
  }
  std::vector<std::string> secrets;
  for (const Column& column : policy.unit_table().columns) {
    if (!column.is_public && policy.unit.key != column.name) secrets.push_back(column.name);
  }
  const Column* column = policy.unit_table().Find(total.column);
  if (column == nullptr || !Contains(secrets, total.column)) {
    return section.At(
        total.line,
        fmt::format("a known total is of a secret column of the unit's table, which {} is not", Quote(total.column)),
        Suggest(total.column, secrets));
  }
  const bool once = policy.unit.max_rows == 1 || column->constant;
  if (total.value || column->type == ColumnType::kBoolean) {
    const std::string value = total.value.value_or("true");
    const bool declared =
        std::any_of(column->values.begin(), column->values.end(), [&](const Value& v) { return ToText(v) == value; });
    if (!declared)
      return section.At(total.line,
                        fmt::format("column {} has no declared value {}", Quote(column->name), Quote(value)),
                        "name one of its declared values");
    known.of = fmt::format("the exact number of {} with {} = {}", once ? "units" : "rows", column->name, value);
    if (!once) known.range = policy.unit.max_rows;
    return known;
  }
  auto range = RangeOf(section, *column, policy, total.line);
  if (!range) return range.error();
  known.of = fmt::format("the exact total of {}{}", column->name,
                         column->constant && policy.unit.max_rows > 1 ? ", counted once for each unit" : "");
  known.range = *range;
  return known;
}

// Totals by A, and by A and B: groups within each other. Anything else crosses.
Result<void> CheckNested(const Section& section, const std::vector<Total>& totals) {
  for (std::size_t k = 1; k < totals.size(); ++k) {
    const auto &outer = totals[k - 1].by, &inner = totals[k].by;
    if (std::includes(inner.begin(), inner.end(), outer.begin(), outer.end())) continue;
    return section.At(
        totals[k].line,
        fmt::format(
            "totals by {} and by {} cross: together they can tie any number of records to one (with the margins "
            "of two rows and two columns the loss is four times the plain loss, and no bound is known for "
            "more), so nothing can be promised",
            Joined(outer), Joined(inner)),
        "keep totals whose groups lie within each other, such as by = \"hospital\" and by = [\"hospital\", \"ward\"]");
  }
  return {};
}

}  // namespace

Result<void> ReadKnown(const Section& section, const Member& member, Policy& policy) {
  if (member.value.kind != NodeKind::kList || member.value.items.empty())
    return section.At(member.line, "'known' must be a list of totals", kExample);
  std::vector<Total> totals;
  for (const Node& node : member.value.items) {
    auto total = ReadTotal(section, node, policy);
    if (!total) return total.error();
    if (!totals.empty() && (total->column != totals[0].column || total->value != totals[0].value)) {
      return section.At(total->line,
                        "totals of two properties cross: the bound is proved for totals of one property of the units",
                        "keep the totals of one column");
    }
    totals.push_back(*std::move(total));
  }
  const auto fewer = [](const Total& a, const Total& b) { return a.by.size() < b.by.size(); };
  std::stable_sort(totals.begin(), totals.end(), fewer);
  if (auto ok = CheckNested(section, totals); !ok) return ok;
  auto known = Property(section, totals[0], policy);
  if (!known) return known.error();
  std::vector<std::string> scopes;
  for (const Total& total : totals) {
    std::string scope = total.by.empty() ? "over all units" : "by " + Joined(total.by);
    if (!Contains(scopes, scope)) scopes.push_back(std::move(scope));
    known->of_groups = known->of_groups || !total.by.empty();
  }
  known->of += fmt::format(", {}", Joined(scopes));
  // What the model requires of totals: the same words as where the transfer function is made.
  if (!policy.dependence.edges) {
    if (auto made = Transfer::Make(policy.dependence.model, *known); !made)
      return section.At(member.line, made.error().what, made.error().next);
  }
  policy.dependence.known = *std::move(known);
  return {};
}

Result<void> CheckKnown(const Section& root, const Policy& policy) {
  if (!policy.dependence.known) return {};
  const int line = root.Find("dependence")->line;
  const auto refuse = [&](const char* part) {
    return root.At(line, fmt::format("with {} nothing is proved against somebody who knows totals", part),
                   "remove one of the two; without 'known' no promise is made against somebody who knows totals");
  };
  if (policy.unit.within) return refuse("persons in households ([unit] within)");
  if (policy.unit.other_key) return refuse("units that are named in two columns");
  if (policy.unit.distance) return refuse("a distance ([unit] distance)");
  if (policy.stream) return refuse("[stream]");
  if (!policy.one_sided.empty()) return refuse("[one_sided]");
  if (policy.dependence.edges) return refuse("a graph in a file");
  return {};
}

}  // namespace kith

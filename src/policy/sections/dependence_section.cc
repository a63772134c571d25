// [dependence]: who depends on whom, how strongly, and where that knowledge comes from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "dependence/check.h"
#include "policy/sections/sections.h"

namespace kith {
namespace {

const std::vector<std::string> kKinds = {"independent", "group", "overlap",   "field", "chain",
                                         "tree",        "star",  "lipschitz", "joint", "pairs"};

Result<void> ReadSource(const Section& section, Policy& policy) {
  const Member* member = section.Find("source");
  const std::string choice =
      "write source = \"public\" if the model comes from published knowledge or from facts that everybody may know";
  if (member == nullptr) return section.Missing("source", choice);
  auto source = section.Text(*member);
  if (!source) return source.error();
  if (*source == "private") {
    return section.At(
        member->line,
        "a dependence model taken from the protected data is refused: the noise would be computed from private "
        "data, so its size would itself be a release",
        "declare a bound that is known without the data (published studies, the largest household there can be) "
        "and write source = \"public\"");
  }
  if (*source != "public") return section.At(member->line, fmt::format("source cannot be {}", Quote(*source)), choice);
  policy.dependence.source = *source;
  return {};
}

Result<void> ReadAccept(const Section& section, Policy& policy) {
  const Member* member = section.Find("accept");
  if (member == nullptr) return {};
  auto accept = section.Text(*member);
  if (!accept) return accept.error();
  if (*accept != "unproven") {
    return section.At(member->line, fmt::format("accept cannot be {}", Quote(*accept)),
                      "write accept = \"unproven\" to release with formulas that are not proved, or remove the line");
  }
  policy.dependence.accept_unproven = true;
  return {};
}

// unit = "household": the records of the model are the outer units.
Result<void> ReadUnitOfModel(const Section& section, Policy& policy) {
  const Member* member = section.Find("unit");
  if (member == nullptr) return {};
  auto unit = section.Text(*member);
  if (!unit) return unit.error();
  if (*unit != "person" && *unit != "household") {
    return section.At(
        member->line, fmt::format("unit cannot be {}", Quote(*unit)),
        "write unit = \"household\" if the model says how households depend on each other, or leave it out");
  }
  policy.dependence.of_households = *unit == "household";
  return {};
}

// A strength that was estimated is a limit, and a limit has a confidence.
Result<void> ReadConfidence(const Section& section, Policy& policy) {
  const Member* member = section.Find("confidence");
  if (member == nullptr) return {};
  auto confidence = section.Number(*member);
  if (!confidence) return confidence.error();
  if (!(*confidence >= 0.5 && *confidence < 1)) {
    return section.At(member->line, "confidence must lie between 0.5 and 1",
                      "write 0.95 for a 95 % upper limit, or remove the line if the strength is a fact");
  }
  policy.dependence.confidence = *confidence;
  return {};
}

// The column that names a unit's group. Membership is public; where the column is declared, it must say so.
Result<void> ReadGroupColumn(const Section& section, const std::string& key, Policy& policy) {
  const Member* member = section.Find(key);
  if (member == nullptr) return {};
  auto name = section.Text(*member);
  if (!name) return name.error();
  if (const std::string problem = NameProblem(*name); !problem.empty()) {
    return section.At(member->line, fmt::format("the name in '{}' {}", key, problem),
                      "name a column of the unit's table");
  }
  if (policy.unit.key && FoldName(*policy.unit.key) == FoldName(*name)) {
    return section.At(member->line, fmt::format("'{}' names the unit's key, so every group would have one member", key),
                      "name the column that members of a group share");
  }
  for (const auto& column : policy.unit_table().columns) {
    if (FoldName(column.name) != FoldName(*name)) continue;
    if (column.name != *name) {
      return section.At(member->line, fmt::format("the column is spelled {}", Quote(column.name)), "use one spelling");
    }
    if (!column.is_public) {
      return section.At(
          member->line, fmt::format("column {} names groups, so it must be public", Quote(*name)),
          "who belongs to which group is assumed to be known to everybody: add public = true to the column, or leave "
          "the column undeclared if nobody shall ask about it");
    }
    if (column.required || column.lower) {
      return section.At(
          column.line, fmt::format("column {} names groups and cannot have bounds or be required", Quote(*name)),
          "declare its type or its values only: mapping members into other groups would break the promised size");
    }
  }
  policy.dependence.by = *name;
  return {};
}

Result<void> ReadBy(const Section& section, Policy& policy) { return ReadGroupColumn(section, "by", policy); }

Result<std::optional<double>> ReadOddsRatio(const Section& section, const Member& member) {
  auto number = section.Number(member);
  if (!number) return number.error();
  if (!(*number >= 1)) {
    return section.At(
        member.line, fmt::format("the odds ratio {} is below 1", Quote(member.key)),
        "state the largest ratio over all pairs of values, which is at least 1 (for a ratio below 1, its inverse)");
  }
  if (std::isinf(*number)) return std::optional<double>();  // anything goes
  return std::optional<double>(*number);
}

// The public column in odds_ratio = { column = { value = number, ... } }.
Result<const Column*> StrengthColumn(const Section& section, const Member& member, const Policy& policy) {
  std::vector<std::string> usable;
  for (const auto& column : policy.unit_table().columns) {
    if (column.is_public && !column.values.empty()) usable.push_back(column.name);
  }
  const Column* column = policy.unit_table().Find(member.key);
  if (column == nullptr || !column->is_public || column->values.empty()) {
    return section.At(
        member.line,
        fmt::format("odds ratios can differ by a public column with declared values, which {} is not",
                    Quote(member.key)),
        column == nullptr ? Suggest(member.key, usable) : "add public = true and values = [...] to the column");
  }
  const std::size_t count = column->values.size() + (column->required ? 0 : 1);
  if (count > Cells::kMax) {
    return section.At(member.line,
                      fmt::format("column {} has too many values for different strengths", Quote(member.key)),
                      fmt::format("use a column with fewer than {} values", Cells::kMax));
  }
  if (!policy.dependence.by) {
    return section.Missing(
        "by",
        "write by = \"column\" that names a unit's group: the strength must be the same for all its members, and "
        "only with 'by' can that be checked");
  }
  return column;
}

// One strength: an odds ratio, or the spread of a shared cause, from which the odds ratio follows.
Result<GroupClass> ReadClass(const Section& section, const Member& member, const std::string& label,
                             const Group& group) {
  if (group.shared == SharedBy::kSd || group.shared == SharedBy::kRange) {
    auto spread = section.Number(member);
    if (!spread) return spread.error();
    const double odds_ratio = *spread >= 0 ? OddsRatioOf(group.shared, *spread) : 0;
    if (odds_ratio >= 1 && std::isfinite(odds_ratio)) return GroupClass{label, odds_ratio, {}, *spread};
    return section.At(member.line, "the spread of a shared cause must be a number that is not negative, at most 26",
                      "state it on the scale of log odds; without a limit leave 'shared' out: then anything goes");
  }
  auto odds = ReadOddsRatio(section, member);
  if (!odds) return odds.error();
  if (*odds || group.ties == Ties::kEither) return GroupClass{label, *odds, {}};
  return section.At(member.line, "non-negative ties without a limit say nothing",
                    "state a finite odds ratio; or leave 'ties' and 'shared' out: then anything goes inside a group");
}

Result<std::vector<GroupClass>> ReadClasses(const Section& strengths, const Column& column, const Group& group) {
  std::unordered_map<std::string, const Member*> stated;
  for (const auto& member : strengths.members()) stated[member.key] = &member;
  std::vector<GroupClass> classes;
  std::vector<std::string> names;
  for (const auto& value : column.values) {
    names.push_back(ToText(value));
    const auto found = stated.find(names.back());
    if (found == stated.end()) {
      return strengths.Missing(
          names.back(),
          "state a strength for every declared value of the column (an odds ratio of inf: anything goes)");
    }
    auto one = ReadClass(strengths, *found->second, names.back(), group);
    if (!one) return one.error();
    classes.push_back(*std::move(one));
    stated.erase(found);
  }
  for (const auto& member : strengths.members()) {
    if (!stated.contains(member.key)) continue;
    return strengths.At(member.line, fmt::format("column {} has no value {}", Quote(column.name), Quote(member.key)),
                        Suggest(member.key, names));
  }
  return classes;
}

Result<void> ReadOdds(const Section& section, const std::string& key, Group& group, Policy& policy) {
  const Member* member = section.Find(key);
  if (member == nullptr) {
    group.classes.push_back({});
    return {};
  }
  if (member->value.kind != NodeKind::kTable) {
    auto one = ReadClass(section, *member, "", group);
    if (!one) return one.error();
    group.classes.push_back(*std::move(one));
    return {};
  }
  const std::string example = key + " = { column = { value = 2, other = 3 } }";
  if (member->value.members.size() != 1) {
    return section.At(member->line, "strengths can differ by exactly one column", "write " + example);
  }
  const Member& by_value = member->value.members.front();
  auto column = StrengthColumn(section, by_value, policy);
  if (!column) return column.error();
  auto strengths = section.Table(by_value, fmt::format("{} by {}", key, Quote(by_value.key)), example);
  if (!strengths) return strengths.error();
  auto classes = ReadClasses(*strengths, **column, group);
  if (!classes) return classes.error();
  const auto weaker = [](const GroupClass& a, const GroupClass& b) {
    return a.odds_ratio.has_value() && (!b.odds_ratio || *a.odds_ratio < *b.odds_ratio);
  };
  if ((*column)->required &&
      std::any_of(classes->begin(), classes->end(), [&](const GroupClass& c) { return weaker(classes->front(), c); })) {
    return section.At(
        by_value.line,
        fmt::format(
            "column {} is required, so a missing value is read as {}, which does not have the strongest dependence",
            Quote((*column)->name), Quote(classes->front().label)),
        "list the value with the largest odds ratio first, or remove required = true from the column");
  }
  group.classes = *std::move(classes);
  policy.dependence.strength_column = (*column)->name;
  policy.dependence.class_values = (*column)->values;
  return {};
}

// hidden = "school": members of a group depend on each other through one cause that is nobody's record.
Result<void> ReadHidden(const Section& section, const Member& member, std::int64_t size, Policy& policy) {
  if (const Member* by = section.Find("by")) {
    return section.At(by->line, "'hidden' names the column of the groups already", "remove 'by'");
  }
  if (const Member* unit = section.Find("unit")) {
    return section.At(unit->line, "a hidden cause acts on persons' records: what it does to households is not proved",
                      "remove 'unit', or 'hidden'");
  }
  if (auto ok = ReadGroupColumn(section, member.key, policy); !ok) return ok;
  const std::string next =
      "write odds_ratio = x: by how much a member's odds can differ between two states of the cause, at most";
  const Member* strength = section.Find("odds_ratio");
  if (strength == nullptr) return section.Missing("odds_ratio", next);
  if (strength->value.kind == NodeKind::kTable)
    return section.At(strength->line, "with a hidden cause there is one odds ratio for all", next);
  auto odds_ratio = ReadOddsRatio(section, *strength);
  if (!odds_ratio) return odds_ratio.error();
  if (!*odds_ratio) {
    return section.At(strength->line, "a hidden cause without a finite strength says nothing",
                      "write a finite odds_ratio, or by in place of hidden: then anything goes inside a group");
  }
  policy.dependence.model = HiddenCause{size, **odds_ratio == 1 ? 0 : std::log(**odds_ratio) * (1 + 0x1p-48)};
  policy.dependence.canonical = fmt::format("hidden {} {}", size, **odds_ratio);
  return {};
}

Result<void> ReadGroup(const Section& section, Policy& policy) {
  if (auto ok = section.AllowOnly("dependence", "group"); !ok) return ok;
  const Member* hidden = section.Find("hidden");
  for (const char* key : {"attribute", "ties", "shared"}) {
    const Member* member = section.Find(key);
    if (hidden == nullptr || member == nullptr) continue;
    return section.At(member->line, fmt::format("'hidden' and '{}' are two ways to declare a common cause", key),
                      "keep one: hidden bounds how far the odds of a member differ between two states of the cause, "
                      "shared how far the cause spreads, and that it acts in the same direction on all");
  }
  if (auto ok = ReadBy(section, policy); !ok) return ok;
  const Member* size = section.Find("size");
  if (size == nullptr) {
    return section.Missing("size",
                           "write size = n: the largest group in the world, including relatives outside the table");
  }
  Group group;
  const bool by_column = size->value.kind == NodeKind::kTable || size->value.kind == NodeKind::kText;
  if (!by_column) {
    auto number = section.Integer(*size);
    if (!number) return number.error();
    if (*number < 1 || *number > kMaxGroupSize) {
      return section.At(size->line, fmt::format("size must lie between 1 and {}", kMaxGroupSize),
                        "state the largest group in the world, including relatives outside the table");
    }
    group.size = *number;
  }
  if (hidden != nullptr) {
    if (by_column)
      return section.At(size->line, "groups with a hidden cause have one size", "write size = n, the largest of all");
    return ReadHidden(section, *hidden, group.size, policy);
  }
  const auto strengths = ReadTies(section, group);
  if (!strengths) return strengths.error();
  if (auto ok = ReadOdds(strengths->in, strengths->key, group, policy); !ok) return ok;
  if (by_column) {
    if (auto ok = ReadSizes(section, *size, group, policy); !ok) return ok;
  }
  std::string& canonical = policy.dependence.canonical;
  canonical = fmt::format("group {}", group.size);
  for (const auto& c : group.classes) {
    canonical +=
        fmt::format(" {}:{} {}", c.label.size(), c.label, c.odds_ratio ? fmt::format("{}", *c.odds_ratio) : "any");
    if (c.size) canonical += fmt::format(" size {}", *c.size);
  }
  if (!group.attribute.empty()) {
    canonical += fmt::format(" attribute {}:{} ties {} {}", group.attribute.size(), group.attribute,
                             static_cast<int>(group.ties), static_cast<int>(group.shared));
  }
  policy.dependence.model = std::move(group);
  return {};
}

// by = "patient": many independent chains. The record of a chain is one row, so a unit must be one.
Result<void> CheckPanel(const Section& section, const Policy& policy) {
  const Member* by = section.Find("by");
  if (by == nullptr) return {};
  const std::string own_key =
      "write row = true in [unit], or a key that names rows (a visit's number) with max_rows = 1; what is promised is "
      "then about one row's values, not about all rows of one chain";
  auto name = section.Text(*by);
  if (name && policy.unit.key && FoldName(*policy.unit.key) == FoldName(*name))
    return section.At(by->line, "the record of a chain is one row, but the unit here is a whole chain", own_key);
  if (policy.unit.key && policy.unit.max_rows > 1) {
    return section.At(
        by->line, fmt::format("the record of a chain is one row, but a unit has up to {} here", policy.unit.max_rows),
        own_key);
  }
  if (policy.unit.within) {
    return section.At(by->line,
                      "a chain inside each member of a household is no set of independent chains, but a network on "
                      "persons and times",
                      "declare it as kind = \"field\" with its edges, or leave the household out of [unit]");
  }
  return {};
}

Result<void> ReadByKind(const Section& section, const std::string& kind, Policy& policy) {
  if (kind == "independent") {
    if (auto ok = section.AllowOnly("dependence", kind); !ok) return ok;
    policy.dependence.model = Independent{};
    policy.dependence.canonical = "independent";
    return {};
  }
  if (kind == "group") return ReadGroup(section, policy);
  if (kind == "chain") {
    if (const Member* hidden = section.Find("hidden")) {
      return section.At(
          hidden->line,
          "a hidden cause that acts on the rows of many chains closes loops, for which no bound on chains "
          "is proved",
          "use hidden with kind = \"group\", or declare the network as kind = \"field\" with hidden nodes");
    }
    if (auto ok = CheckPanel(section, policy); !ok) return ok;
  }
  if (kind == "overlap" || kind == "chain") {
    if (auto ok = ReadBy(section, policy); !ok) return ok;
  }
  return ReadInlineModel(section, kind, policy);
}

// A model in a file is complete except for the column that says who belongs to which group.
Result<void> ReadFromFile(const Section& section, const Member& file, Policy& policy) {
  if (auto ok = section.AllowOnly("dependence", "file"); !ok) return ok;
  if (auto ok = ReadBy(section, policy); !ok) return ok;
  if (auto ok = ReadModelFile(section, file, policy); !ok) return ok;
  const std::string kind = Kind(policy.dependence.model);
  if (const Member* stated = section.Find("kind"); stated != nullptr) {
    auto text = section.Text(*stated);
    if (!text) return text.error();
    if (*text != kind) {
      return section.At(stated->line,
                        fmt::format("kind is {}, but the model in the file is {}", Quote(*text), Quote(kind)),
                        "correct one of them");
    }
  }
  if (kind == "chain") {
    if (auto ok = CheckPanel(section, policy); !ok) return ok;
  }
  if (policy.dependence.by && kind != "group" && kind != "overlap" && kind != "chain") {
    return section.At(section.Find("by")->line, fmt::format("a model of kind {} has no groups", Quote(kind)),
                      "remove 'by'");
  }
  const auto* group = std::get_if<Group>(&policy.dependence.model);
  if (group != nullptr && !group->classes.front().label.empty()) {
    return section.At(
        file.line, "a group model with several odds ratios needs the column that distinguishes them",
        "write it out: kind = \"group\", by, size and odds_ratio = { column = { value = 2, other = 3 } }");
  }
  return {};
}

Result<void> ReadReviewed(const Section& section, const Member& member, Policy& policy) {
  auto number = section.Integer(member);
  if (!number) return number.error();
  if (*number < 1) {
    return section.At(member.line, "reviewed names a generation of the policy, which is 1 or more",
                      "write the number of the generation that this policy will be, or remove the line");
  }
  policy.dependence.reviewed = *number;
  return {};
}

Result<void> ReadModel(const Section& section, Policy& policy) {
  // The keys of all kinds: a misspelled one is more useful to report than the one that is then missing.
  if (auto ok = section.AllowOnly("dependence"); !ok) return ok;
  if (auto ok = ReadSource(section, policy); !ok) return ok;
  if (auto ok = ReadAccept(section, policy); !ok) return ok;
  if (auto ok = ReadUnitOfModel(section, policy); !ok) return ok;
  if (auto ok = ReadConfidence(section, policy); !ok) return ok;
  if (const Member* file = section.Find("file"); file != nullptr) return ReadFromFile(section, *file, policy);
  const Member* member = section.Find("kind");
  if (member == nullptr) {
    return section.Missing(
        "kind",
        "write kind = \"group\" (families, households, twins), \"independent\" (nobody's record says anything "
        "about another's) or another; docs/guide/policy.md helps to choose");
  }
  auto kind = section.Text(*member);
  if (!kind) return kind.error();
  if (std::find(kKinds.begin(), kKinds.end(), *kind) == kKinds.end()) {
    static const std::map<std::string, const char*> other_names = {
        {"household", "group"},  {"households", "group"}, {"family", "group"},  {"families", "group"},
        {"twins", "group"},      {"siblings", "group"},   {"cluster", "group"}, {"class", "group"},
        {"none", "independent"}, {"iid", "independent"},  {"network", "field"}, {"graph", "field"},
        {"markov", "chain"},     {"time", "chain"},       {"series", "chain"},  {"pair", "pairs"}};
    const auto other = other_names.find(FoldName(*kind));
    const bool known =
        other != other_names.end() && std::find(kKinds.begin(), kKinds.end(), other->second) != kKinds.end();
    return section.At(
        member->line, fmt::format("unknown kind of dependence {}", Quote(*kind)),
        known ? fmt::format("write kind = \"{}\"; {}", other->second, Suggest("", kKinds)) : Suggest(*kind, kKinds));
  }
  return ReadByKind(section, *kind, policy);
}

}  // namespace

// Which generation was reviewed, and which totals somebody knows, is not part of any model.
Result<void> ReadDependence(const Section& section, Policy& policy) {
  const Member* reviewed = section.Find("reviewed");
  const Member* known = section.Find("known");
  if (reviewed != nullptr) {
    if (auto ok = ReadReviewed(section, *reviewed, policy); !ok) return ok;
  }
  Node rest;
  rest.kind = NodeKind::kTable;
  rest.line = section.line();
  for (const Member& member : section.members()) {
    if (member.key != "reviewed" && member.key != "known") rest.members.push_back(member);
  }
  if (auto ok = ReadModel(section.Item(rest, section.title()), policy); !ok) return ok;
  return known == nullptr ? Result<void>() : ReadKnown(section, *known, policy);
}

}  // namespace kith

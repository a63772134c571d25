// [one_sided]: which rows are sensitive, attribute by attribute, and how much the release of the others may lose.
#include <fmt/format.h>

#include <algorithm>

#include "policy/sections/sections.h"

namespace kith {
namespace {

constexpr const char* kAccept =
    "write accept = \"unbounded\" in [one_sided] to release records anyway: every certificate then says that there is "
    "no bound on dependent loss; an analysis of leakage computes what records give away";

// A record that is released says something about everybody who depends on it, and no epsilon changes that.
Result<void> ReadAccept(const Section& section, const Policy& policy) {
  const bool independent = std::holds_alternative<Independent>(policy.dependence.model);
  const Member* member = section.Find("accept");
  if (member == nullptr) {
    if (independent) return {};
    return section.At(section.line(),
                      "true records reveal something about everybody who depends on them, and no epsilon bounds that: "
                      "after a one-sided release the policy's dependent loss has no bound",
                      kAccept);
  }
  auto accept = section.Text(*member);
  if (!accept) return accept.error();
  if (*accept == "unbounded") return {};
  return section.At(member->line, fmt::format("accept cannot be {}", Quote(*accept)), kAccept);
}

std::vector<std::string> DeclaredNames(const Policy& policy) {
  std::vector<std::string> names;
  for (const Column& column : policy.unit_table().columns) names.push_back(column.name);
  return names;
}

/// `columns`, or all declared ones.
Result<std::vector<std::string>> ReadServed(const Section& section, const Policy& policy) {
  const Member* member = section.Find("columns");
  const auto declared = DeclaredNames(policy);
  if (member == nullptr) {
    if (declared.empty())
      return section.At(section.line(), "the unit's table has no declared columns: there is nothing to release",
                        fmt::format("declare them under [columns.{}]", policy.unit.table));
    return declared;
  }
  const std::string example = "write columns = [\"a\", \"b\"]";
  if (member->value.kind != NodeKind::kList || member->value.items.empty())
    return section.At(member->line, fmt::format("columns of {} must be a list of names", section.title()), example);
  std::vector<std::string> served;
  for (const Node& item : member->value.items) {
    if (item.kind != NodeKind::kText)
      return section.At(item.line, fmt::format("columns of {} must be a list of names", section.title()), example);
    const std::string& name = std::get<std::string>(item.leaf);
    if (policy.unit_table().Find(name) == nullptr)
      return section.At(item.line, fmt::format("there is no declared column {}", Quote(name)), Suggest(name, declared));
    if (std::find(served.begin(), served.end(), name) != served.end())
      return section.At(item.line, fmt::format("column {} is named twice", Quote(name)), "name it once");
    served.push_back(name);
  }
  return served;
}

Result<double> ReadLimit(const Section& section) {
  const Member* member = section.Find("epsilon");
  if (member == nullptr)
    return section.Missing("epsilon", "write epsilon = 1.0: the most that all releases together may lose, for one row");
  auto number = section.Number(*member);
  if (!number) return number.error();
  const auto epsilon = Epsilon::Make(*number);
  if (!epsilon) return section.At(member->line, epsilon.error().what, "write a positive number such as 1.0");
  return epsilon->value();
}

/// Everything but the name.
Result<OneSidedAttribute> ReadRule(const Section& section, const Policy& policy) {
  OneSidedAttribute attribute;
  const Member* sensitive = section.Find("sensitive");
  if (sensitive == nullptr) {
    return section.Missing(
        "sensitive",
        "write sensitive = \"age < 18\": a condition as after WHERE; rows where it is true or NULL are "
        "never released");
  }
  auto text = section.Text(*sensitive);
  if (!text) return text.error();
  attribute.sensitive = *text;
  attribute.line = sensitive->line;
  auto columns = ReadServed(section, policy);
  if (!columns) return columns.error();
  attribute.columns = std::move(*columns);
  auto limit = ReadLimit(section);
  if (!limit) return limit.error();
  attribute.epsilon = *limit;
  if (const Member* application = section.Find("application"); application != nullptr) {
    auto name = section.Text(*application);
    if (!name) return name.error();
    attribute.application = *name;
  }
  return attribute;
}

Result<OneSidedAttribute> ReadAttribute(const Section& section, const Policy& policy) {
  if (auto ok = section.AllowOnly("attribute"); !ok) return ok.error();
  const Member* member = section.Find("name");
  if (member == nullptr) return section.Missing("name", "write name = \"arrival\": what the release is called");
  auto name = section.Text(*member);
  if (!name) return name.error();
  if (const std::string problem = NameProblem(*name); !problem.empty())
    return section.At(member->line, "the name of an attribute " + problem, "correct it");
  for (const OneSidedAttribute& other : policy.one_sided) {
    if (other.name == *name)
      return section.At(member->line, fmt::format("two attributes are called {}", Quote(*name)), "rename one");
  }
  auto attribute = ReadRule(section, policy);
  if (attribute) attribute->name = *name;
  return attribute;
}

}  // namespace

Result<void> ReadOneSided(const Section& section, Policy& policy) {
  if (auto ok = section.AllowOnly("one_sided"); !ok) return ok;
  // How attributes depend, only for the analysis of leakage (policy/one_sided_text.h): no release reads it.
  if (const Member* model = section.Find("model"); model != nullptr) {
    if (auto file = section.Text(*model); !file) return file.error();
  }
  if (policy.stream)
    return section.At(section.line(), "a policy has [stream] or [one_sided], not both",
                      "release records of finished tables: a stream's guarantee is about what people send over time");
  if (policy.unit.distance)
    return section.At(section.line(), "a policy whose unit has a distance cannot release records",
                      "noisy answers then protect small moves, records any change of a row: the two do not add up");
  if (auto ok = ReadAccept(section, policy); !ok) return ok;
  const Member* list = section.Find("attribute");
  if (list == nullptr) {  // one rule for the whole table
    auto whole = ReadRule(section, policy);
    if (!whole) return whole.error();
    whole->name = "records";
    policy.one_sided.push_back(std::move(*whole));
    return {};
  }
  for (const char* key : {"sensitive", "columns", "epsilon", "application"}) {
    if (const Member* also = section.Find(key); also != nullptr)
      return section.At(also->line, fmt::format("[one_sided] has attributes, so {} belongs in one of them", key),
                        "move it into [[one_sided.attribute]], or remove the attributes");
  }
  if (list->value.kind != NodeKind::kList || list->value.items.empty())
    return section.At(list->line, "attribute of [one_sided] must be a list of tables",
                      "write [[one_sided.attribute]] on a line of its own before each attribute");
  for (const Node& item : list->value.items) {
    if (item.kind != NodeKind::kTable)
      return section.At(item.line, "attribute of [one_sided] must be a list of tables",
                        "write [[one_sided.attribute]] on a line of its own before each attribute");
    auto attribute = ReadAttribute(section.Item(item, "[[one_sided.attribute]]"), policy);
    if (!attribute) return attribute.error();
    policy.one_sided.push_back(std::move(*attribute));
  }
  return {};
}

}  // namespace kith

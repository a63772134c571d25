// One column of a policy: its type, values and bounds.
#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "policy/dates.h"
#include "policy/sections/sections.h"
#include "policy/type_names.h"

namespace kith {
namespace {

constexpr std::size_t kMaxDeclaredValues = 65'536;
constexpr std::int64_t kExact = std::int64_t{1} << 53;  // whole numbers up to here are exact as double

// Reads one column; the members are the parts of the work.
class ColumnReader {
 public:
  ColumnReader(const Section& section, std::string name, int line) : section_(section) {
    column_.name = std::move(name);
    column_.line = line;
  }

  Result<Column> Read() {
    if (const std::string problem = NameProblem(column_.name); !problem.empty()) {
      return section_.At(column_.line, fmt::format("the name of {} {}", section_.title(), problem),
                         "rename the column in the data");
    }
    if (auto ok = section_.AllowOnly("column"); !ok) return ok.error();
    if (auto ok = ReadPublic(); !ok) return ok.error();
    auto required = section_.Flag("required");
    if (!required) return required.error();
    if (auto ok = ReadConstant(); !ok) return ok.error();
    column_.required = *required;
    if (auto ok = ReadType(); !ok) return ok.error();
    if (auto ok = ReadValues(); !ok) return ok.error();
    if (auto ok = ReadBounds(); !ok) return ok.error();
    if (auto ok = ReadPattern(); !ok) return ok.error();
    if (column_.required && column_.values.empty() && !column_.lower) {
      return section_.At(section_.Find("required")->line,
                         fmt::format("{} is required but has neither values nor bounds", section_.title()),
                         "declare values or lower and upper: a missing value is read as the first value or as lower");
    }
    return std::move(column_);
  }

 private:
  Result<void> ReadPublic() {
    const Member* member = section_.Find("public");
    if (member == nullptr) return {};
    if (member->value.kind == NodeKind::kText) {
      auto text = section_.Text(*member);
      if (!text) return text.error();
      column_.is_public = column_.per_row = *text == "per row";
      if (column_.per_row) return {};
      return section_.At(member->line, fmt::format("public of {} is neither true nor \"per row\"", section_.title()),
                         "write public = true if there is one value for each unit, or public = \"per row\" if each of "
                         "its rows has its own");
    }
    auto flag = section_.Boolean(*member);
    if (!flag) return flag.error();
    column_.is_public = *flag;
    return {};
  }

  Result<void> ReadConstant() {
    const Member* member = section_.Find("constant");
    if (member == nullptr) return {};
    if (member->value.kind == NodeKind::kText) {
      auto text = section_.Text(*member);
      if (!text) return text.error();
      column_.of_household = *text == "household";
      if (column_.of_household) return {};
      return section_.At(
          member->line, fmt::format("constant of {} is neither true nor \"household\"", section_.title()),
          "write constant = true for a secret that each unit has one of, or constant = \"household\" for "
          "a public column that is the same for all persons of a household");
    }
    auto flag = section_.Boolean(*member);
    if (!flag) return flag.error();
    column_.constant = *flag;
    return {};
  }

  // Every literal of the column that determines its type.
  std::vector<const Node*> Literals() const {
    std::vector<const Node*> literals;
    for (const char* key : {"lower", "upper"}) {
      if (const Member* member = section_.Find(key)) literals.push_back(&member->value);
    }
    const Member* values = section_.Find("values");
    if (values != nullptr && values->value.kind == NodeKind::kList) {
      for (const auto& item : values->value.items) literals.push_back(&item);
    }
    return literals;
  }

  Result<void> ReadType() {
    if (const Member* member = section_.Find("type")) return NamedType(*member);
    if (auto ok = CheckValuesAreListed(); !ok) return ok;
    const auto literals = Literals();
    if (literals.empty() && section_.Find("pattern") != nullptr) return {};  // text
    if (literals.empty()) {
      return section_.Missing(
          "type",
          "write type = \"text\" (or integer, real, boolean, date, timestamp), values = [...], or lower and upper");
    }
    column_.type = ColumnType::kInteger;
    for (const Node* literal : literals) {
      switch (literal->kind) {
        case NodeKind::kInteger:
          continue;  // whole numbers fit a real column as well
        case NodeKind::kReal:
          column_.type = ColumnType::kReal;
          continue;
        case NodeKind::kText:
          column_.type = ColumnType::kText;
          return {};
        case NodeKind::kBoolean:
          column_.type = ColumnType::kBoolean;
          return {};
        case NodeKind::kDate:
          column_.type = ColumnType::kDate;
          return {};
        case NodeKind::kTimestamp:
          column_.type = ColumnType::kTimestamp;
          return {};
        default:
          return section_.At(
              literal->line, fmt::format("{} cannot hold {}", section_.title(), KindName(literal->kind)),
              "use texts, numbers, true and false, dates (2024-01-31) or timestamps (2024-01-31T10:20:30)");
      }
    }
    return {};
  }

  // Reported before anything that would follow from the list is found missing.
  Result<void> CheckValuesAreListed() const {
    const Member* member = section_.Find("values");
    if (member == nullptr || (member->value.kind == NodeKind::kList && !member->value.items.empty())) return {};
    return section_.At(member->line, fmt::format("values of {} must be a list that is not empty", section_.title()),
                       "write values = [\"no\", \"yes\"]");
  }

  Result<void> NamedType(const Member& member) {
    auto name = section_.Text(member);
    if (!name) return name.error();
    std::vector<std::string> known;
    for (const auto& [word, type] : kTypeNames) {
      known.emplace_back(word);
      if (word != *name) continue;
      column_.type = type;
      return {};
    }
    return section_.At(member.line, fmt::format("{} has unknown type {}", section_.title(), Quote(*name)),
                       TypeHint(*name, known));
  }

  // A literal as a value of the column's type.
  Result<Value> Literal(const Node& node) const {
    const auto wrong = [&](const std::string& next) {
      return section_.At(
          node.line,
          fmt::format("{} has type {} but lists {}", section_.title(), TypeName(column_.type), KindName(node.kind)),
          next);
    };
    switch (column_.type) {
      case ColumnType::kText:
        if (node.kind != NodeKind::kText) return wrong("write all values in quotes, or correct the type");
        return TextLiteral(node);
      case ColumnType::kBoolean:
        if (node.kind != NodeKind::kBoolean) return wrong("write true and false without quotes");
        return node.leaf;
      case ColumnType::kInteger:
      case ColumnType::kReal:
        return NumberLiteral(node);
      case ColumnType::kDate:
        if (node.kind != NodeKind::kDate) return wrong("write dates like 2024-01-31, without quotes");
        return node.leaf;
      case ColumnType::kTimestamp:
        if (node.kind != NodeKind::kTimestamp)
          return wrong("write timestamps like 2024-01-31T10:20:30, without quotes and zone (UTC is meant)");
        return node.leaf;
    }
    return InternalError("a column type without literals");
  }

  Result<Value> TextLiteral(const Node& node) const {
    const auto& text = std::get<std::string>(node.leaf);
    if (text.find('\0') != std::string::npos) {
      return section_.At(node.line, fmt::format("a value of {} contains a NUL character", section_.title()),
                         "remove it: engines cannot hold it");
    }
    return node.leaf;
  }

  Result<Value> NumberLiteral(const Node& node) const {
    const bool real = column_.type == ColumnType::kReal;
    if (node.kind == NodeKind::kInteger) {
      const auto whole = std::get<std::int64_t>(node.leaf);
      if (whole < -kExact || whole > kExact) {
        return section_.At(node.line, fmt::format("a number of {} is beyond 2^53", section_.title()),
                           "rescale the column, or use type = \"text\"");
      }
      if (real) return static_cast<double>(whole);
      return whole;
    }
    if (node.kind != NodeKind::kReal || !real) {
      return section_.At(
          node.line,
          fmt::format("{} has type {} but lists {}", section_.title(), TypeName(column_.type), KindName(node.kind)),
          node.kind == NodeKind::kReal ? "write type = \"real\", or whole numbers"
                                       : "write numbers without quotes, or correct the type");
    }
    const double number = std::get<double>(node.leaf);
    if (!std::isfinite(number)) {
      return section_.At(node.line, fmt::format("{} lists a number that is not finite", section_.title()),
                         "write finite numbers");
    }
    return number == 0 ? 0.0 : number;  // -0 and 0 are one value
  }

  Result<void> ReadValues() {
    const Member* member = section_.Find("values");
    if (member == nullptr) {
      if (column_.type == ColumnType::kBoolean) column_.values = {false, true};
      return {};
    }
    if (auto ok = CheckValuesAreListed(); !ok) return ok;
    const Node& list = member->value;
    if (list.items.size() > kMaxDeclaredValues) {
      return section_.At(member->line,
                         fmt::format("{} has {} values; at most {} are allowed", section_.title(), list.items.size(),
                                     kMaxDeclaredValues),
                         "group them more coarsely, or declare lower and upper");
    }
    std::unordered_set<std::string> seen;
    std::vector<Value> values;
    for (const auto& item : list.items) {
      auto value = Literal(item);
      if (!value) return value.error();
      if (!seen.insert(ToText(*value)).second) {
        return section_.At(item.line, fmt::format("{} lists {} twice", section_.title(), Quote(ToText(*value))),
                           "list every value once");
      }
      values.push_back(*std::move(value));
    }
    column_.values = std::move(values);
    return {};
  }

  Result<void> ReadBounds() {
    const Member* lower = section_.Find("lower");
    const Member* upper = section_.Find("upper");
    if (lower == nullptr && upper == nullptr) return {};
    const int line = std::max(lower == nullptr ? 0 : lower->line, upper == nullptr ? 0 : upper->line);
    if (section_.Find("values") != nullptr) {
      return section_.At(line, fmt::format("{} has both values and bounds", section_.title()),
                         "keep values (to group by) or lower and upper (to sum)");
    }
    if (lower == nullptr || upper == nullptr) {
      return section_.At(line, fmt::format("{} has only one bound", section_.title()), "write lower and upper, both");
    }
    if (column_.type == ColumnType::kText && section_.Find("type") == nullptr)
      return section_.At(line, fmt::format("the bounds of {} are texts", section_.title()), WithoutQuotes(*lower));
    if (column_.type == ColumnType::kText || column_.type == ColumnType::kBoolean) {
      return section_.At(
          line, fmt::format("{} has type {}, which cannot have bounds", section_.title(), TypeName(column_.type)),
          "use values = [...], or correct the type");
    }
    auto low = Bound(lower->value);
    if (!low) return low.error();
    auto high = Bound(upper->value);
    if (!high) return high.error();
    if (*low > *high)
      return section_.At(line, fmt::format("lower of {} is above upper", section_.title()), "swap them");
    if (!std::isfinite(*high - *low))
      return section_.At(line, fmt::format("the bounds of {} are too far apart", section_.title()),
                         "declare tighter bounds");
    column_.lower = *low;
    column_.upper = *high;
    return {};
  }

  Result<void> ReadPattern() {
    const Member* member = section_.Find("pattern");
    if (member == nullptr) return {};
    if (column_.type != ColumnType::kText || !column_.values.empty()) {
      return section_.At(member->line, fmt::format("{} has a pattern beside values, or is not text", section_.title()),
                         "keep one of the two; whole numbers and dates have lower and upper instead of a pattern");
    }
    auto text = section_.Text(*member);
    if (!text) return text.error();
    auto pattern = KeyPattern::Parse(*text);
    if (!pattern) {
      return section_.At(member->line, fmt::format("pattern of {}: {}", section_.title(), pattern.error().what),
                         pattern.error().next);
    }
    column_.pattern = std::move(*pattern);
    return {};
  }

  Result<double> Bound(const Node& node) const {
    auto value = Literal(node);
    if (!value) return value.error();
    if (const auto* whole = std::get_if<std::int64_t>(&*value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&*value)) return *real;
    const auto& text = std::get<std::string>(*value);
    const auto number = column_.type == ColumnType::kDate ? ParseDate(text) : ParseTimestamp(text);
    if (!number) return InternalError("a date that was read cannot be read again");
    if (*number < -kExact || *number > kExact) {
      return section_.At(node.line,
                         fmt::format("a timestamp of {} is outside the years 1685 to 2254", section_.title()),
                         "declare bounds within them");
    }
    return static_cast<double>(*number);
  }

  const Section& section_;
  Column column_;
};

}  // namespace

Result<Column> ReadColumn(const Section& section, const std::string& name, int line) {
  return ColumnReader(section, name, line).Read();
}

}  // namespace kith

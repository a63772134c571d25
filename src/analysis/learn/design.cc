#include "analysis/learn/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/derived/derived.h"
#include "analysis/number_column.h"
#include "base/check.h"
#include "query/bind/typing.h"
#include "query/rows.h"
#include "sql/expr.h"

namespace kith::learn {
namespace {

// CASE column WHEN first value THEN `numbers[0]` ... ELSE `otherwise` END
std::string CaseOf(const Column& column, const std::vector<std::int64_t>& numbers, const std::string& otherwise) {
  std::string text = fmt::format("CASE {}", IdentifierText(column.name));
  for (std::size_t k = 0; k < numbers.size(); ++k)
    text += fmt::format(" WHEN {} THEN {}", DeclaredValue(column, column.values[k]), numbers[k]);
  return text + fmt::format(" ELSE {} END", otherwise);
}

std::optional<Error> OutOfRange(const DesignOptions& options) {
  if (options.features.empty() || options.features.size() > DesignOptions::kMaxFeatures) {
    return InvalidArgument(fmt::format("a classifier takes 1 to {} features", DesignOptions::kMaxFeatures), {},
                           "name them, such as age, hours and education")
        .For("learn.features");
  }
  const std::set<std::string> names(options.features.begin(), options.features.end());
  if (names.size() != options.features.size()) return InvalidArgument("a feature is named twice", {}, "name each once");
  if (names.count(options.label) > 0)
    return InvalidArgument("the label is among the features", {}, "leave it out of the features").For("learn.features");
  return std::nullopt;
}

// A condition as label: rows that meet it against those that do not. It is read by itself first [TEXT-1], and cannot
// end the parentheses that it is put into.
Result<std::string> AddCondition(const DesignOptions& options, const Policy& policy, Design& design) {
  if (!options.positive.empty()) {
    return InvalidArgument("a condition as label has no value to name: rows that meet it are the positive ones", {},
                           "leave the value out")
        .For("learn.positive");
  }
  if (auto one = IsOnePart(options.label, "the label"); !one) return one.error();
  const auto condition = PlanCondition(options.label, policy);
  if (!condition) return condition.error();
  design.positive = options.label;
  design.negative.emplace_back(fmt::format("NOT ({})", options.label));
  return fmt::format("CASE WHEN ({0}) THEN 1 WHEN NOT ({0}) THEN 0 ELSE NULL END", options.label);
}

Result<std::string> AddLabel(const DesignOptions& options, const Policy& policy, Design& design) {
  const Table& table = policy.unit_table();
  const Column* column = table.Find(options.label);
  const bool name = std::all_of(options.label.begin(), options.label.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (!column && !name) return AddCondition(options, policy, design);
  if (!column) {
    return InvalidArgument(fmt::format("there is no column {} in [columns.{}]", Shortened(options.label), table.name),
                           {}, "name a column that the policy declares")
        .For("learn.label");
  }
  const std::size_t count = column->values.size();
  if (count < 2) {
    return InvalidArgument(fmt::format("the label {} does not have two declared values", Shortened(options.label)), {},
                           fmt::format("declare values = [...] for it in [columns.{}]", table.name));
  }
  if (options.positive.empty() && count > 2) {
    return InvalidArgument(fmt::format("the label {} has {} values; a classifier distinguishes one from the others",
                                       Shortened(options.label), count),
                           {}, fmt::format("name it, such as {}", Shortened(ToText(column->values[0]))))
        .For("learn.positive");
  }
  std::vector<std::int64_t> sides(count, 0);
  std::size_t found = options.positive.empty() ? 1 : count;  // of two values the second: no/yes, false/true
  for (std::size_t k = 0; k < count && !options.positive.empty(); ++k) {
    if (ToText(column->values[k]) == options.positive) found = k;
  }
  if (found == count) {
    return InvalidArgument(
        fmt::format("{} is not a declared value of {}", Shortened(options.positive), Shortened(options.label)), {},
        "name one of the values that the policy declares");
  }
  sides[found] = 1;
  design.positive = column->values[found];
  for (std::size_t k = 0; k < count; ++k) {
    if (k != found) design.negative.push_back(column->values[k]);
  }
  return CaseOf(*column, sides, "NULL");
}

// The text of the value that PlanRows reads for this feature.
Result<std::string> AddFeature(const std::string& name, const Policy& policy, Design& design) {
  const Column* column = policy.unit_table().Find(name);
  Feature feature;
  feature.name = name;
  if (!column || column->values.empty()) {
    std::string text = name;  // a number made of columns; PlanRows checks it and finds its bounds
    if (column) {
      const auto number = NumberColumnOf(name, policy);
      if (!number) return number.error();
      text = number->value;
      feature.lower = number->middle;  // the bounds of the steps are added below
      feature.upper = number->middle;
    }
    design.features.push_back(std::move(feature));
    design.shape.AddNumber();
    return text;
  }
  feature.values = column->values;
  const std::size_t count = feature.values.size();
  if (count == 1)
    return InvalidArgument(fmt::format("{} can take one value only", Shortened(name)), {}, "leave it out");
  if (count == 2) {
    feature.kind = Feature::Kind::kTwoValues;
    design.features.push_back(std::move(feature));
    design.shape.AddNumber();
    return CaseOf(*column, {-1, 1}, "0");
  }
  feature.kind = Feature::Kind::kCategories;
  feature.null_is_a_category = !column->required;
  design.shape.AddCategories(count + (column->required ? 0 : 1));
  design.features.push_back(std::move(feature));
  std::vector<std::int64_t> numbers;
  for (std::size_t k = 0; k < count; ++k) numbers.push_back(static_cast<std::int64_t>(k));
  return CaseOf(*column, numbers, std::to_string(column->required ? 0 : count));
}

}  // namespace

Result<Design> DesignOf(const DesignOptions& options, const Policy& policy) {
  if (const auto error = OutOfRange(options)) return *error;
  Design design;
  std::vector<std::string> values;
  auto label = AddLabel(options, policy, design);
  if (!label) return label.error();
  values.push_back(std::move(*label));
  for (const std::string& name : options.features) {
    auto value = AddFeature(name, policy, design);
    if (!value) return value.error();
    values.push_back(std::move(*value));
  }
  if (design.shape.weights() >= DesignOptions::kMaxWeights) {
    return InvalidArgument(fmt::format("the features have {} values together; at most {} are allowed",
                                       design.shape.weights(), DesignOptions::kMaxWeights),
                           {}, "leave out the column with the most values");
  }
  auto rows = PlanRows(values, options.where, policy);
  if (!rows) return rows.error();
  const RowValue& side = rows->values.front();
  if (side.low < 0 || static_cast<double>(side.high) * side.lattice.step() > 1)
    return InternalError("a label is neither 0 nor 1");
  if (std::none_of(rows->charged.begin(), rows->charged.end(), [](bool cell) { return cell; })) {
    return Unsupported("nothing in these columns is secret: everybody can compute this without kith", {},
                       "name a secret column");
  }
  for (std::size_t k = 0; k < design.features.size(); ++k) {
    Feature& feature = design.features[k];
    const RowValue& value = rows->values[k + 1];
    if (feature.kind != Feature::Kind::kNumber) continue;
    if (value.low >= value.high)
      return InvalidArgument(fmt::format("{} can take one value only", Shortened(feature.name)), {}, "leave it out");
    feature.lower += static_cast<double>(value.low) * value.lattice.step();
    feature.upper += static_cast<double>(value.high) * value.lattice.step();
  }
  const bool categories = std::any_of(design.features.begin(), design.features.end(), [](const Feature& feature) {
    return feature.kind == Feature::Kind::kCategories;
  });
  if (!categories) {
    design.features.push_back({"(constant)", Feature::Kind::kConstant, 0, 0, {}, false});
    design.shape.AddNumber();
  }
  design.rows = std::move(*rows);
  return design;
}

void Design::Encode(std::span<const std::int64_t> row, std::vector<std::int16_t>& values) const {
  KITH_CHECK(row.size() == rows.values.size());
  values.resize(features.size());
  for (std::size_t k = 0; k < features.size(); ++k) {
    switch (features[k].kind) {
      case Feature::Kind::kConstant:
        values[k] = Examples::kOne;
        break;
      case Feature::Kind::kTwoValues:
        values[k] = static_cast<std::int16_t>(row[k + 1] * Examples::kOne);
        break;
      case Feature::Kind::kCategories:
        values[k] = static_cast<std::int16_t>(row[k + 1]);
        break;
      case Feature::Kind::kNumber: {
        const RowValue& bounds = rows.values[k + 1];
        const Int128 twice = 2 * Int128{row[k + 1]} - bounds.low - bounds.high;  // between -width and width
        values[k] = static_cast<std::int16_t>(twice * Examples::kOne / (bounds.high - bounds.low));
      }
    }
  }
}

std::pair<std::string, Value> Design::NameOf(std::size_t weight) const {
  const auto& attributes = shape.attributes();
  std::size_t k = attributes.size() - 1;
  while (attributes[k].first > weight) --k;
  const std::size_t category = weight - attributes[k].first;
  const Feature& feature = features[k];
  if (feature.kind == Feature::Kind::kTwoValues) return {feature.name, feature.values[1]};
  if (feature.kind != Feature::Kind::kCategories || category == feature.values.size()) return {feature.name, Null{}};
  return {feature.name, feature.values[category]};
}

}  // namespace kith::learn

#include "analysis/own/own.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "mechanism/noise.h"
#include "query/bind/typing.h"

namespace kith {
namespace {

std::optional<Error> WrongOptions(const OwnOptions& options, RowFunction function) {
  if (function == nullptr) return InvalidArgument("a statistic needs a function of one row", {}, "give one");
  if (options.name.empty() || options.name.size() > 200)
    return InvalidArgument("a statistic needs a name that says which version of its function is meant", {},
                           "name it, at most 200 letters; a new name for every change");
  if (options.values.empty() || options.values.size() > OwnOptions::kMaxValues)
    return InvalidArgument(fmt::format("a statistic takes 1 to {} values of a row", OwnOptions::kMaxValues), {},
                           "name columns or expressions");
  std::size_t numbers = 0;
  for (const OwnPart& part : options.parts) {
    if (part.size == 0 || part.size > OwnOptions::kMaxNumbers || part.name.empty())
      return InvalidArgument("a part needs a name and at least one number", {}, "and at most 65536 numbers");
    numbers += part.size;
    if (!(part.weight > 0 && std::isfinite(part.weight)))
      return InvalidArgument("the weight of a part must be a positive number", part.name, "1 for equal shares");
  }
  if (numbers == 0 || numbers > OwnOptions::kMaxNumbers)
    return InvalidArgument(fmt::format("a statistic has 1 to {} numbers in all", OwnOptions::kMaxNumbers), {},
                           "declare its parts");
  return std::nullopt;
}

/// A bound in whole steps, rounded inwards.
std::int64_t Inwards(double value, double step, bool up) {
  return static_cast<std::int64_t>(up ? std::ceil(value / step) : std::floor(value / step));
}

}  // namespace

Result<FoldPart> OwnStatistic::BoundsOf(const OwnPart& part, std::size_t first) {
  int exponent = 0;
  if (!(part.step > 0) || !std::isfinite(part.step) || std::frexp(part.step, &exponent) != 0.5 || exponent < -60 ||
      exponent > 61)
    return InvalidArgument("the step of a part must be a power of two", part.name, "such as 1, 0.25 or 1024");
  const double largest = std::max(std::abs(part.low), std::abs(part.high)) / part.step;
  if (!(part.low <= part.high) || !(largest <= 0x1p31))
    return InvalidArgument("the bounds of a part must be two numbers, the smaller one first, within 2^31 steps of 0",
                           part.name, "declare what one row may contribute, or a larger step");
  if (part.most && !(*part.most >= 0 && *part.most / part.step <= 0x1p31))
    return InvalidArgument("what a row may contribute in all must be 0 or more", part.name, "leave it out");
  FoldPart bounds{.first = first,
                  .size = part.size,
                  .step = part.step,
                  .low = Inwards(part.low, part.step, true),
                  .high = Inwards(part.high, part.step, false)};
  if (bounds.low > bounds.high)
    return InvalidArgument("there is no multiple of the step between the bounds", part.name, "use a smaller step");
  if (part.most) bounds.most = Inwards(*part.most, part.step, false);
  return bounds;
}

Result<RowFold::Limit> OwnStatistic::LimitOf(const std::string& text, std::size_t column, const Policy& policy) {
  const auto rows = PlanRows({text}, {}, policy);
  if (!rows) return rows.error();
  const RowValue& value = rows->values[0];
  if (std::any_of(rows->charged.begin(), rows->charged.end(), [](bool cell) { return cell; }))
    return InvalidArgument("the limit of a row must be public, and its presence too", "limit",
                           "use columns that the policy declares public");
  const double step = value.lattice.step();
  if (value.low < 0 || static_cast<double>(value.high) * step > 1 || step > 1)
    return InvalidArgument("the limit of a row must be from 0 to 1", "limit", "divide it by its largest value");
  if (step < 0x1p-30) return InvalidArgument("the limit of a row is too fine", "limit", "round it to thousandths");
  return RowFold::Limit{column, static_cast<std::int64_t>(1 / step)};
}

Result<std::unique_ptr<OwnStatistic>> OwnStatistic::Make(const OwnOptions& options, RowFunction function,
                                                         const Policy& policy) {
  if (const auto error = WrongOptions(options, function)) return *error;
  std::unique_ptr<OwnStatistic> made(new OwnStatistic());
  made->options_ = options;
  made->fold_.function = function;
  auto values = options.values;
  if (!options.limit.empty()) {
    const auto limit = LimitOf(options.limit, values.size(), policy);
    if (!limit) return limit.error();
    made->fold_.limit = *limit;
    values.push_back(options.limit);
  }
  auto rows = PlanRows(values, options.where, policy);
  if (!rows) return rows.error();
  constexpr Int128 kWhole = Int128{1} << 53;
  for (const RowValue& value : rows->values) {
    if (value.Largest() > kWhole)
      return InvalidArgument("a value has more than 2^53 steps", Shortened(value.name), "declare tighter bounds");
  }
  made->fold_.rows = std::move(*rows);
  made->fold_.values = options.values.size();
  std::size_t first = 0;
  made->normalised_ = fmt::format("own statistic '{}' of {}{}", options.name, made->fold_.rows.normalised,
                                  options.limit.empty() ? "" : ", the last one limits a row");
  for (const OwnPart& part : options.parts) {
    auto bounds = BoundsOf(part, first);
    if (!bounds) return bounds.error();
    auto change = ChangeOf(*bounds, made->fold_.rows.max_rows);
    if (!change) {
      Error wide = change.error();
      wide.where = part.name;
      return wide;
    }
    first += part.size;
    made->weights_.push_back(part.weight);
    made->normalised_ +=
        fmt::format("; {} x {} in [{}, {}] by {}, at most {}, weight {}", part.name, part.size, part.low, part.high,
                    part.step, part.most ? fmt::to_string(*part.most) : "-", part.weight);
    made->fold_.parts.push_back(std::move(*bounds));
    made->changes_.push_back(*change);
  }
  return made;
}

Result<StudyOutline> OwnStatistic::Outline(std::span<const PlainUnits> shares) const {
  StudyOutline outline;
  outline.statement = fold_.rows.statement;
  outline.notes = fold_.rows.notes;
  outline.notes.push_back({NoteKind::kCut, "contributions outside the declared bounds are clamped to them"});
  if (fold_.limit)
    outline.notes.push_back(
        {NoteKind::kProtects,
         "a record whose limit is l loses at most l times the price; the ledger charges everybody the whole of it"});
  for (std::size_t k = 0; k < changes_.size(); ++k) {
    const auto noise = Noise::For(changes_[k], shares[k]);
    if (!noise) return noise.error();
    outline.noise.push_back(PartOf(options_.parts[k].name, *noise, fold_.parts[k].step, fold_.parts[k].size));
  }
  return outline;
}

Result<Findings> OwnStatistic::Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const {
  const auto sealed = vault.Fold(fold_);
  if (!sealed) return sealed.error();
  const auto sums = vault.Open(*sealed, paid, shares);
  if (!sums) return sums.error();
  Findings findings;
  findings.columns = {"part", "number", "value"};
  Json details = {{"analysis", "own"}, {"name", options_.name}, {"parts", Json::array()}};
  for (std::size_t p = 0; p < changes_.size(); ++p) {
    const FoldPart& part = fold_.parts[p];
    const auto noise = Noise::For(changes_[p], shares[p]);
    if (!noise) return noise.error();
    const double step = part.step, bar = noise->ErrorBar(0.95) * step;
    Json values = Json::array();
    for (std::size_t k = 0; k < part.size; ++k) {
      const double value = static_cast<double>((*sums)[part.first + k]) * step;
      findings.rows.push_back({options_.parts[p].name, static_cast<std::int64_t>(k), value});
      findings.errors_95.push_back({std::nullopt, std::nullopt, bar});
      values.push_back(value);
    }
    details["parts"].push_back({{"name", options_.parts[p].name}, {"values", std::move(values)}, {"error_95", bar}});
  }
  findings.claims = {"OWN-1", "ROWS-1"};
  if (fold_.limit) findings.claims.insert(findings.claims.begin() + 1, "OWN-2");
  findings.details = JsonValue(std::move(details));
  return findings;
}

}  // namespace kith

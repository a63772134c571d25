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

void RowSum::Add(std::size_t number, double amount) {
  if (number >= amounts_.size() || std::isnan(amount)) return;
  if (amounts_[number] == 0) touched_.push_back(number);
  amounts_[number] += amount;
}

Result<OwnStatistic::Bounds> OwnStatistic::BoundsOf(const OwnPart& part, std::size_t first, std::int64_t rows) {
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
  Bounds bounds;
  bounds.first = first;
  bounds.size = part.size;
  bounds.lattice = Lattice{exponent - 1};
  bounds.low = Inwards(part.low, part.step, true);
  bounds.high = Inwards(part.high, part.step, false);
  if (bounds.low > bounds.high)
    return InvalidArgument("there is no multiple of the step between the bounds", part.name, "use a smaller step");
  if (part.most) bounds.most = Inwards(*part.most, part.step, false);
  // A unit's rows may be there or not, so each adds a number between the smaller of low and 0 and the larger of high
  // and 0; and in all at most `most` in size, before and after.
  const Int128 width = Int128{std::max<std::int64_t>(bounds.high, 0)} - std::min<std::int64_t>(bounds.low, 0);
  Int128 of_row = width * static_cast<Int128>(part.size);
  if (bounds.most) of_row = std::min(of_row, 2 * Int128{*bounds.most});
  if (of_row * rows > Sensitivity::kMax)
    return InvalidArgument("one unit could change the sums of a part by more than 2^31 steps", part.name,
                           "declare tighter bounds, `most`, or a larger step");
  const auto change = Change::OfL1(static_cast<std::int64_t>(of_row * rows));
  if (!change) return change.error();
  bounds.change = *change;
  return bounds;
}

Result<OwnStatistic::Limit> OwnStatistic::LimitOf(const std::string& text, std::size_t column, const Policy& policy) {
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
  return Limit{column, static_cast<std::int64_t>(1 / step)};
}

Result<std::unique_ptr<OwnStatistic>> OwnStatistic::Make(const OwnOptions& options, RowFunction function,
                                                         const Policy& policy) {
  if (const auto error = WrongOptions(options, function)) return *error;
  std::unique_ptr<OwnStatistic> made(new OwnStatistic());
  made->options_ = options;
  made->function_ = function;
  auto values = options.values;
  if (!options.limit.empty()) {
    const auto limit = LimitOf(options.limit, values.size(), policy);
    if (!limit) return limit.error();
    made->limit_ = *limit;
    values.push_back(options.limit);
  }
  auto rows = PlanRows(values, options.where, policy);
  if (!rows) return rows.error();
  constexpr Int128 kWhole = Int128{1} << 53;
  for (const RowValue& value : rows->values) {
    if (value.Largest() > kWhole)
      return InvalidArgument("a value has more than 2^53 steps", Shortened(value.name), "declare tighter bounds");
  }
  made->rows_ = std::move(*rows);
  std::size_t first = 0;
  made->normalised_ = fmt::format("own statistic '{}' of {}{}", options.name, made->rows_.normalised,
                                  options.limit.empty() ? "" : ", the last one limits a row");
  for (const OwnPart& part : options.parts) {
    auto bounds = BoundsOf(part, first, made->rows_.max_rows);
    if (!bounds) return bounds.error();
    first += part.size;
    made->weights_.push_back(part.weight);
    made->normalised_ +=
        fmt::format("; {} x {} in [{}, {}] by {}, at most {}, weight {}", part.name, part.size, part.low, part.high,
                    part.step, part.most ? fmt::to_string(*part.most) : "-", part.weight);
    made->bounds_.push_back(std::move(*bounds));
  }
  return made;
}

Result<StudyOutline> OwnStatistic::Outline(std::span<const PlainUnits> shares) const {
  StudyOutline outline;
  outline.statement = rows_.statement;
  outline.notes = rows_.notes;
  outline.notes.push_back({NoteKind::kCut, "contributions outside the declared bounds are clamped to them"});
  if (limit_)
    outline.notes.push_back(
        {NoteKind::kProtects,
         "a record whose limit is l loses at most l times the price; the ledger charges everybody the whole of it"});
  for (std::size_t k = 0; k < bounds_.size(); ++k) {
    const auto noise = Noise::For(bounds_[k].change, shares[k]);
    if (!noise) return noise.error();
    outline.noise.push_back(PartOf(options_.parts[k].name, *noise, bounds_[k].lattice.step(), bounds_[k].size));
  }
  return outline;
}

void OwnStatistic::AddRow(std::span<const double> row, std::int64_t limit, RowSum& scratch,
                          std::vector<Int128>& sums) const {
  try {
    function_(row, scratch);
  } catch (...) {  // whatever it is, it may depend on the row only as a contribution does
    for (const std::size_t number : scratch.touched_) scratch.amounts_[number] = 0;
  }
  const auto cut = [&](std::int64_t bound) {
    return limit_ ? static_cast<std::int64_t>(Int128{bound} * limit / limit_->one) : bound;  // towards 0
  };
  for (const Bounds& part : bounds_) {
    std::int64_t left = part.most ? cut(*part.most) : 0;
    const double step = part.lattice.step();
    const std::int64_t low = cut(part.low), high = cut(part.high);
    for (std::size_t k = part.first; k < part.first + part.size; ++k) {
      // Infinities of both signs do not make a number.
      const double amount = std::isnan(scratch.amounts_[k]) ? 0 : scratch.amounts_[k] / step;
      auto added = static_cast<std::int64_t>(
          std::nearbyint(std::clamp(amount, static_cast<double>(low), static_cast<double>(high))));
      if (part.most) {
        added = std::clamp(added, -left, left);
        left -= std::abs(added);
      }
      sums[k] += added;
    }
  }
  for (const std::size_t number : scratch.touched_) scratch.amounts_[number] = 0;
  scratch.touched_.clear();
}

Result<std::vector<Int128>> OwnStatistic::Sums(const Session& engine, const CancelFlag& cancel) const {
  const std::size_t numbers = bounds_.back().first + bounds_.back().size;
  std::vector<Int128> sums(numbers, 0);
  RowSum scratch(numbers);
  std::vector<double> row(options_.values.size());
  const auto scanned = engine.Scan(
      rows_.Values(),
      [&](IntegerColumns chunk) -> Result<void> {
        for (std::size_t i = 0; i < chunk[0].size(); ++i) {
          for (std::size_t k = 0; k < row.size(); ++k)
            row[k] = static_cast<double>(chunk[k][i]) * rows_.values[k].lattice.step();
          AddRow(row, limit_ ? chunk[limit_->column][i] : 0, scratch, sums);
        }
        return {};
      },
      cancel);
  if (!scanned) return scanned.error();
  return sums;
}

Result<Findings> OwnStatistic::Run(const Session& engine, std::span<const PlainUnits> shares, BitSource& bits,
                                   const CancelFlag& cancel) const {
  auto sums = Sums(engine, cancel);
  if (!sums) return sums.error();
  Findings findings;
  findings.columns = {"part", "number", "value"};
  Json details = {{"analysis", "own"}, {"name", options_.name}, {"parts", Json::array()}};
  for (std::size_t p = 0; p < bounds_.size(); ++p) {
    const Bounds& part = bounds_[p];
    const auto noise = Noise::For(part.change, shares[p]);
    if (!noise) return noise.error();
    noise->ReleaseAll(std::span(*sums).subspan(part.first, part.size), bits);
    const double step = part.lattice.step(), bar = noise->ErrorBar(0.95) * step;
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
  if (limit_) findings.claims.insert(findings.claims.begin() + 1, "OWN-2");
  findings.details = JsonValue(std::move(details));
  return findings;
}

}  // namespace kith

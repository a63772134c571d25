#include "analysis/derived/percentiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/number_column.h"
#include "analysis/points/isotonic.h"
#include "base/json.h"
#include "sql/quote.h"

namespace kith {
namespace {

std::optional<Error> WrongOptions(const PercentilesOptions& options) {
  if (options.cells < 2 || options.cells > PercentilesOptions::kMaxCells)
    return InvalidArgument(fmt::format("the histogram has 2 to {} cells", PercentilesOptions::kMaxCells), {},
                           "leave the number of cells out")
        .For("percentiles.cells");
  if (options.ranks.size() > PercentilesOptions::kMaxRanks)
    return InvalidArgument(fmt::format("there are more than {} ranks", PercentilesOptions::kMaxRanks), {}, "name fewer")
        .For("percentiles.ranks");
  double before = 0;
  for (const double rank : options.ranks) {
    if (!(rank > before) || !(rank < 1))
      return InvalidArgument("ranks are numbers between 0 and 1, ascending", {}, "such as 0.1, 0.5, 0.9")
          .For("percentiles.ranks");
    before = rank;
  }
  if (!options.where.empty()) {
    if (auto one = IsOnePart(options.where, "the condition"); !one) return one.error();
  }
  return std::nullopt;
}

}  // namespace

std::vector<RankCells> FindRanks(const std::vector<double>& counts, const NoiseDistribution& law,
                                 const std::vector<double>& ranks) {
  const std::size_t cells = counts.size();
  const double variance = law.Variance();
  std::vector<double> sums;
  double total = 0;
  for (const double count : counts) sums.push_back(total += count);
  std::vector<double> smooth = points::Isotonic(sums);
  std::vector<RankCells> found;
  for (const double rank : ranks) {
    // Without noise the rank is in the first cell with sums[b] >= rank * total, which is a sum of counts with the
    // weights 1 - rank up to b and -rank after it.
    const auto apart = [&](std::size_t b) { return sums[b] - rank * total; };
    const auto bar = [&](std::size_t b) {
      const auto up_to = static_cast<double>(b + 1);
      return BarOfWeightedSum(
          variance * ((1 - rank) * (1 - rank) * up_to + rank * rank * (static_cast<double>(cells) - up_to)),
          std::max(1 - rank, rank) * law.step);
    };
    RankCells at;
    at.high = 0;
    at.low = cells - 1;
    for (std::size_t b = 0; b + 1 < cells; ++b) {  // the last cell ends with everybody
      if (apart(b) < bar(b)) at.high = b + 1;
      if (at.low == cells - 1 && apart(b) >= -bar(b)) at.low = b;
    }
    const double wanted = rank * std::max(total, 0.0);
    const auto first = std::lower_bound(smooth.begin(), smooth.end(), wanted);
    const auto cell = std::min<std::size_t>(static_cast<std::size_t>(first - smooth.begin()), cells - 1);
    const double below = cell == 0 ? std::min(0.0, wanted) : smooth[cell - 1], in = smooth[cell] - below;
    at.value = static_cast<double>(cell) + (in > 0 ? std::clamp((wanted - below) / in, 0.0, 1.0) : 0.5);
    found.push_back(at);
  }
  // Wider, never narrower: later ranks are no lower.
  for (std::size_t k = found.size(); k-- > 1;) found[k - 1].low = std::min(found[k - 1].low, found[k].low);
  for (std::size_t k = 1; k < found.size(); ++k) found[k].high = std::max(found[k].high, found[k - 1].high);
  for (RankCells& at : found)
    at.value = std::clamp(at.value, static_cast<double>(at.low), static_cast<double>(std::max(at.low, at.high) + 1));
  for (std::size_t k = 1; k < found.size(); ++k) found[k].value = std::max(found[k].value, found[k - 1].value);
  return found;
}

Result<std::unique_ptr<Percentiles>> Percentiles::Make(const PercentilesOptions& options, const Policy& policy) {
  if (const auto error = WrongOptions(options)) return *error;
  const auto column = NumberColumnOf(options.column, policy);
  if (!column) return column.error();
  if (column->name != options.column)
    return Unsupported("percentiles are of numbers; this is a time", {}, "ask for quantiles of it in a question");
  const Column* declared = policy.unit_table().Find(options.column);
  const bool whole = declared && declared->type == ColumnType::kInteger;
  const auto parts = static_cast<double>(options.cells);
  const double width =
      whole ? std::ceil((column->high - column->low + 1) / parts) : (column->high - column->low) / parts;
  const std::string name = QuotedName(options.column), low = SqlNumber(column->low);
  auto question =
      AskFor(fmt::format("SELECT floor(({} - {}) / {}) AS part, count(*) AS n FROM {} WHERE {} IS NOT NULL{} "
                         "GROUP BY 1",
                         name, low, SqlNumber(width), QuotedName(policy.unit.table), name,
                         options.where.empty() ? "" : fmt::format(" AND ({})", options.where)),
             1, 1, policy);
  if (!question) return question.error();
  PercentilesOptions all = options;
  for (int k = 1; options.ranks.empty() && k < 100; ++k) all.ranks.push_back(k / 100.0);
  return std::unique_ptr<Percentiles>(
      new Percentiles(std::move(all), std::move(*question), column->low, column->high, width, whole));
}

std::string Percentiles::Method() const {
  return fmt::format("then, free of charge: {} ranks of {} from the noisy histogram, in steps of {}",
                     options_.ranks.size(), options_.column, SqlNumber(width_));
}

Findings Percentiles::Conclude(const NoisyTable& table) const {
  Findings out;
  out.columns = {"rank", options_.column, "low_95", "high_95"};
  std::vector<std::pair<double, double>> parts;  // number of the cell, count
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (const auto part = NumberIn(table.Key(r, 0))) parts.emplace_back(*part, table.Number(r, 0));
  }
  std::sort(parts.begin(), parts.end());
  std::vector<double> counts;
  double total = 0;
  for (const auto& [part, count] : parts) counts.push_back(count), total += count;
  if (counts.empty()) return out;
  // A cell has `width_` whole numbers; of real ones it has all up to the next, and the last is the upper
  // bound itself.
  const auto edge = [&](double cells) { return std::clamp(low_ + (parts[0].first + cells) * width_, low_, high_); };
  const auto last_in = [&](std::size_t cell) {
    return edge(static_cast<double>(cell + 1) - (whole_ ? 1 / width_ : 0));
  };
  const std::vector<RankCells> found = FindRanks(counts, table.laws[0], options_.ranks);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const double low = edge(static_cast<double>(found[k].low)), high = last_in(std::max(found[k].low, found[k].high));
    double value = edge(found[k].value);
    if (whole_) value = std::floor(value);
    FindingsRow row;
    row.Add(options_.ranks[k]).Add(std::clamp(value, low, high)).Add(low).Add(high);
    std::move(row).Into(out);
  }
  const double bar = BarOfWholeSum(static_cast<double>(counts.size()) * table.laws[0].Variance(), table.laws[0].step);
  out.notes.push_back(
      {NoteKind::kFinding, fmt::format("read off about {} ± {} rows that have a value", Grouped(total), Grouped(bar))});
  out.notes.push_back(
      {NoteKind::kAccuracy,
       fmt::format("low_95 to high_95: with 95 % the value of this rank among the same rows without noise lies there, "
                   "each rank by itself; values are known up to their cell, a step of {}",
                   SqlNumber(width_))});
  out.claims = {"PERCENTILES-1"};
  out.details = JsonValue(Json{{"percentiles", {{"cells", counts.size()}, {"step", width_}, {"rows", total}}}});
  return out;
}

}  // namespace kith

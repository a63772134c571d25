// Exact counts of a synthetic table and the noise that they get.
#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/synthetic/synthetic_run.h"
#include "base/json.h"
#include "mechanism/noise.h"

namespace kith {

namespace {

constexpr Int128 kMostUnits = Int128{1} << 48;
constexpr double kLeastVariance = 0.25;  // of counts without noise, so that a fit can weigh them

}  // namespace

Result<SyntheticRun::Counts> SyntheticRun::Read(const Synthetic::Table& table) const {
  const auto found = engine_.Run(table.plan.statement, cancel_);
  if (!found) return found.error();
  Counts counts(synthetic::CellsOf(study_.sizes_, table.scope));
  for (const auto& row : found->rows) {
    if (row.size() != table.scope.size() + 1) return InternalError("a count has another form than planned");
    std::size_t cell = 0;
    bool inside = row.back().has_value();
    for (std::size_t k = 0; inside && k < table.scope.size(); ++k) {
      const std::size_t size = study_.sizes_[table.scope[k]];
      inside = row[k] && *row[k] >= 0 && *row[k] < static_cast<Int128>(size);
      if (inside) cell = cell * size + static_cast<std::size_t>(*row[k]);
    }
    if (inside) counts[cell] = static_cast<std::int64_t>(std::clamp<Int128>(*row.back(), 0, kMostUnits));
  }
  return counts;
}

Result<SyntheticRun::Counts> SyntheticRun::ReadGroups() const {
  const Synthetic::Groups& groups = *study_.groups_;
  const auto found = engine_.Run(groups.plan.statement, cancel_);
  if (!found) return found.error();
  std::map<synthetic::Composition, std::size_t> at;
  for (std::size_t c = 0; c < groups.compositions.size(); ++c) at[groups.compositions[c]] = c;
  Counts counts(groups.compositions.size());
  for (const auto& row : found->rows) {
    if (row.size() != groups.plan.keys.size() + 1) return InternalError("a count has another form than planned");
    synthetic::Composition composition;
    bool inside = row.back().has_value();
    for (std::size_t k = 0; inside && k < groups.plan.keys.size(); ++k) {
      const std::vector<Value>& values = groups.plan.keys[k].values;
      inside = row[k] && *row[k] >= 0 && *row[k] < static_cast<Int128>(values.size());
      const auto members = inside ? NumberIn(values[static_cast<std::size_t>(*row[k])]) : std::nullopt;
      inside = members.has_value();
      if (inside) composition.push_back(static_cast<std::uint32_t>(*members));
    }
    if (!inside) continue;
    if (const auto cell = at.find(composition); cell != at.end())
      counts[cell->second] = static_cast<std::int64_t>(std::clamp<Int128>(*row.back(), 0, kMostUnits));
  }
  return counts;
}

Result<SyntheticRun::Counts> SyntheticRun::Noisy(Counts counts, const Sensitivities& change, PlainUnits share,
                                                 double& variance, double& scale) {
  const auto noise = Noise::For(change, share);
  if (!noise) return noise.error();
  for (std::int64_t& count : counts)
    count = static_cast<std::int64_t>(std::clamp<Int128>(noise->Release(count, bits_), -kMostUnits, 2 * kMostUnits));
  variance = std::max(kLeastVariance, noise->variance());
  scale = noise->scale();
  return counts;
}

Result<void> SyntheticRun::MeasureTable(const Synthetic::Table& table, Counts counts, PlainUnits share) {
  double variance = 1, scale = 0;
  const auto noisy = Noisy(std::move(counts), table.plan.statistics.front().change, share, variance, scale);
  if (!noisy) return noisy.error();
  measured_.push_back({table.scope, std::vector<double>(noisy->begin(), noisy->end()), variance});
  totals_.push_back({std::accumulate(noisy->begin(), noisy->end(), 0.0), noisy->size(), scale});
  Json names = Json::array();
  for (const std::size_t column : table.scope) names.push_back(study_.options_.columns[column]);
  tables_.push_back({{"columns", std::move(names)}, {"noise_scale", scale}, {"cells", noisy->size()}});
  return {};
}

Result<void> SyntheticRun::MeasureColumns() {
  const auto each =
      PlainUnits::Of(shares_[study_.parts_.columns].count() / static_cast<std::int64_t>(study_.ones_.size()));
  for (const Synthetic::Table& table : study_.ones_) {
    auto counts = Read(table);
    if (!counts) return counts.error();
    if (auto done = MeasureTable(table, std::move(*counts), each); !done) return done;
  }
  return Fit(kSteps);
}

Result<void> SyntheticRun::MeasureGroups() {
  if (!study_.groups_) return {};
  auto counts = ReadGroups();
  if (!counts) return counts.error();
  exact_groups_ = *counts;
  double variance = 1, scale = 0;
  const auto noisy = Noisy(std::move(*counts), study_.groups_->plan.statistics.front().change,
                           shares_[*study_.parts_.groups], variance, scale);
  if (!noisy) return noisy.error();
  composition_.assign(noisy->begin(), noisy->end());
  group_total_ = {std::accumulate(noisy->begin(), noisy->end(), 0.0), noisy->size(), scale};
  return {};
}

}  // namespace kith

#include "kernel/opening.h"

#include <map>
#include <numeric>
#include <optional>

#include "base/check.h"
#include "kernel/ranks.h"

namespace kith {
namespace {

// The group that the key indexes of a row name; nothing if it was not declared.
std::optional<std::size_t> GroupOf(const Plan& plan, const std::vector<std::optional<Int128>>& row) {
  std::size_t group = 0;
  for (std::size_t k = 0; k < plan.keys.size(); ++k) {
    const auto size = static_cast<Int128>(plan.keys[k].values.size());
    if (!row[k] || *row[k] < 0 || *row[k] >= size) return std::nullopt;
    group = group * plan.keys[k].values.size() + static_cast<std::size_t>(*row[k]);
  }
  return group;
}

Error UndeclaredGroup() { return InternalError("the engine returned a group that was not declared"); }
Error OtherShape() { return InternalError("the engine returned a table of the wrong shape"); }

Result<NoisyGroups> AllGroups(const Plan& plan, const IntegerTable& exact) {
  NoisyGroups groups(plan.finest_groups(), std::vector<Int128>(plan.statistics.size(), 0));
  std::vector<std::size_t> sums;  // the statistics that the plan's own statement has
  for (std::size_t s = 0; s < plan.statistics.size(); ++s) {
    if (!plan.statistics[s].quantile) sums.push_back(s);
  }
  if (sums.empty()) return groups;
  std::vector<bool> seen(groups.size(), false);
  const std::size_t keys = plan.keys.size();
  if (exact.columns != keys + sums.size()) return OtherShape();
  for (const auto& row : exact.rows) {
    const auto group = GroupOf(plan, row);
    if (!group) return UndeclaredGroup();
    if (seen[*group]) return InternalError("the engine returned a group twice");
    seen[*group] = true;
    for (std::size_t i = 0; i < sums.size(); ++i) groups[*group][sums[i]] = row[keys + i].value_or(0);
  }
  return groups;
}

Result<std::vector<std::int64_t>> RowsAt(const Plan& plan, const Quantile& quantile, const IntegerTable& exact) {
  const std::size_t keys = plan.keys.size(), candidates = quantile.candidates.size();
  if (exact.columns != keys + 2) return OtherShape();
  std::vector<std::int64_t> rows_at(plan.groups() * candidates, 0);
  for (const auto& row : exact.rows) {
    const auto group = GroupOf(plan, row);
    if (!group) return UndeclaredGroup();
    const auto &candidate = row[keys], &rows = row[keys + 1];
    if (!candidate || !rows || *candidate < 0 || *candidate > static_cast<Int128>(candidates) || *rows < 0 ||
        *rows > kMostRows)
      return OtherShape();
    if (*candidate == static_cast<Int128>(candidates)) continue;  // NULL
    rows_at[*group * candidates + static_cast<std::size_t>(*candidate)] = static_cast<std::int64_t>(*rows);
  }
  return rows_at;
}

// Noisy rows at candidates that several ranks are read from, by the first of these.
using Measured = std::map<std::size_t, std::vector<Int128>>;

// The value of a quantile and the ends of its interval, for each group; without an interval the ends mean nothing.
std::vector<RankCurve::Chosen> Choose(const Quantile& quantile, const std::vector<std::int64_t>& rows_at,
                                      const StatisticMechanism& law, Measured& measured, BitSource& bits) {
  if (law.measured_with) {
    const auto [at, is_new] = measured.try_emplace(*law.measured_with);
    if (is_new) at->second = law.curve->Measure(rows_at, bits);
    return law.curve->Read(quantile, at->second);
  }
  if (law.curve) return law.curve->Release(quantile, rows_at, bits);
  const auto values = ChooseByRank(quantile, rows_at, *law.choice, bits);
  const auto ends = law.ends ? ChooseEnds(quantile, rows_at, *law.ends, bits) : std::vector<ChosenEnds>(values.size());
  std::vector<RankCurve::Chosen> chosen;
  for (std::size_t g = 0; g < values.size(); ++g) chosen.push_back({values[g], ends[g]});
  return chosen;
}

// The same where groups have their own laws.
std::vector<RankCurve::Chosen> ChooseInParts(const Quantile& quantile, const std::vector<std::int64_t>& rows_at,
                                             std::span<const GroupMechanisms> parts, std::size_t statistic,
                                             std::vector<Measured>& measured, BitSource& bits) {
  if (parts.size() == 1) return Choose(quantile, rows_at, parts.front().laws[statistic], measured.front(), bits);
  const std::size_t candidates = quantile.candidates.size();
  std::vector<RankCurve::Chosen> all(rows_at.size() / candidates);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const GroupMechanisms& part = parts[p];
    std::vector<std::int64_t> rows;
    for (const std::size_t g : part.groups) {
      const auto first = rows_at.begin() + static_cast<std::ptrdiff_t>(g * candidates);
      rows.insert(rows.end(), first, first + static_cast<std::ptrdiff_t>(candidates));
    }
    const auto chosen = Choose(quantile, rows, part.laws[statistic], measured[p], bits);
    for (std::size_t i = 0; i < part.groups.size(); ++i) all[part.groups[i]] = chosen[i];
  }
  return all;
}

}  // namespace

void AddLevels(const Plan& plan, NoisyGroups& groups) {
  if (plan.levels.empty()) return;
  KITH_CHECK(groups.size() == plan.finest_groups());
  groups.resize(plan.groups(), std::vector<Int128>(plan.statistics.size(), 0));
  const std::size_t finest = plan.finest_groups();
  for (std::size_t group = 0; group < finest; ++group) {
    const Plan::Place place = plan.PlaceOf(group);
    std::size_t first = finest;
    for (std::size_t level = 1; level < plan.levels.size(); ++level) {
      std::size_t at = 0, size = 1;
      for (std::size_t k = 0; k < plan.keys.size(); ++k) {
        if (!plan.levels[level][k]) continue;
        at = at * plan.keys[k].values.size() + *place.keys[k];
        size *= plan.keys[k].values.size();
      }
      for (std::size_t s = 0; s < plan.statistics.size(); ++s) groups[first + at][s] += groups[group][s];
      first += size;
    }
  }
}

Result<NoisyGroups> ExactGroups(const Plan& plan, const IntegerTable& exact) { return AllGroups(plan, exact); }

Result<Exact> ReadExact(const Plan& plan, const Session& engine, const CancelFlag& cancel,
                        const std::function<Result<IntegerTable>()>& sums) {
  Exact exact;
  if (!plan.statement.empty()) {
    auto read = sums ? sums() : engine.Run(plan.statement, cancel);
    if (!read) return read.error();
    exact.sums = std::move(*read);
  }
  std::map<std::string, std::shared_ptr<const std::vector<std::int64_t>>> known;  // several ranks of one column
  for (const Statistic& statistic : plan.statistics) {
    exact.rows_at.emplace_back();
    if (!statistic.quantile) continue;
    auto& rows_at = known[engine.dialect().Write(statistic.quantile->statement)];
    if (!rows_at) {
      const auto table = engine.Run(statistic.quantile->statement, cancel);
      if (!table) return table.error();
      auto read = RowsAt(plan, *statistic.quantile, *table);
      if (!read) return read.error();
      rows_at = std::make_shared<const std::vector<std::int64_t>>(std::move(*read));
    }
    exact.rows_at.back() = rows_at;
  }
  return exact;
}

Result<NoisyGroups> AddNoise(const Plan& plan, const Exact& exact, std::span<const StatisticMechanism> laws,
                             BitSource& bits) {
  std::vector<std::size_t> all(plan.groups());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const GroupMechanisms one{std::move(all), laws};
  return AddNoise(plan, exact, std::span(&one, 1), bits);
}

Result<NoisyGroups> AddNoise(const Plan& plan, const Exact& exact, std::span<const GroupMechanisms> parts,
                             BitSource& bits) {
  KITH_CHECK(parts.size() == 1 || plan.levels.empty());
  std::size_t counted = 0;
  for (const GroupMechanisms& part : parts) {
    KITH_CHECK(part.laws.size() == plan.statistics.size());
    counted += part.groups.size();
  }
  KITH_CHECK(counted == plan.groups());
  auto groups = AllGroups(plan, exact.sums);
  if (!groups) return groups.error();
  AddLevels(plan, *groups);
  std::vector<std::vector<RankCurve::Chosen>> quantiles;
  std::vector<Measured> measured(parts.size());
  for (std::size_t s = 0; s < plan.statistics.size(); ++s) {
    const Statistic& statistic = plan.statistics[s];
    if (statistic.quantile) {
      quantiles.push_back(ChooseInParts(*statistic.quantile, *exact.rows_at[s], parts, s, measured, bits));
      for (std::size_t g = 0; g < groups->size(); ++g) (*groups)[g][s] = quantiles.back()[g].value;
      if (!statistic.quantile->interval) quantiles.pop_back();  // [QUANTILE-6]
      continue;
    }
    if (!statistic.noisy()) continue;
    for (const GroupMechanisms& part : parts) {
      for (const std::size_t g : part.groups) {
        if (!statistic.open_levels.empty() && !statistic.NoisyIn(plan.PlaceOf(g).level)) continue;  // a public fact
        (*groups)[g][s] = part.laws[s].noise.Release((*groups)[g][s], bits);
      }
    }
  }
  for (const auto& quantile : quantiles) {
    for (std::size_t g = 0; g < groups->size(); ++g)
      (*groups)[g].insert((*groups)[g].end(), {quantile[g].ends.low, quantile[g].ends.high});
  }
  return groups;
}

}  // namespace kith

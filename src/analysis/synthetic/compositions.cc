#include "analysis/synthetic/compositions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/synthetic/sample.h"

namespace kith::synthetic {

std::vector<Composition> AllCompositions(std::size_t types, std::size_t size) {
  std::vector<Composition> out;
  Composition at(types);
  const auto visit = [&](const auto& self, std::size_t type, std::size_t left) -> void {
    if (type == types) {
      if (left < size) out.push_back(at);
      return;
    }
    for (std::size_t members = 0; members <= left; ++members) {
      at[type] = static_cast<std::uint32_t>(members);
      self(self, type + 1, left - members);
    }
    at[type] = 0;
  };
  visit(visit, 0, size);
  return out;
}

std::vector<double> WithoutNegative(std::span<const double> counts) {
  const double total = std::max(1.0, std::accumulate(counts.begin(), counts.end(), 0.0));
  std::vector<double> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  // The projection on a simplex: the same amount is taken from all, and nothing goes below 0.
  double sum = 0, taken = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const double each = (sum - total) / static_cast<double>(k + 1);
    if (sorted[k] > each) taken = each;
  }
  std::vector<double> out;
  for (const double count : counts) out.push_back(std::max(0.0, count - taken));
  return out;
}

std::vector<double> Tilted(const std::vector<Composition>& compositions, std::span<const double> weights,
                           std::span<const double> types, std::size_t steps) {
  std::vector<double> out(weights.begin(), weights.end());
  const double total = std::accumulate(out.begin(), out.end(), 0.0);
  std::size_t size = 1;
  for (const Composition& each : compositions)
    size = std::max<std::size_t>(size, std::accumulate(each.begin(), each.end(), std::size_t{0}));
  for (std::size_t step = 0; step < steps && total > 0; ++step) {
    std::vector<double> members(types.size());
    double all = 0;
    for (std::size_t c = 0; c < out.size(); ++c) {
      for (std::size_t t = 0; t < types.size(); ++t) members[t] += out[c] * compositions[c][t];
    }
    for (const double count : members) all += count;
    std::vector<double> factors;
    for (std::size_t t = 0; t < types.size(); ++t) {
      const bool both = members[t] > 0 && types[t] > 0;
      factors.push_back(both ? std::log(types[t] * all / members[t]) / static_cast<double>(size) : 0);
    }
    double sum = 0;
    for (std::size_t c = 0; c < out.size(); ++c) {
      double power = 0;
      for (std::size_t t = 0; t < types.size(); ++t) power += factors[t] * compositions[c][t];
      sum += out[c] *= std::exp(power);
    }
    for (double& weight : out) weight *= total / sum;
  }
  return out;
}

std::vector<Member> DrawGroups(const std::vector<Composition>& compositions, std::span<const double> weights,
                               std::size_t members, BitSource& bits) {
  double sum = 0, inside = 0;
  for (std::size_t c = 0; c < compositions.size(); ++c) {
    sum += weights[c];
    inside += weights[c] * std::accumulate(compositions[c].begin(), compositions[c].end(), 0.0);
  }
  const double mean = sum > 0 ? inside / sum : 1;
  const auto groups = static_cast<std::size_t>(std::llround(static_cast<double>(members) / std::max(1.0, mean)));
  const std::vector<std::size_t> shares = Shares(weights, std::max<std::size_t>(groups, 1), bits);
  std::vector<std::size_t> drawn;
  for (std::size_t c = 0; c < shares.size(); ++c) drawn.insert(drawn.end(), shares[c], c);
  for (std::size_t k = drawn.size(); k > 1; --k) std::swap(drawn[k - 1], drawn[Below(k, bits)]);
  std::vector<Member> out;
  for (std::size_t group = 0; group < drawn.size(); ++group) {
    const Composition& each = compositions[drawn[group]];
    for (std::size_t type = 0; type < each.size(); ++type) {
      for (std::uint32_t n = 0; n < each[type]; ++n)
        out.push_back({static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(type)});
    }
  }
  return out;
}

std::vector<std::int64_t> CountGroups(const std::vector<Composition>& compositions, std::span<const Member> members) {
  std::map<std::uint32_t, Composition> groups;
  for (const Member& member : members) {
    Composition& of = groups[member.group];
    of.resize(compositions.front().size());
    ++of[member.type];
  }
  std::map<Composition, std::size_t> at;
  for (std::size_t c = 0; c < compositions.size(); ++c) at[compositions[c]] = c;
  std::vector<std::int64_t> counts(compositions.size());
  for (const auto& [group, of] : groups) {
    if (const auto found = at.find(of); found != at.end()) ++counts[found->second];
  }
  return counts;
}

}  // namespace kith::synthetic

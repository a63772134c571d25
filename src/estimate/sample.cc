// Samples as wholes: how large they are, more of the same, and those that a published concordance represents.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "estimate/estimate.h"

namespace kith::estimate {
namespace {

constexpr std::size_t kMostTables = 400;

struct SizeVisitor {
  std::int64_t operator()(const Pairs& pairs) const {
    std::int64_t total = 0;
    for (const PairTable& table : pairs.tables) total += table.Total();
    return total;
  }
  std::int64_t operator()(const Groups& groups) const {
    std::int64_t total = 0;
    for (const GroupTable& table : groups.tables) total += table.Total();
    return total;
  }
  std::int64_t operator()(const Steps& steps) const {
    std::int64_t total = 0;
    for (const auto& row : steps.counts) {
      for (const std::int64_t count : row) total += count;
    }
    return total;
  }
  std::int64_t operator()(const Places& places) const {
    std::int64_t total = 0;
    for (const auto& half : places.counts) {
      for (const std::int64_t count : half) total += count;
    }
    return total;
  }
  std::int64_t operator()(const Ties& ties) const { return (*this)(Pairs{ties.strata}); }
};

void Multiply(PairTable& table, std::int64_t k) {
  for (std::int64_t* count : {&table.both, &table.left, &table.right, &table.neither}) *count *= k;
}

// What text such as "0.45" can mean, once rounded.
struct Rounded {
  double low = 0, high = 0;
};
std::optional<Rounded> ReadRounded(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1)) return std::nullopt;
  const auto point = text.find('.');
  const auto digits = point == std::string::npos ? 0 : text.size() - point - 1;
  const double half = 0.5 * std::pow(10.0, -static_cast<double>(digits)) * (1 + 1e-9);
  return Rounded{std::max(0.0, value - half), std::min(1.0, value + half)};
}

}  // namespace

std::int64_t SizeOf(const Sample& sample) { return std::visit(SizeVisitor{}, sample); }

std::string UnitOf(const Sample& sample) {
  if (std::holds_alternative<Pairs>(sample) || std::holds_alternative<Places>(sample)) return "pairs";
  if (std::holds_alternative<Steps>(sample)) return "steps";
  if (std::holds_alternative<Ties>(sample)) return "independent pairs";
  const auto& tables = std::get<Groups>(sample).tables;
  const bool pairs = std::all_of(tables.begin(), tables.end(), [](const GroupTable& t) { return t.size() == 2; });
  return pairs ? "pairs" : "groups";
}

Sample Times(const Sample& sample, std::int64_t k) {
  Sample more = sample;
  if (auto* pairs = std::get_if<Pairs>(&more)) {
    for (PairTable& table : pairs->tables) Multiply(table, k);
  } else if (auto* groups = std::get_if<Groups>(&more)) {
    for (GroupTable& table : groups->tables) {
      for (std::int64_t& count : table.with) count *= k;
    }
  } else if (auto* steps = std::get_if<Steps>(&more)) {
    for (auto& row : steps->counts) {
      for (std::int64_t& count : row) count *= k;
    }
  } else if (auto* ties = std::get_if<Ties>(&more)) {
    for (PairTable& table : ties->strata) Multiply(table, k);
    ties->chosen *= k;
    ties->edges *= k;
  } else {
    for (auto& half : std::get<Places>(more).counts) {
      for (std::int64_t& count : half) count *= k;
    }
  }
  return more;
}

Result<std::vector<GroupTable>> FromConcordance(const std::string& concordance, bool pairwise,
                                                const std::string& prevalence, std::int64_t pairs) {
  const auto c = ReadRounded(concordance), q = ReadRounded(prevalence);
  if (!c || !q) {
    return InvalidArgument("concordance and prevalence must be numbers between 0 and 1", c ? prevalence : concordance,
                           "write them with a decimal point and as many digits as the study prints: 0.45");
  }
  if (pairs < 1 || pairs > kMaxSample)
    return InvalidArgument(fmt::format("the number of pairs must lie between 1 and {}", kMaxSample));
  const auto n = static_cast<double>(pairs);
  std::vector<GroupTable> fitting;
  const auto last_yes = static_cast<std::int64_t>(std::floor(2 * n * q->high));
  for (auto yes = static_cast<std::int64_t>(std::ceil(2 * n * q->low)); yes <= last_yes; ++yes) {
    // yes = one + 2 both; probandwise 2 both / yes, pairwise both / (yes - both).
    const auto y = static_cast<double>(yes);
    const double low = pairwise ? c->low * y / (1 + c->low) : c->low * y / 2;
    const double high = pairwise ? c->high * y / (1 + c->high) : c->high * y / 2;
    for (auto both = static_cast<std::int64_t>(std::ceil(low)); static_cast<double>(both) <= high; ++both) {
      const std::int64_t one = yes - 2 * both, none = pairs - one - both;
      if (one < 0 || none < 0) continue;
      fitting.push_back({"", {none, one, both}});
      if (fitting.size() > kMostTables) {
        return InvalidArgument("too many tables fit these rounded numbers", fmt::format("{} pairs", pairs),
                               "give more digits, or the counts of pairs with no, one and two yes");
      }
    }
  }
  if (fitting.empty()) {
    return InvalidArgument("no table of whole pairs fits these numbers", fmt::format("{} pairs", pairs),
                           "check the numbers, and which concordance the study prints");
  }
  return fitting;
}

Result<GroupTable> Worst(const std::vector<GroupTable>& tables, double confidence) {
  GroupTable worst;
  double most = 0;
  for (const GroupTable& table : tables) {
    const auto found = Make(Groups{{table}}, confidence);
    if (!found) return found.error();
    if (const double theta = found->strengths.front().theta; worst.with.empty() || theta > most) {
      worst = table;
      most = theta;
    }
  }
  return worst;
}

}  // namespace kith::estimate

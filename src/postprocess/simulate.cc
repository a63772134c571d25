#include "postprocess/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace kith::postprocess {
namespace {

constexpr std::size_t kMostSources = 500;
constexpr std::size_t kMostRows = 200;
constexpr double kMostWork = 1e9;  // of all runs: seconds, or a minute

// The seed is made from the noisy answers, and so is the same whenever they are given again.
std::uint64_t SeedOf(const std::vector<Given>& answers) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  const auto add = [&](const std::string& text) {
    for (const char c : text + "\n") hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  };
  for (const Given& answer : answers)
    for (const auto& row : answer.rows)
      for (const Cell& cell : row) add(ToText(cell.value));
  return hash;
}

double Draw(const WeightedNoise& law, std::mt19937_64& bits) {
  const auto geometric = [&] {
    const double uniform = (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53;
    return std::floor(-std::log(uniform) * law.scale / law.step);
  };
  const double first = geometric();
  return law.step * (first - geometric());
}

}  // namespace

Result<bool> MayRun(const Scratch& scratch, const std::string& statement, std::size_t runs, const CancelFlag& cancel) {
  const auto work = scratch.WorkOf(statement, cancel.Until(Deadline::In(kLongest)));
  if (!work && work.error().code == Code::kCancelled) return work.error();
  return work && *work * static_cast<double>(runs) <= kMostWork;
}

Simulation::Simulation(const Outer& outer, const std::vector<Source>& sources, const std::vector<Given>& answers)
    : outer_(outer), sources_(sources), seed_(SeedOf(answers)) {
  for (std::size_t k = 0; k < outer.outputs.size(); ++k)
    if (outer.outputs[k].dependence == Dependence::kFunction) outputs_.push_back(k);
}

// False: rows came or went, or a number did.
Result<bool> Simulation::RunOnce(const Scratch& scratch, const CancelFlag& cancel, bool first) {
  const auto rows = scratch.Rows(outer_.drawn, cancel);
  if (!rows) return rows.error();
  if (!first && rows->size() != numbers_.size()) return false;
  for (const std::vector<Value>& row : *rows) {
    Row identity;
    for (std::size_t k = 0; k < outer_.identity.size(); ++k) identity.push_back(ToText(row[k]));
    const auto found = numbers_.find(identity);
    if (first ? found != numbers_.end() : found == numbers_.end()) return false;
    auto& numbers = first ? numbers_.emplace(std::move(identity), outputs_.size()).first->second : found->second;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const auto number = NumberIn(row[outer_.identity.size() + k]);
      numbers[k].push_back(number && std::isfinite(*number) ? *number : NAN);
    }
  }
  return true;
}

Result<void> Simulation::Run(const Scratch& scratch, const CancelFlag& cancel) {
  const bool all = std::all_of(sources_.begin(), sources_.end(), [](const Source& s) { return s.law.has_value(); });
  if (outer_.drawn.empty() || !all || sources_.empty() || sources_.size() > kMostSources) return {};
  const auto show = [&](std::int64_t which) {
    return scratch.Execute(fmt::format("UPDATE kith_run SET c0 = {}", which));
  };
  if (auto set = show(kAsItIs); !set) return set;
  const auto may = MayRun(scratch, outer_.drawn, kDraws, cancel);
  if (!may) return may.error();
  if (!*may) return {};
  auto same = RunOnce(scratch, cancel, true);
  if (!same) return same.error();
  if (!*same || numbers_.size() > kMostRows) return {};
  if (auto set = show(kDrawn); !set) return set;
  std::mt19937_64 bits(seed_);
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    std::string values;
    for (std::size_t k = 0; k < sources_.size(); ++k)
      values += fmt::format("{}({}, '{}'::DOUBLE)", k == 0 ? "" : ", ", k, Draw(*sources_[k].law, bits));
    if (auto set = scratch.Execute("DELETE FROM kith_noise"); !set) return set;
    if (auto set = scratch.Execute("INSERT INTO kith_noise VALUES " + values); !set) return set;
    same = RunOnce(scratch, cancel, false);
    if (!same) return same.error();
    if (!*same) return {};
  }
  known_ = true;
  return {};
}

std::optional<double> Simulation::Bar(std::size_t output, const std::vector<Value>& row) const {
  constexpr double kFarther = 3;  // for a Laplace law it is 1.5, for one without a mean 5
  const auto place = std::find(outputs_.begin(), outputs_.end(), output);
  if (!known_ || place == outputs_.end()) return std::nullopt;
  Row identity;
  for (const std::size_t column : outer_.identity) identity.push_back(ToText(row[column]));
  const auto found = numbers_.find(identity);
  if (found == numbers_.end()) return std::nullopt;
  const std::vector<double>& numbers = found->second[static_cast<std::size_t>(place - outputs_.begin())];
  const auto shown = NumberIn(row[output]);
  const double rounding = 1e-9 * std::max(1.0, std::fabs(numbers.front()));
  if (!shown || !(std::fabs(*shown - numbers.front()) <= rounding)) return std::nullopt;
  if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); })) return std::nullopt;
  std::vector<double> distances;
  for (std::size_t k = 1; k < numbers.size(); ++k) distances.push_back(std::fabs(numbers[k] - numbers.front()));
  std::sort(distances.begin(), distances.end());
  const double bar = distances[(kDraws + 1) * 95 / 100 - 1], far = distances[(kDraws + 1) * 99 / 100 - 1];
  return far <= kFarther * bar ? std::optional(bar) : std::nullopt;
}

}  // namespace kith::postprocess

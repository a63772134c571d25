// What degrees make of noisy counts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/degrees/degrees.h"
#include "analysis/error_bar.h"
#include "analysis/points/isotonic.h"
#include "base/json.h"
#include "mechanism/noise_sum.h"

namespace kith {

namespace {

// Of a sum of this many independent noises, by their law.
double BarOfMany(const NoiseDistribution& law, std::size_t count) {
  if (law.scale <= 0) return 0;
  return BarOfSum({{.weight = 1, .scale = law.scale, .step = law.step, .count = static_cast<double>(count)}}, 0.95);
}

}  // namespace

// Noisy counts that fit together: at_least falls with the degree, and people are its differences.
struct Degrees::Curve {
  std::vector<double> at_least, people;
  std::vector<double> at_least_bar, people_bar;
};

Degrees::Curve Degrees::CurveOf(const NoisyRound& round, std::size_t group) const {
  const std::size_t most = options_.max_degree;
  const bool lists = unit_ == Unit::kList;
  std::vector<double> rising(most);  // from the largest degree down
  const NoiseDistribution law = DistributionOf(round, 0);
  Curve curve;
  double sum = 0;
  for (std::size_t d = most; d-- > 0;) {
    const double noisy = round.At(group * most + d, 0);
    sum = lists ? sum + noisy : noisy;
    rising[most - 1 - d] = sum;
  }
  rising = points::Isotonic(rising);
  const double limit = options_.people ? static_cast<double>(*options_.people) : INFINITY;
  curve.at_least.resize(most);
  for (std::size_t d = 0; d < most; ++d) curve.at_least[d] = std::clamp(rising[most - 1 - d], 0.0, limit);
  // Pooling never moves the farthest count farther away: a bar for all counts at once still holds after it.
  const double all = ErrorBar(round, 0, std::pow(0.95, 1 / static_cast<double>(most * groups())));
  for (std::size_t d = 0; d < most; ++d) {
    curve.people.push_back(curve.at_least[d] - (d + 1 < most ? curve.at_least[d + 1] : 0));
    curve.at_least_bar.push_back(lists ? BarOfMany(law, most - d) : all);
    curve.people_bar.push_back(lists ? ErrorBar(round, 0, 0.95) : (d + 1 < most ? 2 : 1) * all);
    if (lists) curve.people[d] = round.At(d, 0);
  }
  return curve;
}

struct Degrees::Mean {
  double total = 0, total_bar = 0;
  std::optional<double> mean;
  double mean_bar = 0;
};

Degrees::Mean Degrees::MeanOf(std::span<const NoisyRound> rounds, const Curve& curve, std::size_t group) const {
  Mean out;
  if (counts_itself()) {
    out.total = rounds[0].At(group * options_.max_degree, 1);
    out.total_bar = ErrorBar(rounds[0], 1, 0.975);
  } else {  // every friendship has two ends; a list has one owner
    const double ends = unit_ == Unit::kList ? 1 : 2;
    out.total = ends * rounds[1].At(0, 0);
    out.total_bar = ends * ErrorBar(rounds[1], 0, 0.975);
  }
  const double people = options_.people ? static_cast<double>(*options_.people) : curve.at_least[0];
  const double people_bar = options_.people ? 0 : curve.at_least_bar[0];
  if (people <= people_bar || people <= 0) return out;
  out.mean = out.total / people;
  out.mean_bar = std::max((out.total + out.total_bar) / (people - people_bar) - *out.mean,
                          *out.mean - (out.total - out.total_bar) / (people + people_bar));
  return out;
}

std::vector<Note> Degrees::Notes() const {
  std::vector<Note> notes;
  switch (unit_) {
    case Unit::kFriendship:
      notes.push_back(
          {NoteKind::kProtects, fmt::format("degrees above {0} count as {0}; a unit is one friendship: what all "
                                            "friendships of a person reveal together is not hidden",
                                            options_.max_degree)});
      break;
    case Unit::kList:
      notes.push_back(
          {NoteKind::kProtects,
           fmt::format("lists of more than {0} friends count as {0}; a unit is a person's own list, not what others "
                       "say about the person",
                       options_.max_degree)});
      break;
    case Unit::kPerson:
      notes.push_back(
          {NoteKind::kProtects,
           fmt::format("a unit is a person with all friendships. They were projected: taken one after another, and "
                       "only while both ends had fewer than {}; degrees, the sum and the mean are of those that were "
                       "kept",
                       options_.max_degree)});
      break;
  }
  if (unit_ != Unit::kList) notes.push_back({NoteKind::kAccuracy, "bars hold for all degrees at once"});
  return notes;
}

namespace {

// How many numbers of a column have bars as wide as all that is possible.
void NoteNoise(std::size_t column, double people, Findings& findings) {
  std::size_t noise = 0;
  for (const auto& bars : findings.errors_95) noise += bars[column] && *bars[column] >= people ? 1 : 0;
  if (noise == 0) return;
  findings.notes.push_back(
      {NoteKind::kAccuracy,
       fmt::format("{}: {} of {} numbers are only noise: the bar spans the whole possible range among {} people",
                   findings.columns[column], noise, findings.errors_95.size(), people)});
}

}  // namespace

Result<Findings> Degrees::Conclude(std::span<const NoisyRound> rounds) const {
  Findings findings;
  findings.columns = {"degree", "people", "at_least"};
  if (groups_) findings.columns.insert(findings.columns.begin(), groups_->column);
  static constexpr const char* kUnits[] = {"friendship", "list", "person"};
  Json details = {
      {"analysis", "degrees"}, {"unit", kUnits[static_cast<int>(unit_)]}, {"max_degree", options_.max_degree}};
  for (std::size_t g = 0; g < groups(); ++g) {
    const Curve curve = CurveOf(rounds[0], g);
    for (std::size_t d = 0; d < options_.max_degree; ++d) {
      std::vector<Value> row = {static_cast<std::int64_t>(d + 1), curve.people[d], curve.at_least[d]};
      std::vector<std::optional<double>> bars = {std::nullopt, curve.people_bar[d], curve.at_least_bar[d]};
      if (groups_) {
        row.insert(row.begin(), rounds[0].plan.keys[0].values[g]);
        bars.insert(bars.begin(), std::nullopt);
      }
      findings.rows.push_back(std::move(row));
      findings.errors_95.push_back(std::move(bars));
    }
    const Mean mean = MeanOf(rounds, curve, g);
    Json told = {{"sum_of_degrees", mean.total}, {"sum_of_degrees_error_95", mean.total_bar}};
    const std::string of_group =
        groups_ ? fmt::format("{} = {}: ", groups_->column, ToText(rounds[0].plan.keys[0].values[g])) : "";
    if (mean.mean) {
      told["mean_degree"] = *mean.mean;
      told["mean_degree_error_95"] = mean.mean_bar;
      findings.notes.push_back(
          {NoteKind::kFinding,
           fmt::format("{}mean degree {}: {:.4g} ± {:.2g}", of_group,
                       options_.people ? "of all people" : "of people with a friend", *mean.mean, mean.mean_bar)});
    } else {
      findings.notes.push_back(
          {NoteKind::kFinding, of_group + "too few people to distinguish a mean degree from noise"});
    }
    if (groups_) {
      told["group"] = ToText(rounds[0].plan.keys[0].values[g]);
      details["groups"].push_back(std::move(told));
    } else {
      details.update(told);
    }
  }
  for (std::size_t column = groups_ ? 2 : 1; options_.people && column < findings.columns.size(); ++column)
    NoteNoise(column, static_cast<double>(*options_.people), findings);
  for (Note& note : Notes()) findings.notes.push_back(std::move(note));
  static constexpr const char* kClaims[] = {"DEGREES-1", "DEGREES-2", "DEGREES-4"};
  findings.claims = {kClaims[static_cast<int>(unit_)]};
  if (unit_ == Unit::kPerson) findings.claims.emplace_back("DEGREES-3");
  findings.details = JsonValue(std::move(details));
  return findings;
}

}  // namespace kith

// What an answer to a question is worth, compared with those whom it is about.
#include <algorithm>
#include <numeric>

#include "release/average_error.h"
#include "release/price_left.h"
#include "release/question_release.h"

namespace kith {

QuestionRelease::Largest QuestionRelease::LargestOf(const std::vector<std::size_t>& among) const {
  Largest largest{{units, units}, among.size() > 1};
  if (!asked.open || !units) return largest;
  if (asked.open->everybody) largest.assumed = false;
  if (const auto counted = GroupsOfCells(*asked.open, asked.plan, asked.about->cells, asked.groups.cells)) {
    double most = 0;
    for (const std::size_t group : among) most = std::max(most, counted->units[group]);
    if (most <= *units) largest.most = {most, most};
    largest.assumed = !asked.open->cells_say_all;
  }
  if (!asked.open->plain) return largest;  // what is remembered is about ordinary rows
  const auto found = asked.groups.most.find(asked.open->plan.normalised);
  if (found == asked.groups.most.end()) return largest;
  if (priced.strata.empty()) largest.assumed = false;
  largest.most.units = std::min(*largest.most.units, found->second.units);
  if (found->second.households > 0)
    largest.most.households = std::min(*largest.most.households, found->second.households);
  return largest;
}
std::vector<Usefulness> QuestionRelease::UsefulnessIn(const std::vector<std::size_t>& among, const Priced& at) const {
  const Largest largest = LargestOf(among);
  return largest.Describe(UsefulnessOf(asked.plan, at, largest.most, asked.max_rows));
}
std::vector<std::size_t> QuestionRelease::FinestGroups() const {
  std::vector<std::size_t> all(asked.plan.finest_groups());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// What would make it better than noise may be more than there is.
Usefulness::Beyond QuestionRelease::BeyondOf(const Usefulness& worth, const Totals& so_far) const {
  const auto budget = static_cast<double>(asked.account->Budget(charged, level).count());
  const PlainUnits counted = asked.account->counts_presence() ? priced.OfPresence() : priced.total;
  const double wanted = worth.times * static_cast<double>(counted.count());
  if (!worth.only_noise || !(budget > 0)) return Usefulness::Beyond::kNothing;
  if (wanted > budget) return Usefulness::Beyond::kBudget;
  const double left = PriceLeft(*asked.account, so_far, {charged, covers, level}, asked.epsilon_total);
  return wanted * asked.epsilon_total > left * budget ? Usefulness::Beyond::kLeft : Usefulness::Beyond::kNothing;
}

// What its price buys in one stratum.
void QuestionRelease::AddBars(const PricedStratum& stratum, Explanation& out) const {
  for (AverageError& line : AverageErrors(asked.plan, stratum.priced)) {
    line.stratum = stratum.name;
    out.averages.push_back(std::move(line));
  }
  for (Usefulness& worth : UsefulnessIn(stratum.groups, stratum.priced)) {
    worth.group = stratum.size;
    worth.stratum = stratum.name;
    out.usefulness.push_back(std::move(worth));
  }
}

}  // namespace kith

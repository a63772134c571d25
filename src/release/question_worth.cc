// What an answer to a question is worth, compared with those whom it is about.
#include <algorithm>
#include <numeric>

#include "release/average_error.h"
#include "release/price_left.h"
#include "release/question_release.h"

namespace kith {

QuestionRelease::Largest QuestionRelease::LargestOf(const std::vector<std::size_t>& among) const {
  Largest largest{{units, units}, among.size() > 1};
  if (!open || !units) return largest;
  if (open->everybody) largest.assumed = false;
  if (const auto counted = GroupsOfCells(*open, plan, about->cells, groups.cells)) {
    double most = 0;
    for (const std::size_t group : among) most = std::max(most, counted->units[group]);
    if (most <= *units) largest.most = {most, most};
    largest.assumed = !open->cells_say_all;
  }
  if (!open->plain) return largest;  // what is remembered is about ordinary rows
  const auto found = groups.most.find(open->plan.normalised);
  if (found == groups.most.end()) return largest;
  if (priced.strata.empty()) largest.assumed = false;
  largest.most.units = std::min(*largest.most.units, found->second.units);
  if (found->second.households > 0)
    largest.most.households = std::min(*largest.most.households, found->second.households);
  return largest;
}
std::vector<Worth> QuestionRelease::WorthIn(const std::vector<std::size_t>& among, const Priced& at) const {
  const Largest largest = LargestOf(among);
  return largest.Describe(WorthOf(plan, at, largest.most, max_rows));
}
std::vector<std::size_t> QuestionRelease::FinestGroups() const {
  std::vector<std::size_t> all(plan.finest_groups());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// What would make it better than noise may be more than there is.
Worth::Beyond QuestionRelease::BeyondOf(const Worth& worth, const Totals& so_far) const {
  const auto budget = static_cast<double>(account->Budget(charged, level).count());
  const PlainUnits counted = account->counts_presence() ? priced.OfPresence() : priced.total;
  const double wanted = worth.times * static_cast<double>(counted.count());
  if (!worth.only_noise || !(budget > 0)) return Worth::Beyond::kNothing;
  if (wanted > budget) return Worth::Beyond::kBudget;
  const double left = PriceLeft(*account, so_far, {charged, covers, level}, epsilon_total);
  return wanted * epsilon_total > left * budget ? Worth::Beyond::kLeft : Worth::Beyond::kNothing;
}

// What its price buys in one stratum.
void QuestionRelease::AddBars(const PricedStratum& stratum, Explanation& out) const {
  for (AverageError& line : AverageErrors(plan, stratum.priced)) {
    line.stratum = stratum.name;
    out.averages.push_back(std::move(line));
  }
  for (Worth& worth : WorthIn(stratum.groups, stratum.priced)) {
    worth.group = stratum.size;
    worth.stratum = stratum.name;
    out.worth.push_back(std::move(worth));
  }
}

}  // namespace kith

// Stored answers that hold the same numbers: other names, rows or columns in another order.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "policy/growth.h"
#include "query/output/output.h"
#include "release/compose_answer.h"
#include "release/free_answer.h"
#include "release/joint_price.h"
#include "release/question_release.h"

namespace kith {

std::vector<QuestionRelease::Twin> QuestionRelease::Twins(const DataState& data) const {
  constexpr std::size_t kMostGroups = 4096;  // they are planned one by one
  const auto chosen = [](const Statistic& statistic) { return statistic.quantile != nullptr; };
  std::vector<Twin> twins;
  // The rest are found by their statistics.
  if (!priced.mu_shares.empty() || !asked.price.epsilon || !asked.price.split.empty() || !priced.strata.empty() ||
      asked.plan.groups() > kMostGroups ||
      std::any_of(asked.plan.statistics.begin(), asked.plan.statistics.end(), chosen))
    return twins;
  for (const Reordered& other : asked.bound->others) {
    if (!other.same_rows && !ShowsItsKeys()) continue;
    const auto theirs = PlanQuestion(other.normalised, *asked.about);
    if (!theirs || theirs->normalised != other.normalised) continue;
    const PlainUnits budget = asked.account->Budget(theirs->charged, level);
    const Pricing pricing{asked.price, asked.epsilon_total, budget, std::nullopt, asked.account->counts_presence()};
    const auto paid = PriceBoth(*theirs, MovesOf(other.normalised, *theirs), pricing);
    if (!paid) continue;
    twins.push_back(
        {other, KeyTextOf(other.bare, asked.readings->Of(other.bare), data, level, lacks_intervals, *paid)});
  }
  return twins;
}

// Of the same question with its columns in another order.
MovesOfBoth QuestionRelease::MovesOf(const std::string& other, const Plan& theirs) const {
  auto any = MovesInOrder(asked.plan, asked.moves.any, theirs);
  auto presence = MovesInOrder(asked.plan, asked.moves.presence, theirs);
  if (!any || !presence) return MovesOfBothFor(other, *asked.about, theirs);
  return {std::move(*any), std::move(*presence)};
}

std::vector<std::string> QuestionRelease::OtherKeyTexts(const DataState& data) const {
  std::vector<std::string> texts;
  for (Twin& twin : Twins(data)) texts.push_back(std::move(twin.key_text));
  return texts;
}

// Where rows can be put in order by what they show.
bool QuestionRelease::ShowsItsKeys() const {
  std::set<std::size_t> shown;
  for (const OutputColumn& column : asked.plan.outputs) {
    if (const auto key = column.expr->Key()) shown.insert(*key);
  }
  return shown.size() == asked.plan.keys.size();
}

void QuestionRelease::Rename(Answer& answer) const {
  if (answer.columns.size() != asked.plan.outputs.size()) return;
  for (std::size_t k = 0; k < asked.plan.outputs.size(); ++k) answer.columns[k] = asked.plan.outputs[k].name;
}

std::set<std::string> QuestionRelease::UnitTables(const Policy& policy) const {
  std::set<std::string> tables(asked.plan.more_tables.begin(), asked.plan.more_tables.end());
  if (asked.plan.of_unit_table) tables.insert(policy.unit.table);
  return tables;
}

// Fresh or stored, rows are in the order that is asked for.
Result<void> QuestionRelease::AddRemarks(const Pipeline&, Answer& answer) const {
  combines() ? ShowCombined(answer) : ShowAlone(answer);
  if (asked.bound->any_order) OrderAndCut(asked.plan, answer.rows);
  return {};
}

// An answer to the same question with its columns in another order holds the same numbers.
Result<std::optional<Answer>> QuestionRelease::FindStored(const Pipeline& pipeline, bool alone) {
  const auto show = [&](Answer& answer) { combines() ? ShowCombined(answer) : ShowAlone(answer); };
  auto found = Release::FindStored(pipeline, alone);
  if (found && *found) {
    show(**found);
    Rename(**found);
  }
  if (!found || *found || alone) return found;
  for (const Twin& twin : Twins(pipeline.data())) {
    auto stored = StoredAnswerUnder(pipeline.records().KeyOf(twin.key_text), pipeline);
    if (!stored) return stored;
    if (!*stored || (*stored)->columns.size() != asked.plan.outputs.size()) continue;
    show(**stored);
    PutInOrder(twin.other, **stored);
    Rename(**stored);
    return stored;
  }
  auto all = FindKnown(*this, pipeline.records(), pipeline.data());
  if (!all) return all.error();
  known = std::move(*all);
  const auto free = FreeAnswerFrom(*this, known);
  if (!free) return found;
  auto before = StoredAnswerOf(free->numbers.back(), pipeline);
  if (!before || !*before) return before;
  const auto there_are = asked.plan.of_unit_table ? RememberedUnits(pipeline.curator(), pipeline.data()) : std::nullopt;
  return std::optional<Answer>(MakeFreeAnswer(*this, *free, std::move(**before), there_are));
}

std::string QuestionRelease::Kept(const Answer& answer) const { return KeptWithStatistics(*this, answer); }

void QuestionRelease::PutInOrder(const Reordered& other, Answer& answer) const {
  answer.columns = other.InOrder(answer.columns);
  for (auto& row : answer.rows) row = other.InOrder(row);
  for (std::size_t& column : answer.histograms) column = other.outputs.at(column);
  if (!other.same_rows) SortByGroup(answer);
}

// Requires: all keys are shown.
void QuestionRelease::SortByGroup(Answer& answer) const {
  std::map<std::string, std::size_t> place;  // of a group's keys
  for (std::size_t group = 0; group < asked.plan.groups(); ++group) {
    std::string keys;
    for (const Value& key : asked.plan.ShownKeys(group)) keys += ToText(key) + "\n";
    place.emplace(std::move(keys), group);
  }
  const auto place_of = [&](const std::vector<AnswerCell>& row) {
    std::vector<std::string> texts(asked.plan.keys.size());
    for (std::size_t k = 0; k < asked.plan.outputs.size(); ++k) {
      if (const auto key = asked.plan.outputs[k].expr->Key()) texts[*key] = ToText(row[k].value);
    }
    std::string keys;
    for (const std::string& text : texts) keys += text + "\n";
    return place[keys];
  };
  std::stable_sort(answer.rows.begin(), answer.rows.end(),
                   [&](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
}

}  // namespace kith

#include "release/compose_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "kernel/ranks.h"
#include "query/output/output.h"
#include "release/chosen_rows.h"
#include "release/levels.h"
#include "release/usefulness.h"

namespace kith {
namespace {

// The half-width of each statistic's interval at a confidence, in its own units.
std::vector<double> ErrorsAt(const Plan& plan, const Priced& priced, std::size_t level, double confidence) {
  std::vector<double> errors(plan.statistics.size(), 0.0);
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const Statistic& statistic = plan.statistics[k];
    if (!statistic.NoisyIn(level) || statistic.quantile) continue;  // a quantile has an interval
    std::optional<LevelBar> consistent;
    if (!plan.levels.empty()) consistent = LevelErrorBar(plan, level, confidence, statistic.open_levels);
    const Noise& noise = priced.laws[k].noise;
    const double bar =
        consistent ? consistent->by_scale * noise.scale() + consistent->fixed : priced.laws[k].ErrorBar(confidence);
    errors[k] = bar * statistic.lattice.step();
  }
  return errors;
}

/// Which prices each group has, by position in the list.
struct PricesOfGroups {
  std::vector<const Priced*> all;
  std::vector<std::size_t> of_group;

  PricesOfGroups(const Plan& plan, const Priced& priced) : all({&priced}), of_group(plan.groups(), 0) {
    if (priced.strata.empty()) return;
    all.clear();
    for (const PricedStratum& stratum : priced.strata) {
      for (const std::size_t group : stratum.groups) of_group[group] = all.size();
      all.push_back(&stratum.priced);
    }
  }
};

// An output that reads k noisy statistics gets each of them at confidence 1 - 0.05/k: then all hold at once with 95 %.
// Where noise chooses among n groups, at 1 - 0.05/(k n): then all hold at once in all groups [AFTER-2].
class ErrorTable {
 public:
  ErrorTable(const Plan& plan, const Priced& priced) : plan_(plan), prices_(plan, priced) {}
  const std::vector<double>& For(const OutputExpr& output, std::size_t level, std::size_t group) {
    std::size_t noisy = 0;
    for (const auto k : output.Reads()) noisy += plan_.statistics[k].NoisyIn(level) ? 1 : 0;
    noisy = std::max<std::size_t>(noisy, 1);
    const std::size_t prices = prices_.of_group[group];
    const std::tuple key(noisy, level, prices);
    const auto found = errors_.find(key);
    if (found != errors_.end()) return found->second;
    const double confidence = ConfidenceOfBar(plan_, noisy);
    return errors_.emplace(key, ErrorsAt(plan_, *prices_.all[prices], level, confidence)).first->second;
  }

  const Priced& PricedFor(std::size_t group) const { return *prices_.all[prices_.of_group[group]]; }

 private:
  const Plan& plan_;
  const PricesOfGroups prices_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::vector<double>> errors_;
};

// What is known about each statistic of a group.
std::vector<Estimate> EstimatesOf(const Plan& plan, const std::vector<Int128>& numbers, const std::vector<double>& bars,
                                  std::size_t level) {
  std::vector<Estimate> estimates;
  std::size_t ends = plan.statistics.size();
  for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
    const Statistic& statistic = plan.statistics[k];
    estimates.push_back({std::ldexp(static_cast<double>(numbers[k]), statistic.lattice.exponent), bars[k]});
    if (!statistic.quantile) continue;
    const bool noisy = statistic.NoisyIn(level);
    ValueInterval interval{estimates.back().value, estimates.back().value};
    if (statistic.quantile->interval) {
      const ChosenEnds chosen{numbers.at(ends), numbers.at(ends + 1)};
      ends += 2;
      if (noisy) interval = IntervalOf(*statistic.quantile, statistic.lattice, numbers[k], chosen);
    } else if (noisy) {
      continue;  // nothing bounds it, nor what is computed with it
    }
    estimates.back().ends = {interval.low, interval.high, interval.everything};
  }
  return estimates;
}

bool ReadsNoise(const Plan& plan, const OutputExpr& output, std::size_t level) {
  return std::any_of(output.Reads().begin(), output.Reads().end(),
                     [&](std::size_t k) { return plan.statistics[k].NoisyIn(level); });
}

bool LacksInterval(const Plan& plan, const OutputExpr& output) {
  return std::any_of(output.Reads().begin(), output.Reads().end(), [&](std::size_t k) {
    const Statistic& statistic = plan.statistics[k];
    return statistic.quantile && !statistic.quantile->interval && statistic.noisy();
  });
}

// Formulas over quantiles without intervals.
void NoteWithoutBar(const Plan& plan, std::vector<Note>& notes) {
  std::vector<std::string> names;
  for (const OutputColumn& output : plan.outputs) {
    if (!output.expr->Quantile() && LacksInterval(plan, *output.expr)) names.push_back(output.name);
  }
  if (names.empty()) return;
  notes.push_back(
      {NoteKind::kAccuracy,
       fmt::format("without an error bar: {}; computed with a quantile that has no interval", fmt::join(names, ", "))});
}

// How many there are in a group, at most.
InGroup SizeOf(std::size_t group, std::optional<double> units, const std::optional<GroupSizes>& sizes) {
  if (!sizes) return {units};
  InGroup size{sizes->units[group]};
  if (!sizes->households.empty()) size.households = sizes->households[group];
  return size;
}

// A quantile without an interval, of a group of this many.
bool ReachesAll(const Plan& plan, const OutputExpr& output, const Priced& priced, const InGroup& most,
                std::int64_t max_rows) {
  const auto k = output.Quantile();
  if (!k || !most.units) return false;
  const double rows = *most.units * static_cast<double>(max_rows);
  return ReachesAllRows(*plan.statistics[*k].quantile, priced.noise.at(*k).error_95, rows);
}

// Says how many numbers of a column are only noise.
void NoteNoise(const Plan& plan, Answer& answer) {
  for (std::size_t k = 0; k < answer.columns.size(); ++k) {
    const auto noise = [k](const auto& row) { return row[k].only_noise; };
    const auto marked = std::count_if(answer.rows.begin(), answer.rows.end(), noise);
    if (marked == 0) continue;
    const std::string which =
        answer.rows.size() == 1 ? "this number is" : fmt::format("{} of {} numbers are", marked, answer.rows.size());
    const char* why =
        LacksInterval(plan, *plan.outputs[k].expr) ? "it reaches all rows" : "the bar spans the whole possible range";
    answer.notes.push_back({NoteKind::kAccuracy, fmt::format("{}: {} only noise: {}", answer.columns[k], which, why)});
  }
}

/// Where each part of a histogram comes among the others.
using PartOrder = std::map<std::string, std::size_t>;

/// The histogram that an output shows, if it shows one.
const GroupKey* HistogramOf(const Plan& plan, std::size_t output) {
  const auto key = plan.outputs[output].expr->Key();
  return key && plan.keys[*key].histogram ? &plan.keys[*key] : nullptr;
}

PartOrder PartOrderOf(const Plan& plan, std::size_t output) {
  PartOrder order;
  const GroupKey* histogram = HistogramOf(plan, output);
  if (!histogram) return order;
  for (const Value& value : histogram->values) {
    if (const auto* part = std::get_if<std::string>(&value)) order.emplace(*part, order.size());
  }
  return order;
}

// Numbers by size, parts of a histogram by their order, other text by bytes.
int Compare(const Value& a, const Value& b, const PartOrder& parts) {
  const auto number = [](const Value& v) -> std::optional<double> {
    if (const auto* i = std::get_if<std::int64_t>(&v)) return static_cast<double>(*i);
    if (const auto* d = std::get_if<double>(&v)) return *d;
    if (const auto* t = std::get_if<bool>(&v)) return *t ? 1.0 : 0.0;
    return std::nullopt;
  };
  const auto x = number(a), y = number(b);
  if (x && y) return *x < *y ? -1 : *x > *y ? 1 : 0;
  const auto* s = std::get_if<std::string>(&a);
  const auto* t = std::get_if<std::string>(&b);
  if ((x && t) || (s && y)) return x ? -1 : 1;  // "(all)" comes after numbers
  if (!s || !t) return 0;
  const auto from = parts.find(*s), to = parts.find(*t);
  if (from == parts.end() || to == parts.end()) return s->compare(*t);
  return from->second < to->second ? -1 : from->second > to->second ? 1 : 0;
}

}  // namespace

void OrderAndCut(const Plan& plan, std::vector<std::vector<AnswerCell>>& rows) {
  std::vector<PartOrder> parts;
  for (const auto& order : plan.order_by) parts.push_back(PartOrderOf(plan, order.output));
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    for (std::size_t k = 0; k < plan.order_by.size(); ++k) {
      const OrderBy& order = plan.order_by[k];
      const Value& x = a[order.output].value;
      const Value& y = b[order.output].value;
      const bool no_x = std::holds_alternative<Null>(x), no_y = std::holds_alternative<Null>(y);
      // NULL counts as the largest value.
      if (no_x != no_y) return order.descending ? no_x : no_y;
      const int compared = no_x ? 0 : Compare(x, y, parts[k]);
      if (compared != 0) return order.descending ? compared > 0 : compared < 0;
    }
    return false;
  });
  const auto skip = std::min<std::size_t>(rows.size(), static_cast<std::size_t>(plan.offset));
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(skip));
  if (plan.limit && static_cast<std::size_t>(*plan.limit) < rows.size())
    rows.resize(static_cast<std::size_t>(*plan.limit));
}

void AddRankNotes(const Statistic& statistic, std::size_t k, const Priced& priced, std::vector<Note>& notes,
                  std::optional<double> most_rows) {
  const auto note = [&](const Priced& at) { return RankNote(statistic, at.noise[k].error_95, most_rows); };
  if (priced.strata.empty()) notes.push_back({NoteKind::kAccuracy, note(priced)});
  for (const PricedStratum& stratum : priced.strata)
    notes.push_back({NoteKind::kAccuracy, fmt::format("{}: {}", stratum.name, note(stratum.priced))});
}

namespace {

void AddNoteOfRanks(const Plan& plan, const Priced& priced, const std::string& stratum, std::vector<Note>& notes) {
  for (std::size_t first = 0; first < priced.laws.size(); ++first) {
    if (priced.laws[first].measured_with != first) continue;
    std::vector<std::string> names;
    for (std::size_t k = first; k < priced.laws.size(); ++k) {
      if (priced.laws[k].measured_with == first) names.push_back(plan.statistics[k].name);
    }
    notes.push_back(
        {NoteKind::kMethod,
         fmt::format("{}{}: read from one noisy count of the rows at every value, which has all their shares",
                     stratum.empty() ? stratum : stratum + ": ", fmt::join(names, ", "))});
  }
}

}  // namespace

void CompareIntervals(const Plan& plan, const Priced& priced, std::vector<NoiseLine>& lines, std::vector<Note>& notes) {
  const std::size_t statistics = plan.statistics.size();
  std::vector<Plan> both(2);  // without and with intervals: only what laws are made of
  for (std::size_t with = 0; with < both.size(); ++with) {
    both[with].keys = plan.keys;
    both[with].levels = plan.levels;
    both[with].statistics = plan.statistics;
    SetIntervals(both[with], with == 1);
  }
  const auto compare = [&](const Priced& at, const std::string& stratum, std::size_t first) {
    const auto without = MechanismsOf(both[0], at.shares), with = MechanismsOf(both[1], at.shares);
    for (std::size_t k = 0; without && with && k < statistics && first + k < lines.size(); ++k) {
      const Statistic& statistic = plan.statistics[k];
      if (!statistic.quantile || !statistic.noisy()) continue;
      const NoiseLine::Choice errors{RankErrorsOf(*both[1].statistics[k].quantile, (*with)[k], 1).one,
                                     RankErrorsOf(*both[0].statistics[k].quantile, (*without)[k], 1).one};
      lines[first + k].interval = errors;
      const std::string name = stratum.empty() ? statistic.name : stratum + ": " + statistic.name;
      notes.push_back({NoteKind::kAccuracy, IntervalNote(name, errors.with, errors.without)});
    }
  };
  if (priced.strata.empty()) compare(priced, {}, 0);
  for (std::size_t s = 0; s < priced.strata.size(); ++s)
    compare(priced.strata[s].priced, priced.strata[s].name, s * statistics);
}

void AddNotesOfRanks(const Plan& plan, const Priced& priced, std::vector<Note>& notes) {
  if (priced.strata.empty()) AddNoteOfRanks(plan, priced, {}, notes);
  for (const PricedStratum& stratum : priced.strata) AddNoteOfRanks(plan, stratum.priced, stratum.name, notes);
}

Answer ComposeAnswer(const Plan& plan, const NoisyGroups& noisy, const Priced& priced, std::optional<double> units,
                     const std::optional<GroupSizes>& sizes, std::int64_t max_rows) {
  Answer answer;
  std::optional<double> most_rows;
  if (units) most_rows = (sizes ? sizes->most_units : *units) * static_cast<double>(max_rows);
  AddPlanClaims(priced.laws, answer.certificate.claims);
  AddClaims(priced.laws, answer.certificate.claims);
  for (const PricedStratum& stratum : priced.strata) AddClaims(stratum.priced.laws, answer.certificate.claims);
  if (!priced.strata.empty()) answer.certificate.claims.emplace_back("STRATA-2");
  if (!plan.levels.empty()) answer.certificate.claims.push_back("LEVEL-1");
  if (!plan.levels.empty() && plan.InAChain()) answer.certificate.claims.push_back("LEVEL-2");
  answer.notes = plan.notes;
  for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
    const Statistic& statistic = plan.statistics[k];
    if (!statistic.quantile || !statistic.noisy()) continue;
    AddRankNotes(statistic, k, priced, answer.notes, most_rows);
    const bool interval = statistic.quantile->interval;
    std::vector<std::string> by_choice = {"QUANTILE-1", interval ? "QUANTILE-3" : "QUANTILE-2", "PF-1"};
    std::vector<std::string> by_curve = {"QUANTILE-4"};
    if (!interval) {
      for (auto* claims_of : {&by_choice, &by_curve}) claims_of->emplace_back("QUANTILE-6");
    }
    auto& claims = answer.certificate.claims;
    for (const Priced* one : PricesOfGroups(plan, priced).all) {
      for (const std::string& claim : one->laws[k].curve ? by_curve : by_choice) {
        if (std::find(claims.begin(), claims.end(), claim) == claims.end()) claims.push_back(claim);
      }
    }
  }
  AddNotesOfRanks(plan, priced, answer.notes);
  NoteWithoutBar(plan, answer.notes);
  for (std::size_t k = 0; k < plan.outputs.size(); ++k) {
    answer.columns.push_back(plan.outputs[k].name);
    if (plan.levels.empty() && HistogramOf(plan, k)) answer.histograms.push_back(k);
  }
  ErrorTable errors(plan, priced);
  for (const std::size_t group : ShownOrder(plan)) {
    if (!plan.impossible.empty() && plan.impossible[group]) continue;  // no row of any data is in it
    const auto keys = plan.ShownKeys(group);
    const std::size_t level = plan.PlaceOf(group).level;
    std::vector<AnswerCell> row;
    for (const auto& output : plan.outputs) {
      const auto& bars = errors.For(*output.expr, level, group);
      const auto estimates = EstimatesOf(plan, noisy[group], bars, level);
      Outcome outcome = output.expr->Evaluate(keys, estimates);
      AnswerCell& cell = row.emplace_back(AnswerCell{outcome.value, std::nullopt});
      if (!ReadsNoise(plan, *output.expr, level)) continue;
      const bool lacks = LacksInterval(plan, *output.expr);
      if (!lacks) cell.error_95 = outcome.error;  // otherwise it would be what the bounds of a column allow, at best
      cell.interval_95 = std::move(outcome.interval);
      if (cell.interval_95)
        cell.only_noise = cell.interval_95->everything;
      else if (lacks)
        cell.only_noise =
            ReachesAll(plan, *output.expr, errors.PricedFor(group), SizeOf(group, units, sizes), max_rows);
      else if (!cell.error_95)  // nothing bounds it: it was divided by what may be zero
        cell.only_noise = !output.expr->IsDate() && !std::holds_alternative<Null>(cell.value);
      else
        cell.only_noise =
            IsOnlyNoise(*output.expr, cell, PossibleStatistics(plan, level, estimates, SizeOf(group, units, sizes)));
    }
    answer.rows.push_back(std::move(row));
  }
  if (NoiseChooses(plan))
    answer.notes.push_back({NoteKind::kAccuracy,
                            "noise took part in choosing these rows: their bars hold for all rows that could have been "
                            "chosen at once, with 95 %"});
  OrderAndCut(plan, answer.rows);
  NoteNoise(plan, answer);
  return answer;
}

std::optional<double> PresenceOf(const Certificate& certificate) {
  if (!certificate.guarantee.plain_presence || certificate.sides == Sides::kOne || certificate.guarantee.CountsDelta())
    return std::nullopt;
  return certificate.plain_presence.value_or(certificate.plain_epsilon);
}

void Certify(const Priced& priced, Guarantee guarantee, const LedgerEntry& entry, Answer& answer) {
  Certificate& c = answer.certificate;
  if (!priced.noise.empty()) c.noise = priced.noise;
  c.plain_epsilon = priced.total.epsilon();
  if (guarantee.mu_cap > 0) {
    for (const char* claim : {"CAP-1", "CAP-2", "FILTER-1"}) c.claims.emplace_back(claim);
  } else if (guarantee.CountsDelta()) {
    c.claims.emplace_back("CAP-6");
  }
  c.plain_presence = priced.presence ? std::optional(priced.presence->epsilon()) : std::nullopt;
  for (const char* claim : {"LEDGER-1", "RELEASE-1", guarantee.unproven.empty() ? "TRANSFER-1" : "PAIR-SUM-2"}) {
    if (std::find(c.claims.begin(), c.claims.end(), claim) == c.claims.end()) c.claims.emplace_back(claim);
  }
  c.guarantee = std::move(guarantee);
  c.ledger_entry = entry.number;
  c.ledger_hash = entry.head;
}

}  // namespace kith

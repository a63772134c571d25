#include "release/free_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/int128.h"
#include "base/json.h"
#include "kernel/ranks.h"
#include "policy/growth.h"
#include "query/question.h"
#include "release/answer_json.h"
#include "release/cells_json.h"
#include "release/compose_answer.h"
#include "release/plan_tables.h"
#include "sql/expr.h"

namespace kith {
namespace {

constexpr const char* kStatistics = "statistics";  // in what the ledger keeps
constexpr const char* kChanges = "changes";        // next to them: what their noise was made for
constexpr const char* kSizes = "sizes";            // and of their groups
constexpr const char* kIntervals = "intervals";    // false: there are none of quantiles among them
constexpr std::size_t kMostKept = 4096;            // numbers
constexpr std::int64_t kMostLines = 256;           // of the history, from its end
constexpr std::size_t kMostSources = 8;
constexpr std::size_t kMostPlans = 4;          // that are searched
constexpr const char* kOwn = "own";            // in the details of a plan: its questions that stay by themselves
constexpr const char* kCombined = "combined";  // in the details of an answer, as the ledger keeps it

// Rows and groups, with all that says which they are. Nothing: by more than is compared here.
std::optional<std::string> RowsText(const Question& question) {
  if (question.per_unit || !question.joins.empty() || !question.more_tables.empty() || !question.of_unit_table ||
      !question.levels.empty() || question.tick)
    return std::nullopt;
  const Table& table = question.policy->unit_table();
  std::string text = table.name + "\n";
  if (question.where) text += CanonicalText(*question.where, table);
  for (const Key& key : question.keys) text += "\n" + key.text;
  return text;
}

// A part of the text of every question about the same rows and groups: to leave out most of a history quickly.
std::string PartOfText(const std::string& normalised) {
  const std::size_t from = normalised.rfind(" FROM ");
  if (from == std::string::npos) return {};
  std::string part = normalised.substr(from);
  for (const char* after : {" HAVING ", " ORDER BY ", " LIMIT ", " OFFSET "}) part = part.substr(0, part.find(after));
  return part;
}

bool CanBeKept(const QuestionRelease& question) {
  const Plan& plan = question.asked.plan;
  return plan.levels.empty() && question.priced.strata.empty() && !plan.noisy().empty() &&
         plan.groups() * plan.statistics.size() <= kMostKept;
}

// Means of other noises have no bars here, and what is chosen by its rank has no mean.
bool CanBeCombined(const std::vector<StatisticMechanism>& laws) {
  return std::all_of(laws.begin(), laws.end(), [](const StatisticMechanism& law) {
    return !law.choice && !law.curve && law.noise.Name().id == kDiscreteLaplaceName.id;
  });
}

std::size_t NumbersOf(const Plan& plan) {
  const auto chosen = std::count_if(plan.statistics.begin(), plan.statistics.end(), [](const Statistic& statistic) {
    return statistic.quantile && statistic.quantile->interval;
  });
  return plan.statistics.size() + 2 * static_cast<std::size_t>(chosen);
}

// For each counter of one question: where the other has it. Nothing: not all of them are there, or one is not a sum.
std::optional<std::vector<std::size_t>> PlacesOf(const Question& question, const Plan& plan, const Question& other,
                                                 const Plan& theirs) {
  const auto same = [](const Statistic& a, const Statistic& b) {
    return a.name == b.name && a.lattice.step() == b.lattice.step() && a.change == b.change && !a.quantile &&
           !b.quantile;
  };
  if (plan.statistics.size() != question.counters.size() || theirs.statistics.size() != other.counters.size())
    return std::nullopt;
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < question.counters.size(); ++k) {
    const auto found = std::find_if(other.counters.begin(), other.counters.end(),
                                    [&](const Counter& c) { return c.text == question.counters[k].text; });
    const auto at = static_cast<std::size_t>(found - other.counters.begin());
    if (found == other.counters.end() || !same(plan.statistics[k], theirs.statistics[at])) return std::nullopt;
    places.push_back(at);
  }
  return places;
}

// Kept as text: JSON's numbers are shorter than these.
std::optional<Int128> NumberOf(const Json& kept) {
  constexpr std::size_t kMostDigits = 38;
  if (!kept.is_string()) return std::nullopt;
  const auto& text = kept.get_ref<const std::string&>();
  const bool negative = text.starts_with('-');
  const std::string digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  Int128 number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return negative ? -number : number;
}

Json SizesJson(const GroupSizes& sizes) {
  return {
      {"units", sizes.units}, {"households", sizes.households}, {"most", {sizes.most_units, sizes.most_households}}};
}

// Public facts about the rows and groups that were counted then, if they were.
std::optional<GroupSizes> SizesIn(const Json& kept, std::size_t groups) {
  if (!kept.contains(kSizes)) return std::nullopt;
  const Json& sizes = kept.at(kSizes);
  GroupSizes out{sizes.at("units"), sizes.at("households"), sizes.at("most").at(0), sizes.at("most").at(1)};
  if (out.units.size() != groups || (!out.households.empty() && out.households.size() != groups)) return std::nullopt;
  return out;
}

Json ChangesJson(const Plan& plan) {
  Json changes = Json::array();
  for (const Statistic& statistic : plan.statistics) {
    const Sensitivities& change = statistic.change;
    changes.push_back({change.l1().steps(), change.l2_squared(), change.groups()});
  }
  return changes;
}

// A question that was paid for, by its own charge or in a plan.
class Candidate {
 public:
  Candidate(const QuestionRelease& release, const Question& question, std::string asked, std::int64_t number)
      : release_(release), question_(question), asked_(std::move(asked)), number_(number) {}

  /// Without the ledger.
  bool Fits(const std::optional<std::string>& rows) {
    auto bound = BindQuestion(asked_, *release_.asked.about, kMaxQuestionBytes);
    if (!bound) return false;
    const bool same = bound->bare == question_.bare;
    if (!same && (!rows || RowsText(*bound) != rows)) return false;
    auto plan = MakePlan(*bound);
    if (!plan || plan->normalised != asked_ || plan->groups() != release_.asked.plan.groups()) return false;
    other_ = std::move(*bound);
    theirs_ = std::move(*plan);
    if (same) {
      places_.resize(
          NumbersOf(release_.asked.plan));  // without intervals: of what was measured with them, only the values
      std::iota(places_.begin(), places_.end(), std::size_t{0});
      return theirs_.statistics.size() == release_.asked.plan.statistics.size();
    }
    auto places = PlacesOf(question_, release_.asked.plan, other_, theirs_);
    if (!places) return false;
    places_ = std::move(*places);
    return true;
  }

  Result<std::optional<KnownStatistics>> Read(const Ledger& book, const DataState& data) {
    const std::optional<KnownStatistics> nothing;
    const auto stored = book.AnswerTo(number_);
    if (!stored) return stored.error();
    if (!*stored) return nothing;
    const Json kept = Json::parse((*stored)->answer, nullptr, false);
    if (kept.is_discarded() || !kept.contains(kStatistics) || !HasWhatIsWanted(kept)) return nothing;
    const auto answer = AnswerFromJson((*stored)->answer);
    if (!answer) return answer.error();
    std::vector<PlainUnits> shares;
    for (const NoiseLine& line : answer->certificate.noise) {
      if (!line.stratum.empty()) return nothing;
      shares.push_back(line.share);
    }
    const auto by_key = book.FindAnswer(KeyFor(shares, book, data));
    if (!by_key) return by_key.error();
    if (!*by_key || (*by_key)->entry.number != number_) return nothing;
    return From(kept, shares);
  }

  /// A part of a plan, as PartOfPlan() made it. Throws JsonError.
  std::optional<KnownStatistics> ReadPart(const Json& part, const Ledger& book, const DataState& data) {
    if (!HasWhatIsWanted(part)) return std::nullopt;
    std::vector<PlainUnits> shares;
    for (const Json& share : part.at("shares")) shares.push_back(PlainUnits::Of(share.get<std::int64_t>()));
    if (KeyFor(shares, book, data) != part.at("key").get<std::string>()) return std::nullopt;
    return From(part, shares);
  }

 private:
  // An interval cannot be made from a value.
  bool HasWhatIsWanted(const Json& kept) {
    if (kept.value(kIntervals, true)) return true;
    SetIntervals(theirs_, false);
    return std::none_of(release_.asked.plan.statistics.begin(), release_.asked.plan.statistics.end(),
                        [](const Statistic& statistic) {
                          return statistic.noisy() && statistic.quantile && statistic.quantile->interval;
                        });
  }

  // That it is the answer to this question, under what is declared now about all that it reads, of this version and at
  // these shares, is what its key says.
  std::string KeyFor(const std::vector<PlainUnits>& shares, const Ledger& book, const DataState& data) const {
    Priced priced;
    priced.shares = shares;
    return book.KeyOf(KeyTextOf(other_.bare, release_.asked.readings->Of(other_.bare), data, release_.level,
                                LacksIntervals(theirs_), priced));
  }

  std::optional<KnownStatistics> From(const Json& kept, const std::vector<PlainUnits>& shares) const {
    if (shares.size() != theirs_.statistics.size()) return std::nullopt;
    // Its key says so already; a law of noise that was never drawn would be a false bar.
    if (kept.value(kChanges, Json()) != ChangesJson(theirs_)) return std::nullopt;
    const auto laws = MechanismsOf(theirs_, shares);
    if (!laws) return std::nullopt;
    std::vector<StatisticMechanism> own;
    for (std::size_t k = 0; k < release_.asked.plan.statistics.size(); ++k) {
      const Statistic& statistic = release_.asked.plan.statistics[k];
      const StatisticMechanism& law = (*laws)[places_[k]];
      const bool value_alone = statistic.quantile && !statistic.quantile->interval;
      own.push_back(value_alone ? WithoutInterval(*statistic.quantile, law) : law);
    }
    NoisyGroups noisy;
    if (!Take(kept.at(kStatistics), noisy)) return std::nullopt;
    KnownStatistics known = KnownFrom(number_, noisy, release_.asked.plan, own);
    for (std::size_t k = 0; k < own.size(); ++k) known.shares.push_back(shares[places_[k]]);
    try {
      known.sizes = SizesIn(kept, theirs_.groups());
    } catch (const JsonError&) {  // of another version: nothing but marks is missing
    }
    return known;
  }

  bool Take(const Json& kept, NoisyGroups& noisy) const {
    if (!kept.is_array() || kept.size() != theirs_.groups()) return false;
    for (const Json& group : kept) {
      if (!group.is_array() || group.size() != NumbersOf(theirs_)) return false;
      auto& of = noisy.emplace_back();
      for (const std::size_t at : places_) {
        const auto number = NumberOf(group[at]);
        if (!number) return false;
        of.push_back(*number);
      }
    }
    return true;
  }

  const QuestionRelease& release_;
  const Question& question_;
  std::string asked_;    // canonical text
  std::int64_t number_;  // of the charge
  Question other_;
  Plan theirs_;
  std::vector<std::size_t> places_;
};

// What a plan has of a question's statistics: of questions that it asked by themselves, and of its tables.
Result<std::vector<KnownStatistics>> FromPlan(const QuestionRelease& question, const workload::Planned& planned,
                                              const std::optional<std::string>& rows, std::int64_t number,
                                              const Ledger& book, const DataState& data) {
  std::vector<KnownStatistics> known;
  const auto stored = book.AnswerTo(number);
  if (!stored) return stored.error();
  if (!*stored) return known;
  const auto answer = AnswerFromJson((*stored)->answer);
  if (!answer) return answer.error();
  if (answer->details.empty()) return known;
  const std::string part_of_text = PartOfText(question.normalised);
  try {
    for (const Json& part : answer->details->value(kOwn, Json::array())) {
      const std::string asked = part.at("question");
      if (asked.find(part_of_text) == std::string::npos) continue;
      Candidate candidate(question, planned.question, asked, number);
      if (!candidate.Fits(rows)) continue;
      if (auto found = candidate.ReadPart(part, book, data)) known.push_back(std::move(*found));
    }
    if (!question.combines() || !rows || !CanBeCombined(question.priced.laws)) return known;
    if (auto found = KnownFromTables(*answer->details, number, question, planned, book, data))
      known.push_back(std::move(*found));
  } catch (const JsonError&) {  // of another version: it is not an answer to this
  }
  return known;
}

}  // namespace

Result<std::vector<KnownStatistics>> FindKnown(const QuestionRelease& question, const Ledger& book,
                                               const DataState& data) {
  constexpr const char* kPlan = "plan of ";
  std::vector<KnownStatistics> known;
  if (!CanBeKept(question) || question.repeat != Repeat::kFromLedger) return known;
  const std::string part = PartOfText(question.normalised);
  auto history = book.History({.count = kMostLines, .newest_first = true, .parts = {part, kPlan}});
  if (!history) return history.error();
  const auto is_plan = [&](const HistoryLine& line) { return line.question.starts_with(kPlan); };
  std::erase_if(*history, [&](const HistoryLine& line) {
    return !line.answered || line.level != question.level || line.data != data.number ||
           (!is_plan(line) && line.question.find(part) == std::string::npos);
  });
  if (history->empty()) return known;  // most often: then it need not be read again
  const workload::Planned planned{*question.asked.bound, question.asked.plan};
  const auto rows = RowsText(planned.question);
  std::size_t plans = 0;
  for (const HistoryLine& line : *history) {
    if (known.size() == kMostSources) break;
    if (is_plan(line)) {
      if (++plans > kMostPlans) continue;
      auto found = FromPlan(question, planned, rows, line.number, book, data);
      if (!found) return found.error();
      for (KnownStatistics& one : *found) {
        if (known.size() < kMostSources) known.push_back(std::move(one));
      }
      continue;
    }
    Candidate candidate(question, planned.question, line.question, line.number);
    if (!candidate.Fits(rows)) continue;
    auto found = candidate.Read(book, data);
    if (!found) return found.error();
    if (*found) known.push_back(std::move(**found));
  }
  return known;
}

namespace {

// For one law by its scale; for two by what people see and by what means are weighted by.
bool IsNoWorse(const Noise& has, const Noise& bought) {
  if (has.Name().id == bought.Name().id) return has.scale() <= bought.scale();
  constexpr double kConfidence = 0.95;
  return has.ErrorBar(kConfidence) <= bought.ErrorBar(kConfidence) && has.variance() <= bought.variance();
}

// Of one charge, none of its statistics has more noise than would be bought.
bool IsNoWorse(const QuestionRelease& question, const std::vector<StatisticMechanism>& laws) {
  const std::size_t groups = question.asked.plan.groups();
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const Statistic& statistic = question.asked.plan.statistics[k];
    const StatisticMechanism& bought = question.priced.laws[k];
    if (!statistic.noisy()) continue;
    if (!statistic.quantile) {
      if (!IsNoWorse(laws[k].noise, bought.noise)) return false;
      continue;
    }
    const RankErrors has = RankErrorsOf(*statistic.quantile, laws[k], groups);
    const RankErrors buys = RankErrorsOf(*statistic.quantile, bought, groups);
    if (has.one > buys.one || has.all > buys.all) return false;
  }
  return true;
}

FreeAnswer AsMeasured(const QuestionRelease& question, const KnownStatistics& one) {
  FreeAnswer free{{one.number}, one.measured, {}, {}, one.sizes};
  free.priced.laws = one.laws;
  for (std::size_t k = 0; k < one.laws.size(); ++k) {
    const Statistic& statistic = question.asked.plan.statistics[k];
    free.priced.shares.push_back(one.shares[k]);
    free.priced.noise.push_back(NoiseOf(statistic, one.laws[k], one.shares[k], question.asked.plan.groups()));
  }
  return free;
}

// None of the means has a wider bar than would be bought.
bool IsNoWorse(const QuestionRelease& question, const Combined& combined) {
  constexpr double kConfidence = 0.95, kRounding = 1 + 1e-12;
  for (std::size_t k = 0; k < question.asked.plan.statistics.size(); ++k) {
    if (!question.asked.plan.statistics[k].noisy()) continue;
    const Noise& bought = question.priced.laws[k].noise;
    if (combined.error_95[k] > bought.ErrorBar(kConfidence) || combined.variance[k] > bought.variance() * kRounding)
      return false;
  }
  return true;
}

std::vector<std::string> ClaimsOf(const Combined& combined) {
  std::vector<std::string> claims = {"FREE-3"};
  if (combined.tables) claims.insert(claims.end(), {"FREE-4", "WORKLOAD-3"});
  return claims;
}

bool IsMean(const Priced& priced) {
  const auto mean = [](const Priced& of) {
    return std::any_of(of.laws.begin(), of.laws.end(),
                       [](const StatisticMechanism& law) { return !law.mean_of.empty(); });
  };
  return mean(priced) || std::any_of(priced.strata.begin(), priced.strata.end(),
                                     [&](const PricedStratum& stratum) { return mean(stratum.priced); });
}

}  // namespace

std::optional<FreeAnswer> FreeAnswerFrom(const QuestionRelease& question, const std::vector<KnownStatistics>& known) {
  if (question.combines() && !known.empty() && CanBeCombined(question.priced.laws)) {
    Combined all = Combine(question.asked.plan, question.priced.laws, known);
    if (!IsNoWorse(question, all)) return std::nullopt;
    if (IsMean(all.priced)) {
      const auto sized =
          std::find_if(known.begin(), known.end(), [](const auto& one) { return one.sizes.has_value(); });
      return FreeAnswer{std::move(all.numbers), std::move(all.noisy), std::move(all.priced), ClaimsOf(all),
                        sized == known.end() ? std::nullopt : sized->sizes};
    }
  }
  for (const KnownStatistics& one : known) {
    if (!one.laws.empty() && IsNoWorse(question, one.laws)) return AsMeasured(question, one);
  }
  return std::nullopt;
}

namespace {

std::string EntriesText(const std::vector<std::int64_t>& numbers) {
  std::string list;
  for (const std::int64_t number : numbers) list += (list.empty() ? "" : ", ") + std::to_string(number);
  return (numbers.size() == 1 ? "entry " : "entries ") + list;
}

constexpr const char* kMean =
    "means by inverse variance, rounded, of several noisy numbers or sums of them; lines of noise in the certificate "
    "are about these, bars about the means, and the bars hold as long as the earlier answers did not decide whether, "
    "or "
    "at what price, this was asked again";

}  // namespace

Answer MakeFreeAnswer(const QuestionRelease& question, const FreeAnswer& from, Answer before,
                      std::optional<double> units) {
  Answer answer =
      ComposeAnswer(question.asked.plan, from.noisy, from.priced, units, from.sizes, question.asked.max_rows);
  answer.stored = true;
  answer.certificate = std::move(before.certificate);
  auto& claims = answer.certificate.claims;
  claims.insert(claims.end(), {"FREE-1", "FREE-2"});
  claims.insert(claims.end(), from.claims.begin(), from.claims.end());
  const char* const kAlone = "QUANTILE-6";  // of what was stored with an interval: only the value
  if (question.lacks_intervals && std::find(claims.begin(), claims.end(), kAlone) == claims.end())
    claims.emplace_back(kAlone);
  answer.notes.push_back({NoteKind::kMethod, fmt::format("made of the noisy statistics that {} of the ledger paid for: "
                                                         "nothing more is lost, and no data were read",
                                                         EntriesText(from.numbers))});
  if (!from.priced.noise.empty())
    answer.certificate.noise = from.priced.noise;
  else  // of several charges, or of several measurements of one plan
    answer.notes.push_back({NoteKind::kMethod, kMean});
  return answer;
}

void AddCombined(const QuestionRelease& question, const std::vector<KnownStatistics>& known,
                 const std::optional<GroupSizes>& sizes, Answer& answer) {
  if (known.empty() || !CanBeCombined(question.priced.laws)) return;
  std::vector<KnownStatistics> all = {KnownFrom(0, question.noisy, question.asked.plan, question.priced.laws)};
  all.insert(all.end(), known.begin(), known.end());
  Combined combined = Combine(question.asked.plan, question.priced.laws, all);
  std::erase(combined.numbers, 0);
  if (combined.numbers.empty()) return;  // the others would only add noise
  Answer mean = ComposeAnswer(question.asked.plan, combined.noisy, combined.priced, question.units, sizes,
                              question.asked.max_rows);
  if (question.asked.bound->any_order && !question.asked.plan.order_by.empty()) question.SortByGroup(mean);
  mean.notes.push_back(
      {NoteKind::kMethod, fmt::format("combined with the noisy statistics that {} of the ledger paid for: {}",
                                      EntriesText(combined.numbers), kMean)});
  Json beside = {{"entries", combined.numbers}, {"claims", ClaimsOf(combined)}};
  PutCells(mean.rows, beside);
  PutNotes(mean.notes, beside);
  answer.details = JsonValue(Json{{kCombined, std::move(beside)}});
}

void ShowCombined(Answer& answer) {
  if (answer.details.empty() || !answer.details->contains(kCombined)) return;
  const JsonValue details = std::exchange(answer.details, JsonValue());
  const Json& beside = details->at(kCombined);
  answer.rows = CellsFrom(beside);
  answer.notes = NotesFrom(beside);
  for (const Json& claim : beside.at("claims")) answer.certificate.claims.push_back(claim);
}

void ShowAlone(Answer& answer) {
  if (!answer.details.empty() && answer.details->contains(kCombined)) answer.details = JsonValue();
}

std::string CombinedNote(const QuestionRelease& question, const std::vector<KnownStatistics>& known) {
  if (known.empty() || !question.combines() || !CanBeCombined(question.priced.laws)) return {};
  const Plan& plan = question.asked.plan;
  NoisyGroups none(plan.groups(), std::vector<Int128>(plan.statistics.size(), 0));
  std::vector<KnownStatistics> all = {KnownFrom(0, none, plan, question.priced.laws)};
  all.insert(all.end(), known.begin(), known.end());
  Combined combined = Combine(plan, question.priced.laws, all);
  std::erase(combined.numbers, 0);
  if (combined.numbers.empty()) return {};
  std::string bars;
  for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
    const Statistic& statistic = plan.statistics[k];
    if (!statistic.noisy()) continue;
    bars += fmt::format("{}{} ±{:.6g} instead of ±{:.6g}", bars.empty() ? "" : ", ", statistic.name,
                        combined.error_95[k] * statistic.lattice.step(), question.priced.noise[k].error_95);
  }
  return fmt::format("the fresh answer will be combined with what {} of the ledger paid for; then with 95 %: {}",
                     EntriesText(combined.numbers), bars);
}

namespace {

// False: nothing can be kept.
bool PutStatistics(const QuestionRelease& question, Json& out) {
  if (!CanBeKept(question) || question.noisy.size() != question.asked.plan.groups()) return false;
  Json groups = Json::array();
  for (const auto& group : question.noisy) {
    Json& of = groups.emplace_back(Json::array());
    for (const Int128 number : group) of.push_back(ToText(number));
  }
  out[kStatistics] = std::move(groups);
  out[kChanges] = ChangesJson(question.asked.plan);
  if (question.lacks_intervals) out[kIntervals] = false;
  if (question.sizes) out[kSizes] = SizesJson(*question.sizes);
  return true;
}

}  // namespace

std::string KeptWithStatistics(const QuestionRelease& question, const Answer& answer) {
  Json out = AnswerValue(answer);
  return PutStatistics(question, out) ? JsonText(out) : AnswerToJson(answer);
}

std::optional<Json> PartOfPlan(const QuestionRelease& question, const Ledger& book, const DataState& data) {
  Json out = {{"question", question.asked.plan.normalised},
              {"key", book.KeyOf(question.KeyText(question.reads, data))}};
  for (const PlainUnits share : question.priced.shares) out["shares"].push_back(share.count());
  if (!PutStatistics(question, out)) return std::nullopt;
  return out;
}

}  // namespace kith

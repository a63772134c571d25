#include "release/free_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/int128.h"
#include "base/json.h"
#include "ledger/answer_to.h"
#include "policy/growth.h"
#include "query/question.h"
#include "release/answer_json.h"
#include "release/compose_answer.h"
#include "sql/expr.h"

namespace kith {
namespace {

using nlohmann::json;

constexpr const char* kStatistics = "statistics";  // in what the ledger keeps
constexpr std::size_t kMostKept = 4096;            // numbers
constexpr std::int64_t kMostLines = 256;           // of the history, from its end

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
  const Plan& plan = question.plan;
  return plan.levels.empty() && question.priced.strata.empty() && !plan.noisy().empty() &&
         plan.groups() * plan.statistics.size() <= kMostKept;
}

// Of each counter of one question: where the other has it. Nothing: not all of them are there, or one is no sum.
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
std::optional<Int128> NumberOf(const json& kept) {
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

// One charge of the history.
class Candidate {
 public:
  Candidate(const QuestionRelease& release, const Question& question, const HistoryLine& line)
      : release_(release), question_(question), line_(line) {}

  /// Without the ledger.
  bool Fits(const std::string& rows) {
    auto bound = BindQuestion(line_.question, *release_.about, kMaxQuestionBytes);
    if (!bound || RowsText(*bound) != rows) return false;
    auto plan = MakePlan(*bound);
    if (!plan || plan->normalised != line_.question || plan->groups() != release_.plan.groups()) return false;
    other_ = std::move(*bound);
    theirs_ = std::move(*plan);
    auto places = PlacesOf(question_, release_.plan, other_, theirs_);
    if (!places) return false;
    places_ = std::move(*places);
    return true;
  }

  Result<std::optional<FreeAnswer>> Read(const Ledger& book, const DataState& data) const {
    const std::optional<FreeAnswer> nothing;
    const auto stored = AnswerTo(book, line_.number);
    if (!stored) return stored.error();
    if (!*stored) return nothing;
    const json kept = json::parse((*stored)->answer, nullptr, false);
    if (kept.is_discarded() || !kept.contains(kStatistics)) return nothing;
    const auto answer = AnswerFromJson((*stored)->answer);
    if (!answer) return answer.error();
    // That it is the answer to this question, under what is declared now about all that it reads, of this version and
    // at these shares, is what its key says.
    QuestionRelease twin;
    twin.normalised = other_.bare;
    twin.level = release_.level;
    for (const NoiseLine& line : answer->certificate.noise) {
      if (!line.stratum.empty()) return nothing;
      twin.priced.shares.push_back(line.share);
    }
    if (twin.priced.shares.size() != theirs_.statistics.size()) return nothing;
    FreeAnswer found;
    found.number = line_.number;
    found.key = book.KeyOf(twin.KeyText(release_.readings->Of(other_.bare), data));
    const auto by_key = book.FindAnswer(found.key);
    if (!by_key) return by_key.error();
    if (!*by_key || (*by_key)->entry.number != line_.number) return nothing;
    if (!Price(twin.priced.shares, found.priced) || !Take(kept.at(kStatistics), found.noisy)) return nothing;
    return std::optional(std::move(found));
  }

 private:
  // False: what would be bought has less noise.
  bool Price(const std::vector<PlainUnits>& shares, Priced& priced) const {
    const auto laws = LawsOf(theirs_, shares);
    if (!laws) return false;
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const std::size_t at = places_[k];
      priced.shares.push_back(shares[at]);
      priced.laws.push_back((*laws)[at]);
      priced.noise.push_back(NoiseOf(theirs_.statistics[at], (*laws)[at], shares[at], theirs_.groups()));
      const NoiseLine &has = priced.noise.back(), &buys = release_.priced.noise[k];
      if (has.law != buys.law || has.scale > buys.scale) return false;
    }
    return true;
  }

  bool Take(const json& kept, NoisyGroups& noisy) const {
    if (!kept.is_array() || kept.size() != theirs_.groups()) return false;
    for (const json& group : kept) {
      if (!group.is_array() || group.size() != theirs_.statistics.size()) return false;
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
  const HistoryLine& line_;
  Question other_;
  Plan theirs_;
  std::vector<std::size_t> places_;
};

}  // namespace

Result<std::optional<FreeAnswer>> FindFreeAnswer(const QuestionRelease& question, const Ledger& book,
                                                 const DataState& data) {
  const std::optional<FreeAnswer> nothing;
  if (!CanBeKept(question) || question.repeat != Repeat::kFromLedger) return nothing;
  auto history = book.History({.count = kMostLines, .newest_first = true, .part = PartOfText(question.normalised)});
  if (!history) return history.error();
  std::erase_if(*history, [&](const HistoryLine& line) {
    return !line.answered || line.level != question.level || line.data != data.number;
  });
  if (history->empty() || !question.bound) return nothing;
  const Question* const bound = question.bound.get();
  const auto rows = RowsText(*bound);
  if (!rows) return nothing;
  for (const HistoryLine& line : *history) {
    Candidate candidate(question, *bound, line);
    if (!candidate.Fits(*rows)) continue;
    auto found = candidate.Read(book, data);
    if (!found || *found) return found;
  }
  return nothing;
}

Answer MakeFreeAnswer(const QuestionRelease& question, const FreeAnswer& from, Answer before) {
  Answer answer =
      ComposeAnswer(question.plan, from.noisy, from.priced, question.units, std::nullopt, question.max_rows);
  answer.stored = true;
  answer.certificate = std::move(before.certificate);
  answer.certificate.noise = from.priced.noise;
  for (const char* claim : {"FREE-1", "FREE-2"}) answer.certificate.claims.emplace_back(claim);
  answer.notes.push_back(
      {NoteKind::kMethod, fmt::format("made of the noisy statistics that entry {} of the ledger paid for: "
                                      "nothing more is lost, and no data were read",
                                      from.number)});
  return answer;
}

std::string KeptWithStatistics(const QuestionRelease& question, const Answer& answer) {
  if (!CanBeKept(question) || question.noisy.size() != question.plan.groups()) return AnswerToJson(answer);
  json out = AnswerValue(answer), groups = json::array();
  for (const auto& group : question.noisy) {
    json& of = groups.emplace_back(json::array());
    for (std::size_t k = 0; k < question.plan.statistics.size(); ++k) of.push_back(ToText(group[k]));
  }
  out[kStatistics] = std::move(groups);
  return JsonText(out);
}

}  // namespace kith

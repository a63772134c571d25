#include "release/after_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "after/after.h"
#include "loss/loss_text.h"
#include "mechanism/noise.h"
#include "release/answer_json.h"
#include "release/strata.h"

namespace kith {
namespace {

using nlohmann::json;

// An answer as what is computed on it needs it: numbers, bars, and the laws of the noise that it says it has.
after::Given GivenOf(const Answer& answer, const Plan& plan) {
  after::Given given;
  for (const auto& row : answer.rows) {
    auto& cells = given.rows.emplace_back();
    for (const AnswerCell& cell : row) cells.push_back({cell.value, cell.error_95, cell.interval_95, cell.only_noise});
  }
  for (const Statistic& statistic : plan.statistics) {
    std::optional<after::Given::Law>& law = given.laws.emplace_back();
    const auto named = [&](const NoiseLine& line) { return line.statistic == statistic.name; };
    const auto& lines = answer.certificate.noise;
    const auto line = std::find_if(lines.begin(), lines.end(), named);
    // One line, and a law whose sums are known: otherwise the bars are all that is used.
    const bool one = line != lines.end() && std::none_of(line + 1, lines.end(), named);
    if (one && line->stratum.empty() && line->law == kDiscreteLaplaceName.id && line->scale > 0 && line->lattice > 0)
      law = after::Given::Law{line->scale, line->lattice};
  }
  return given;
}

json AnswersToJson(const std::vector<Answer>& answers) {
  json list = json::array();
  for (const Answer& answer : answers) list.push_back(AnswerValue(answer));
  return list;
}

std::string OfStage(std::size_t stage, const std::string& text) { return fmt::format("stage {}: {}", stage, text); }

struct AfterRelease final : Release {
  after::Program program;
  std::vector<std::unique_ptr<Release>> inner;  // one for each private question
  const Account* account = nullptr;             // outlives the release
  std::vector<std::optional<Answer>> known;     // answers that the ledger has, if there are several questions

  bool one() const { return inner.size() == 1; }

  // What is charged: for each cell the sum over the questions that are not answered yet.
  void SetPrice() {
    using Both = std::pair<PlainUnits, PlainUnits>;  // of any change, and of presence
    std::map<std::size_t, Both> by_cell;
    priced.total = PlainUnits();
    priced.presence.reset();
    priced.strata.clear();
    for (std::size_t k = 0; k < inner.size(); ++k) {
      if (known[k]) continue;
      for (const CellCharge& part : PartsOf(inner[k]->charged, inner[k]->priced)) {
        for (const std::size_t cell : part.cells) {
          auto& [any, presence] = by_cell[cell];
          any = PlainUnits::CutSum(any, part.units);
          presence = PlainUnits::CutSum(presence, part.presence.value_or(part.units));
        }
      }
    }
    charged.assign(inner.front()->charged.size(), false);
    std::map<Both, std::vector<bool>> by_price;
    for (const auto& [cell, both] : by_cell) {
      charged[cell] = true;
      priced.total = std::max(priced.total, both.first);
      if (both.second < both.first) priced.presence = PlainUnits();  // what is said below
      by_price.try_emplace(both, charged.size(), false).first->second[cell] = true;
    }
    for (const auto& [both, cells] : by_price) {
      if (priced.presence) priced.presence = std::max(*priced.presence, both.second);
    }
    if (by_price.size() < 2) return;
    for (const auto& [both, cells] : by_price) {
      PricedStratum& stratum = priced.strata.emplace_back();
      stratum.cells = cells;
      stratum.budget = account->Budget(cells, level);
      stratum.priced.total = both.first;
      if (priced.presence) stratum.priced.presence = both.second;
    }
  }

  Result<Explanation> Explain(const Totals& so_far) const override {
    auto out = inner.front()->Explain(so_far);
    if (!out) return out;
    for (std::size_t k = 1; k < inner.size(); ++k) {
      auto next = inner[k]->Explain(so_far);
      if (!next) return next;
      const auto append = [](auto& to, auto& from) {
        to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
      };
      append(out->plan.statistics, next->plan.statistics);
      append(out->plan.notes, next->plan.notes);
      append(out->noise, next->noise);
      append(out->averages, next->averages);
      append(out->worth, next->worth);
      append(out->statements, next->statements);
    }
    if (!one()) out->plan.normalised = normalised;
    std::vector<Note> notes = StageNotes();
    for (std::size_t k = 0; !one() && k < inner.size(); ++k)
      notes[k].text += fmt::format("; plain loss {}", LossText(inner[k]->priced.total.epsilon()));
    out->plan.notes.insert(out->plan.notes.end(), notes.begin(), notes.end());
    return out;
  }

  std::vector<Note> StageNotes() const {
    std::vector<Note> notes;
    for (std::size_t k = 0; k < inner.size(); ++k)
      notes.push_back(
          {NoteKind::kMethod, fmt::format("stage {}, a private question: {}", k + 1, program.inner[k].sql)});
    notes.push_back(
        {NoteKind::kMethod, fmt::format("stage {}, computed on the noisy answer{} alone and free of charge: {}",
                                        inner.size() + 1, one() ? "" : "s", program.shown)});
    return notes;
  }

  Result<void> Prepare() override {
    for (const auto& question : inner) {
      if (auto ready = question->Prepare(); !ready) return ready;
    }
    return {};
  }

  // With one private question the ledger has that question's answer, under its own key; whoever asks it finds it.
  std::string KeyText(const std::string& policy, const DataState& data) const override {
    return one() ? inner.front()->KeyText(policy, data) : Release::KeyText(policy, data);
  }
  std::vector<std::string> OtherKeyTexts(const DataState& data) const override {
    return one() ? inner.front()->OtherKeyTexts(data) : std::vector<std::string>();
  }

  Result<std::optional<Answer>> Again(const Desk& desk, bool alone) override {
    if (one()) return inner.front()->Again(desk, alone);
    auto whole = Release::Again(desk, alone);
    if (!whole || *whole) return whole;
    for (std::size_t k = 0; k < inner.size(); ++k) {
      if (known[k]) continue;
      const std::string& policy = inner[k]->reads.empty() ? desk.curator().binding.policy : inner[k]->reads;
      auto stored = StoredAnswerUnder(desk.book().KeyOf(inner[k]->KeyText(policy, desk.data())), desk);
      if (!stored) return stored;
      if (*stored && (*stored)->columns.size() == program.inner[k].columns.size()) known[k] = std::move(**stored);
    }
    if (std::any_of(known.begin(), known.end(), [](const auto& answer) { return !answer; })) {
      SetPrice();
      return std::optional<Answer>();
    }
    Answer answer = Together();
    answer.stored = true;
    return std::optional<Answer>(std::move(answer));
  }

  // Requires: all are known.
  Answer Together() const {
    std::vector<Answer> all;
    for (const auto& answer : known) all.push_back(*answer);
    Answer out = all.front();
    std::set<std::string> claims;
    out.certificate.claims.clear();
    out.certificate.noise.clear();
    out.notes.clear();
    std::size_t stage = 0;
    for (const Answer& answer : all) {
      for (const std::string& claim : answer.certificate.claims) {
        if (claims.insert(claim).second) out.certificate.claims.push_back(claim);
      }
      const auto& noise = answer.certificate.noise;
      out.certificate.noise.insert(out.certificate.noise.end(), noise.begin(), noise.end());
      ++stage;
      for (const Note& note : answer.notes) out.notes.push_back({note.kind, OfStage(stage, note.text)});
    }
    out.details = JsonValue(json{{"answers", AnswersToJson(all)}});
    return out;
  }

  Result<Answer> Compute(Desk& desk, const Call& call) override {
    if (one()) return inner.front()->Compute(desk, call);
    for (std::size_t k = 0; k < inner.size(); ++k) {
      if (known[k]) continue;
      auto answer = inner[k]->Compute(desk, call);
      if (!answer) return answer;
      answer->certificate.noise = inner[k]->priced.noise;  // its laws travel with it
      known[k] = std::move(*answer);
    }
    return Together();
  }

  std::vector<Answer> AnswersIn(const Answer& answer) const {
    if (one()) return {answer};
    std::vector<Answer> all;
    for (const json& one_of_them : answer.details->at("answers")) all.push_back(AnswerOf(one_of_them));
    return all;
  }

  // What leaves is made here, of the answers as the ledger keeps them. Whatever goes wrong, they are not lost.
  Result<void> Accompany(const Desk&, Answer& answer) const override {
    std::vector<Answer> all = AnswersIn(answer);
    std::vector<after::Given> given;
    for (std::size_t k = 0; k < all.size(); ++k) given.push_back(GivenOf(all[k], program.inner[k].plan));
    const auto computed = after::Compute(program, given, CancelFlag());
    answer.notes.push_back(
        {NoteKind::kMethod, fmt::format("computed on {} alone, free of charge; the explanation shows the stages",
                                        one() ? "a noisy answer" : fmt::format("{} noisy answers", inner.size()))});
    answer.certificate.claims.emplace_back("AFTER-1");
    json answers = json::array();
    for (std::size_t k = 0; k < all.size(); ++k) {
      json& shown = answers.emplace_back(json{{"question", program.inner[k].sql}, {"columns", all[k].columns}});
      PutRows(all[k].rows, shown["rows"], shown["error_95"]);
    }
    answer.details = JsonValue(json{{"after", {{"statement", program.shown}, {"answers", std::move(answers)}}}});
    answer.columns.clear();
    answer.rows.clear();
    answer.histograms.clear();
    for (const auto& column : program.outer.outputs) answer.columns.push_back(column.name);
    if (!computed) {  // the columns that were asked for, without numbers: nothing else can be taken for them
      answer.rows.emplace_back(answer.columns.size());
      answer.notes.insert(
          answer.notes.begin(),
          {NoteKind::kAccuracy,
           fmt::format("no result: {}. The private question is answered and paid for: ask it by itself, "
                       "or mend what is computed on it, at no cost; the noisy answer is in the details",
                       computed.error().what)});
      return {};
    }
    for (const auto& row : computed->rows) {
      auto& cells = answer.rows.emplace_back();
      for (const after::Cell& cell : row)
        cells.push_back({cell.value, cell.error_95, cell.interval_95, cell.only_noise});
    }
    answer.certificate.claims.emplace_back("AFTER-2");
    AddBarNotes(answer);
    return {};
  }

  void AddBarNotes(Answer& answer) const {
    std::string without;
    bool any = false;
    for (std::size_t k = 0; k < program.outer.outputs.size(); ++k) {
      const auto& column = program.outer.outputs[k];
      const auto has_bar = [&](const auto& row) { return row[k].error_95 || row[k].interval_95; };
      const bool barred = std::any_of(answer.rows.begin(), answer.rows.end(), has_bar);
      any = any || barred;
      if (column.dependence != after::Dependence::kNone && !barred && !answer.rows.empty())
        without += (without.empty() ? "" : ", ") + column.name;
    }
    if (program.outer.by_noise && any)
      answer.notes.push_back({NoteKind::kAccuracy,
                              "noise took part in choosing these rows: their bars hold for all rows that could have "
                              "been chosen at once, with 95 %"});
    if (!without.empty())
      answer.notes.push_back(
          {NoteKind::kAccuracy,
           fmt::format("without an error bar: {}. Only sums, differences, products, quotients by what "
                       "cannot be zero, and simple functions of noisy numbers have one",
                       without)});
  }
};

}  // namespace

Result<std::unique_ptr<Release>> MakeAfterRelease(const QuestionRequest& request, const Price& price,
                                                  const Ground& ground, const Policy& about) {
  auto program = after::PlanProgram(request.sql, about);
  if (!program) return program.error();
  if (!*program) return std::unique_ptr<Release>();
  if (auto works = after::TryOn(**program); !works) return works.error();
  if (price.error_95)
    return Unsupported(
               "an error bar can be asked for what a private question answers; this text computes something else on "
               "noisy answers, and the bar of anything else depends on the answer",
               {},
               "offer an epsilon; or ask the private question by itself with the error bar, and then this: it costs "
               "nothing more")
        .For("price.epsilon");
  const std::size_t questions = (*program)->inner.size();
  Price each = price;
  if (questions > 1) {
    if (!price.split.empty())
      return InvalidArgument("a split is for the statistics of one private question; this text has several", {},
                             "leave the split out: the price is shared in equal parts")
          .For("price.split");
    if (each.epsilon) *each.epsilon /= static_cast<double>(questions);
  }
  auto release = std::make_unique<AfterRelease>();
  release->account = &ground.account;
  for (const after::Inner& inner : (*program)->inner) {
    auto question = MakeRelease(QuestionRequest{inner.sql, request.unit}, each, ground);
    if (!question) return question.error();
    release->inner.push_back(std::move(*question));
  }
  const Release& first = *release->inner.front();
  release->normalised = first.normalised;
  release->charged = first.charged;
  release->priced = first.priced;
  release->covers = first.covers;
  release->level = first.level;
  release->reads = first.reads;
  release->program = std::move(**program);
  release->known.resize(questions);
  if (questions > 1) {
    for (std::size_t k = 1; k < questions; ++k) {
      const Release& next = *release->inner[k];
      release->normalised += "; " + next.normalised;
      release->reads += "\n" + next.reads;
      release->priced.shares.insert(release->priced.shares.end(), next.priced.shares.begin(), next.priced.shares.end());
      release->priced.noise.insert(release->priced.noise.end(), next.priced.noise.begin(), next.priced.noise.end());
      if (next.covers != first.covers) return InternalError("two private questions protect different changes");
    }
    release->priced.laws.clear();
    release->SetPrice();
  }
  return release;
}

}  // namespace kith

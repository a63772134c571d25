#include "release/postprocess_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/call.h"
#include "base/json.h"
#include "kernel/ranks.h"
#include "loss/loss_text.h"
#include "mechanism/noise.h"
#include "policy/dates.h"
#include "postprocess/postprocess.h"
#include "release/answer_json.h"
#include "release/cell_sums.h"
#include "release/question_release.h"

namespace kith {
namespace {

// An answer as what is computed on it needs it: numbers, bars, and the laws of the noise that it says it has.
postprocess::Given GivenOf(const Answer& answer, const Plan& plan) {
  postprocess::Given given;
  for (const auto& row : answer.rows) {
    auto& cells = given.rows.emplace_back();
    for (const AnswerCell& cell : row) cells.push_back({cell.value, cell.error_95, cell.interval_95, cell.only_noise});
  }
  for (const Statistic& statistic : plan.statistics) {
    std::optional<postprocess::Given::Law>& law = given.laws.emplace_back();
    const auto named = [&](const NoiseLine& line) { return line.statistic == statistic.name; };
    const auto& lines = answer.certificate.noise;
    const auto line = std::find_if(lines.begin(), lines.end(), named);
    // One line, and a law whose sums are known: otherwise the bars are all that is used.
    const bool one = line != lines.end() && std::none_of(line + 1, lines.end(), named);
    if (one && line->stratum.empty() && line->law == kDiscreteLaplaceName.id && line->scale > 0 && line->lattice > 0)
      law = postprocess::Given::Law{line->scale, line->lattice};
  }
  return given;
}

Json AnswersToJson(const std::vector<Answer>& answers) {
  Json list = Json::array();
  for (const Answer& answer : answers) list.push_back(AnswerValue(answer));
  return list;
}

// A number for people, who need not see how a computer writes 13147.2.
std::string NumberText(const Value& value) {
  const auto* const real = std::get_if<double>(&value);
  return real ? fmt::format("{:.10g}", *real) : ToText(value);
}

std::string OfStage(std::size_t stage, const std::string& text) { return fmt::format("stage {}: {}", stage, text); }

void NameStage(std::size_t stage, std::vector<NoiseLine>& lines) {
  for (NoiseLine& line : lines) line.statistic = OfStage(stage, line.statistic);
}
void NameStage(std::size_t stage, std::vector<Note>& notes) {
  for (Note& note : notes) note.text = OfStage(stage, note.text);
}
void NameStage(std::size_t stage, Explanation& explanation) {
  NameStage(stage, explanation.plan.notes);
  NameStage(stage, explanation.noise);
  for (AverageError& average : explanation.averages) average.output = OfStage(stage, average.output);
  for (Usefulness& worth : explanation.usefulness) worth.output = OfStage(stage, worth.output);
}

template <class T>
void Append(std::vector<T>& to, std::vector<T> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

struct PostprocessRelease final : Release {
  postprocess::Program program;
  std::vector<std::unique_ptr<Release>> inner;  // one for each private question
  const Accountant* account = nullptr;          // outlives the release
  std::vector<std::optional<Answer>> known;     // answers that the ledger has, if there are several questions
  DataState known_of;                           // the data that they are about

  bool one() const { return inner.size() == 1; }

  // What is charged: for each cell the sum over the questions that are not answered yet.
  void SetPrice() {
    CellSums sums(inner.front()->charged.size());
    for (std::size_t k = 0; k < inner.size(); ++k) {
      if (!known[k]) sums.Add(inner[k]->charged, inner[k]->priced);
    }
    sums.SetPrice(*account, level, charged, priced);
  }

  std::vector<PlainUnits> PureCharges() const override {
    std::vector<PlainUnits> all;
    for (std::size_t k = 0; k < inner.size(); ++k) {
      if (known[k]) continue;
      for (const PlainUnits charge : inner[k]->PureCharges()) all.push_back(charge);
    }
    return all;
  }

  Result<Explanation> Explain(const Totals& so_far) const override {
    auto out = inner.front()->Explain(so_far);
    if (!out) return out;
    if (!one()) NameStage(1, *out);
    for (std::size_t k = 1; k < inner.size(); ++k) {
      auto next = inner[k]->Explain(so_far);
      if (!next) return next;
      NameStage(k + 1, *next);
      Append(out->plan.statistics, std::move(next->plan.statistics));
      Append(out->plan.notes, std::move(next->plan.notes));
      Append(out->noise, std::move(next->noise));
      Append(out->averages, std::move(next->averages));
      Append(out->usefulness, std::move(next->usefulness));
      Append(out->statements, std::move(next->statements));
    }
    if (!one()) out->plan.normalised = normalised;
    std::vector<Note> notes = StageNotes();
    for (std::size_t k = 0; !one() && k < inner.size(); ++k)
      notes[k].text += fmt::format("; plain loss {}", LossText(inner[k]->priced.total.epsilon()));
    if (!program.stages.empty())
      notes.push_back({NoteKind::kMethod,
                       "the price of all stages is one charge before the first; it holds for every number that an "
                       "earlier stage may give"});
    out->plan.notes.insert(out->plan.notes.end(), notes.begin(), notes.end());
    out->stages = Stages();
    return out;
  }

  std::vector<ExplainedStage> Stages() const {
    std::vector<ExplainedStage> stages;
    for (std::size_t k = 0; k < inner.size(); ++k) {
      ExplainedStage& stage = stages.emplace_back();
      stage.question = program.inner[k].shown;
      stage.plain = inner[k]->priced.total.epsilon();
      for (const StageConstant& constant : program.inner[k].constants)
        stage.constants.push_back({program.NumberOf(constant).shown, NumberOfStage(constant),
                                   EndOf(constant, constant.low), EndOf(constant, constant.high)});
    }
    if (!program.as_it_is) stages.push_back({program.shown, std::nullopt});
    return stages;
  }

  // As people count: the private question after which the number is known.
  std::size_t NumberOfStage(const StageConstant& constant) const {
    const postprocess::Stage& stage = program.stages[constant.stage];
    return stage.answer ? *stage.answer + 1 : stage.asked;
  }

  static Value EndOf(const StageConstant& constant, double end) {
    if (constant.type == ColumnType::kDate) return DateText(static_cast<std::int64_t>(end));
    if (constant.type == ColumnType::kInteger) return static_cast<std::int64_t>(end);
    return end;
  }

  std::vector<Note> StageNotes() const {
    std::vector<Note> notes;
    for (std::size_t k = 0; k < inner.size(); ++k) {
      std::string text = fmt::format("stage {}, a private question: {}", k + 1, program.inner[k].shown);
      for (const StageConstant& constant : program.inner[k].constants)
        text += fmt::format(", where {} is a number of stage {}, cut to [{}, {}]", program.NumberOf(constant).shown,
                            NumberOfStage(constant), NumberText(EndOf(constant, constant.low)),
                            NumberText(EndOf(constant, constant.high)));
      notes.push_back({NoteKind::kMethod, std::move(text)});
    }
    if (program.as_it_is) return notes;
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

  // Names of columns are not part of the private questions. For a number that is computed, what is run is: there
  // answers and their columns are numbered, and every name is that of something in the same text.
  std::string StagedText() const {
    std::string text = "in stages";
    for (const auto& question : inner) {
      text += "\n" + (question->key_name.empty() ? question->normalised : question->key_name);
    }
    for (const postprocess::Stage& stage : program.stages)
      text += "\n" + (stage.answer ? fmt::format("answer {}", *stage.answer + 1) : stage.outer.chosen);
    return text;
  }

  std::vector<std::string> OtherKeyTexts(const DataState& data) const override {
    return one() ? inner.front()->OtherKeyTexts(data) : std::vector<std::string>();
  }

  // As that question keeps it: with the statistics from which other answers can be made.
  std::string Kept(const Answer& answer) const override {
    return one() ? inner.front()->Kept(answer) : Release::Kept(answer);
  }

  const Release& Bought() const override { return one() ? inner.front()->Bought() : *this; }

  Result<std::optional<Answer>> FindStored(const Pipeline& pipeline, bool alone) override {
    if (one()) return inner.front()->FindStored(pipeline, alone);
    auto whole = Release::FindStored(pipeline, alone);
    if (!whole || *whole) return whole;
    if (!(known_of == pipeline.data())) {  // imported in the meantime: one answer is about one state of the data
      known.assign(inner.size(), std::nullopt);
      known_of = pipeline.data();
      SetPrice();
    }
    for (std::size_t k = 0; k < inner.size(); ++k) {
      // A question with numbers of others is one only together with these.
      if (known[k] || program.inner[k].staged) continue;
      const std::string& policy = inner[k]->reads.empty() ? pipeline.curator().binding.policy : inner[k]->reads;
      auto stored = StoredAnswerUnder(pipeline.records().KeyOf(inner[k]->KeyText(policy, pipeline.data())), pipeline);
      if (!stored) return stored;
      if (*stored && (*stored)->columns.size() == program.inner[k].columns.size()) known[k] = std::move(**stored);
    }
    if (std::any_of(known.begin(), known.end(), [](const auto& answer) { return !answer; })) {
      SetPrice();
      return std::optional<Answer>();
    }
    Answer answer = Together();
    answer.stored = true;
    SumLosses(answer.certificate);
    return std::optional<Answer>(std::move(answer));
  }

  // Requires: all are known.
  Answer Together() const {
    std::vector<Answer> all;
    for (const auto& answer : known) all.push_back(*answer);
    const auto older = [](const Answer& a, const Answer& b) {
      return a.certificate.ledger_entry < b.certificate.ledger_entry;
    };
    Answer out = *std::max_element(all.begin(), all.end(), older);
    out.columns = all.front().columns;
    out.rows = all.front().rows;
    out.histograms = all.front().histograms;
    out.stored = false;
    std::set<std::string> claims;
    out.certificate.claims.clear();
    out.certificate.noise.clear();
    out.notes.clear();
    std::size_t stage = 0;
    for (const Answer& answer : all) {
      for (const std::string& claim : answer.certificate.claims) {
        if (claims.insert(claim).second) out.certificate.claims.push_back(claim);
      }
      std::vector<NoiseLine> noise = answer.certificate.noise;
      std::vector<Note> notes = answer.notes;
      ++stage;
      NameStage(stage, noise);
      NameStage(stage, notes);
      Append(out.certificate.noise, std::move(noise));
      Append(out.notes, std::move(notes));
    }
    out.details = JsonValue(Json{{"answers", AnswersToJson(all)}});
    return out;
  }

  // Of answers that were paid for one by one.
  void SumLosses(Certificate& certificate) const {
    std::map<std::int64_t, std::pair<double, double>> by_entry;  // an answer can be among them twice
    bool less = false;
    for (const auto& answer : known) {
      const Certificate& of = answer->certificate;
      less = less || of.plain_presence;
      by_entry[of.ledger_entry] = {of.plain_epsilon, of.plain_presence.value_or(of.plain_epsilon)};
    }
    double any = 0, presence = 0;
    for (const auto& [entry, amounts] : by_entry) {
      any += amounts.first;
      presence += amounts.second;
    }
    certificate.plain_epsilon = any;
    certificate.plain_presence = less ? std::optional(presence) : std::nullopt;
  }

  Result<Answer> Compute(Pipeline& pipeline, const Call& call) override {
    if (one()) return inner.front()->Compute(pipeline, call);
    for (std::size_t k = 0; k < inner.size(); ++k) {
      if (known[k]) continue;
      const Stage stage(call, fmt::format("computing stage {} of {}", k + 1, inner.size()));
      if (auto placed = PlaceNumbers(k, call); !placed) return placed.error();
      auto answer = inner[k]->Compute(pipeline, call);
      if (!answer) return answer;
      answer->certificate.noise = inner[k]->priced.noise;  // its laws travel with it
      known[k] = std::move(*answer);
    }
    return Together();
  }

  // Requires: the private questions before are answered.
  Result<void> PlaceNumbers(std::size_t k, const Call& call) {
    const postprocess::Inner& of = program.inner[k];
    if (!of.staged) return {};
    std::vector<postprocess::Given> given;
    for (std::size_t before = 0; before < k; ++before)
      given.push_back(GivenOf(*known[before], program.inner[before].plan));
    std::vector<Value> values;
    for (const StageConstant& constant : of.constants) {
      auto value = postprocess::ValueOf(program, constant, given, call.cancel);
      if (!value) return value.error();
      values.push_back(std::move(value->value));
    }
    auto& question = static_cast<QuestionRelease&>(*inner[k]);  // it is planned as one
    Plan& plan = question.asked.plan;
    const Plan placed = of.staged->At(values);
    TakeStatements(placed, plan);
    if (!question.asked.price.intervals) SetIntervals(plan, false);
    auto checked = CheckPlan(plan, *question.asked.about);
    if (!checked) return checked.error();
    question.checked = std::move(*checked);
    return {};
  }

  // What was used in the questions, with its bar.
  Result<void> AddNumbers(const std::vector<postprocess::Given>& given, Answer& answer, Json& details) const {
    for (const postprocess::Stage& stage : program.stages) {
      for (const auto& number : stage.numbers) {
        const auto value = postprocess::ValueOf(program, number.constant, given, CancelFlag());
        if (!value) return value.error();
        const Value shown =
            number.constant.type == ColumnType::kDate && std::holds_alternative<std::int64_t>(value->value)
                ? Value(DateText(std::get<std::int64_t>(value->value)))
                : value->value;
        std::string text = fmt::format("{} was {}", number.shown, NumberText(shown));
        Json& entry = details.emplace_back(
            Json{{"name", number.shown}, {"stage", NumberOfStage(number.constant)}, {"value", ValueToJson(shown)}});
        if (value->cell.error_95) {
          text += fmt::format(" ± {}", NumberText(*value->cell.error_95));
          entry["error_95"] = *value->cell.error_95;
        } else if (value->cell.interval_95) {
          const Interval& interval = *value->cell.interval_95;
          text += fmt::format(", between {} and {} with 95 %", NumberText(interval.low), NumberText(interval.high));
          entry["interval_95"] = Json::array({ValueToJson(interval.low), ValueToJson(interval.high)});
        }
        text += fmt::format(
            " (a noisy number of stage {}): what was asked with it, and the bar of that, is about this very number",
            NumberOfStage(number.constant));
        answer.notes.push_back({NoteKind::kAccuracy, std::move(text)});
      }
    }
    return {};
  }

  std::vector<Answer> AnswersIn(const Answer& answer) const {
    if (one()) return {answer};
    std::vector<Answer> all;
    for (const Json& one_of_them : answer.details->at("answers")) all.push_back(AnswerOf(one_of_them));
    return all;
  }

  std::set<std::string> UnitTables(const Policy& policy) const override {
    std::set<std::string> tables;
    for (const auto& one_of_them : inner) tables.merge(one_of_them->UnitTables(policy));
    return tables;
  }

  // What leaves is made here, from the answers as the ledger keeps them. Whatever goes wrong, they are not lost.
  Result<void> AddRemarks(const Pipeline&, Answer& answer) const override {
    std::vector<Answer> all = AnswersIn(answer);
    std::vector<postprocess::Given> given;
    for (std::size_t k = 0; k < all.size(); ++k) given.push_back(GivenOf(all[k], program.inner[k].plan));
    // Two spellings of one stored answer have one noise, not two that are independent.
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const std::int64_t entry = all[a].certificate.ledger_entry;
        if (entry == 0 || entry != all[b].certificate.ledger_entry) continue;
        for (const std::size_t k : {a, b}) given[k].laws.assign(given[k].laws.size(), std::nullopt);
      }
    }
    const auto computed = postprocess::Compute(program, given, CancelFlag());
    NameHiddenColumns(answer.notes);
    if (!program.as_it_is)
      answer.notes.push_back(
          {NoteKind::kMethod, fmt::format("computed on {} alone, free of charge; the explanation shows the stages",
                                          one() ? "a noisy answer" : fmt::format("{} noisy answers", inner.size()))});
    Json numbers = Json::array();
    if (auto added = AddNumbers(given, answer, numbers); !added) return added;
    answer.certificate.claims.emplace_back("AFTER-1");
    if (!program.stages.empty()) {
      for (const char* claim : {"STAGE-1", "STAGE-2", "STAGE-3"}) answer.certificate.claims.emplace_back(claim);
    }
    Json answers = Json::array();
    for (std::size_t k = 0; k < all.size(); ++k) {
      Json& shown = answers.emplace_back(Json{{"question", program.inner[k].shown}, {"columns", all[k].columns}});
      PutRows(all[k].rows, shown["rows"], shown["error_95"]);
    }
    Json details = {{"statement", program.shown}, {"answers", std::move(answers)}};
    if (!numbers.empty()) details["numbers"] = std::move(numbers);
    answer.details = JsonValue(Json{{"after", std::move(details)}});
    answer.columns.clear();
    answer.rows.clear();
    answer.histograms.clear();
    for (const auto& column : program.outer.outputs) answer.columns.push_back(column.name);
    if (!computed) {  // the columns that were asked for, without numbers: nothing else can be taken for them
      answer.rows.emplace_back(answer.columns.size());
      answer.notes.insert(answer.notes.begin(),
                          {NoteKind::kAccuracy,
                           fmt::format("no result: {}. The private answer is paid for and is in the details: mend what "
                                       "is computed on it, and ask again at the same price; nothing is charged twice",
                                       computed.error().what)});
      return {};
    }
    for (const auto& row : computed->rows) {
      auto& cells = answer.rows.emplace_back();
      for (const postprocess::Cell& cell : row)
        cells.push_back({cell.value, cell.error_95, cell.interval_95, cell.only_noise});
    }
    answer.certificate.claims.emplace_back("AFTER-2");
    if (!program.outer.drawn.empty()) answer.certificate.claims.emplace_back("AFTER-3");
    AddBarNotes(answer);
    return {};
  }

  void AddBarNotes(Answer& answer) const {
    std::string sums, formulas, functions, others;  // columns without a bar, by what they are
    std::string simulated;
    bool any = false;
    for (std::size_t k = 0; k < program.outer.outputs.size(); ++k) {
      const auto& column = program.outer.outputs[k];
      const auto has_bar = [&](const auto& row) { return row[k].error_95 || row[k].interval_95; };
      const bool barred = std::any_of(answer.rows.begin(), answer.rows.end(), has_bar);
      any = any || barred;
      const bool is_function = column.dependence == postprocess::Dependence::kFunction;
      if (is_function && barred) simulated += (simulated.empty() ? "" : ", ") + column.name;
      if (column.dependence == postprocess::Dependence::kNone || barred || answer.rows.empty()) continue;
      std::string& list = column.dependence == postprocess::Dependence::kLinear       ? sums
                          : column.dependence == postprocess::Dependence::kArithmetic ? formulas
                          : is_function                                               ? functions
                                                                                      : others;
      list += (list.empty() ? "" : ", ") + column.name;
    }
    const auto add = [&](const std::string& text) { answer.notes.push_back({NoteKind::kAccuracy, text}); };
    if (program.outer.by_noise && any)
      add("noise took part in choosing these rows: their bars hold for all rows that could have been chosen at once, "
          "with 95 %");
    if (!simulated.empty())
      add(fmt::format(
          "simulated error bar: {}; the noise was drawn again around the noisy numbers, from its known law; "
          "95 of 100 such results are no further from this one. It is about the noise, as all bars are, and "
          "nearly that of the true numbers where the noise is small beside them; this is not proved",
          simulated));
    if (!functions.empty())
      add(
          fmt::format("without an error bar: {}; the law of some noise in it is not known, or noise drawn again around "
                      "the noisy numbers leaves it undefined or nearly unbounded",
                      functions));
    if (!sums.empty())
      add(fmt::format("without an error bar: {}; the noise of what is added up is not known well enough", sums));
    if (!formulas.empty())
      add(
          fmt::format("without an error bar: {}; within the bars of its parts nothing bounds it (a divisor, or what a "
                      "logarithm or root is taken of, may reach zero)",
                      formulas));
    if (!others.empty())
      add(fmt::format(
          "without an error bar: {}; no bar is known for it: it is not a simple formula of noisy numbers, or noise "
          "chose the rows or their order",
          others));
  }

  // Columns that were added to a private question have names that nobody wrote.
  void NameHiddenColumns(std::vector<Note>& notes) const {
    for (const postprocess::Inner& of : program.inner) {
      for (const auto& column : of.columns) {
        if (!column.name.starts_with("kith_")) continue;
        const std::string hidden = column.name + ": ";
        const std::string name = column.statistic ? of.plan.statistics[*column.statistic].name : "private number";
        for (Note& note : notes) {
          const std::size_t at = note.text.find(hidden);
          if (at == 0 || (at != std::string::npos && note.text.starts_with("stage ")))
            note.text.replace(at, hidden.size(), name + ": ");
        }
      }
    }
  }
};

}  // namespace

Result<std::unique_ptr<Release>> MakePostprocessRelease(const QuestionRequest& request, const Price& price,
                                                        const ReleaseContext& context, const Policy& about) {
  auto program = postprocess::PlanProgram(request.sql, about);
  if (!program) return program.error();
  if (!*program) return std::unique_ptr<Release>();
  if (auto works = postprocess::TryOn(**program); !works) return works.error();
  if (price.error_95)
    return Unsupported(
               "an error bar can be asked for what a private question answers; this text computes something else on "
               "noisy answers, and the bar of anything else depends on the answer",
               {},
               "offer an epsilon (the explanation shows the bars of the private question), or ask the private question "
               "by itself with the error bar")
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
  auto release = std::make_unique<PostprocessRelease>();
  release->account = &context.account;
  for (const postprocess::Inner& inner : (*program)->inner) {
    ReleaseContext with{inner.policy ? *inner.policy : context.policy,
                        context.account,
                        context.engine,
                        context.explains,
                        context.units,
                        context.groups,
                        inner.policy ? nullptr : context.asked,
                        inner.staged ? &*inner.staged : nullptr};
    auto question = MakeRelease(QuestionRequest{inner.sql, request.unit, true}, each, with);
    if (!question) return question.error();
    // The units in groups of public columns are counted by a statement without the numbers.
    if (inner.staged) static_cast<QuestionRelease&>(**question).asked.open.reset();
    release->inner.push_back(std::move(*question));
  }
  const Release& first = *release->inner.front();
  release->normalised = first.normalised;
  release->charged = first.charged;
  release->priced = first.priced;
  release->covers = first.covers;
  release->level = first.level;
  release->reads = first.reads;
  for (const auto& question : release->inner)
    release->lacks_intervals = release->lacks_intervals || question->lacks_intervals;
  release->program = std::move(**program);
  release->known.resize(questions);
  if (questions > 1) {
    NameStage(1, release->priced.noise);
    for (std::size_t k = 1; k < questions; ++k) {
      const Release& next = *release->inner[k];
      release->normalised += "; " + next.normalised;
      release->reads += "\n" + next.reads;
      release->priced.shares.insert(release->priced.shares.end(), next.priced.shares.begin(), next.priced.shares.end());
      std::vector<NoiseLine> noise = next.priced.noise;
      NameStage(k + 1, noise);
      Append(release->priced.noise, std::move(noise));
      if (next.covers != first.covers) return InternalError("two private questions protect different changes");
    }
    release->priced.laws.clear();
    release->SetPrice();
    if (!release->program.stages.empty()) release->key_name = release->StagedText();
  } else {
    // The ledger has that question's answer, under its own key; anybody who asks it finds it.
    release->key_name = first.key_name;
  }
  return release;
}

}  // namespace kith

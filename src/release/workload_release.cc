// A workload on its way out: its measured tables and the questions that stay by themselves are handled like all
// questions, in one charge and about one state of the data; what is asked of the tables is computed at the end. Its
// answer itself has no rows: details have `plan`, with the answers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "query/output/output.h"
#include "release/answer_json.h"
#include "release/average_error.h"
#include "release/cell_sums.h"
#include "release/cells_json.h"
#include "release/compose_answer.h"
#include "release/free_answer.h"
#include "release/levels.h"
#include "release/plan_tables.h"
#include "release/question_release.h"
#include "release/workload_plan.h"

namespace kith {
namespace {

constexpr double kDecimals = 1000;  // estimates are shown as multiples of 1/1000
constexpr std::size_t kMostText = 4000;
constexpr std::size_t kMostKept = 65536;  // noisy numbers of questions that stay by themselves, for later ones

double Rounded(double value) { return std::round(value * kDecimals) / kDecimals; }

struct WorkloadRelease final : Release {
  WorkloadPlan plan;

  // The sum over all that is measured or asked, cell by cell.
  void SetPrice(const Accountant& account, std::size_t cells) {
    CellSums sums(cells);
    for (const auto& release : plan.releases) sums.Add(release->charged, release->priced);
    sums.SetPrice(account, level, charged, priced);
  }

  std::vector<PlainUnits> PureCharges() const override {
    std::vector<PlainUnits> all;
    for (const auto& release : plan.releases) {
      for (const PlainUnits charge : release->PureCharges()) all.push_back(charge);
    }
    return all;
  }

  std::string NameOf(std::size_t release) const {
    for (const WorkloadGroup& group : plan.groups) {
      for (std::size_t m = 0; m < group.releases.size(); ++m) {
        if (group.releases[m] == release) return "rows by " + group.view.NameOf(group.measured[m].levels);
      }
    }
    for (std::size_t q = 0; q < plan.questions.size(); ++q) {
      if (plan.questions[q].own == release) return fmt::format("question {}", q + 1);
    }
    return {};
  }

  void SetNoise() {
    for (std::size_t k = 0; k < plan.releases.size(); ++k) {
      const Priced& of = plan.releases[k]->priced;
      priced.shares.insert(priced.shares.end(), of.shares.begin(), of.shares.end());
      for (const PricedStratum& stratum : of.strata)
        priced.shares.insert(priced.shares.end(), stratum.priced.shares.begin(), stratum.priced.shares.end());
      for (NoiseLine line : of.noise) {
        line.statistic = fmt::format("{}: {}", NameOf(k), line.statistic);
        priced.noise.push_back(std::move(line));
      }
    }
  }

  Result<void> Prepare() override {
    for (const auto& release : plan.releases) {
      if (auto ready = release->Prepare(); !ready) return ready;
    }
    return {};
  }

  Json QuestionJson(std::size_t q) const {
    const WorkloadQuestion& asked = plan.questions[q];
    const WorkloadQuestion& question = asked.same_as ? plan.questions[*asked.same_as] : asked;
    Json out = {{"question", asked.entry.sql},
                {"line", asked.entry.line},
                {"from", question.group ? "tables" : "itself"},
                {"epsilon", asked.same_as || question.IsFree() ? 0 : question.epsilon}};
    if (asked.same_as) out["same_as"] = *asked.same_as + 1;
    if (question.planned) out["rows"] = question.planned->plan.shown_groups();
    if (question.error_95) out["error_95"] = NumberToJson(*question.error_95);
    if (question.alone_95) out["alone_95"] = NumberToJson(*question.alone_95);
    if (question.own && !question.error_95) PutBars(*plan.releases[*question.own], out);
    return out;
  }

  // For what is not an ordinary count or sum: the bars that an explanation of the question by itself shows.
  static void PutBars(const Release& release, Json& out) {
    const auto add = [&](const char* field, Json line, const std::string& stratum) {
      if (!stratum.empty()) line["stratum"] = stratum;
      out[field].push_back(std::move(line));
    };
    const auto averages = [&](const Plan& of, const Priced& priced, const std::string& stratum) {
      for (const AverageError& line : AverageErrors(of, priced)) {
        Json by_rows = Json::array();
        for (const auto& at : line.at) by_rows.push_back({{"rows", at.rows}, {"error_95", NumberToJson(at.error_95)}});
        add("averages", {{"output", line.output}, {"by_rows", std::move(by_rows)}}, stratum);
      }
    };
    if (const QuestionRelease* question = release.AsQuestion()) {
      if (question->priced.strata.empty()) averages(question->asked.plan, question->priced, {});
      for (const PricedStratum& stratum : question->priced.strata)
        averages(question->asked.plan, stratum.priced, stratum.name);
    }
    for (const NoiseLine& line : release.priced.noise) {
      if (out.contains("averages") && !line.in_rows) continue;  // it says more than those of its parts
      add("statistics",
          {{"name", line.statistic}, {"error_95", NumberToJson(line.error_95)}, {"in_rows", line.in_rows}},
          line.stratum);
    }
  }

  Json PlanJson() const {
    Json tables = Json::array(), questions = Json::array();
    for (const WorkloadGroup& group : plan.groups) {
      for (std::size_t m = 0; m < group.releases.size(); ++m) {
        const Release& release = *plan.releases[group.releases[m]];
        Json& table = tables.emplace_back(Json{{"by", group.view.NameOf(group.measured[m].levels)},
                                               {"question", group.view.SqlOf(group.measured[m].levels)},
                                               {"cells", group.view.CellsOf(group.measured[m].levels)},
                                               {"plain_units", release.priced.total.count()},
                                               {"plain_epsilon", release.priced.total.epsilon()}});
        const NoiseLine& line = release.priced.noise.front();
        table["scale"] = NumberToJson(line.scale);
        table["error_95"] = NumberToJson(line.error_95);
      }
    }
    for (std::size_t q = 0; q < plan.questions.size(); ++q) questions.push_back(QuestionJson(q));
    return Json{{"questions", std::move(questions)}, {"tables", std::move(tables)}};
  }

  Result<Explanation> Explain(const Totals&) const override {
    Explanation out;
    out.plan.normalised = normalised;
    out.plan.charged = charged;
    out.noise = priced.noise;
    for (const auto& release : plan.releases) {
      const QuestionRelease* question = release->AsQuestion();
      // As many statistics as lines of noise.
      for (const NoiseLine& line : release->priced.noise)
        out.plan.statistics.push_back({line.statistic, Lattice(), Sensitivities::None(), {}});
      if (!question) continue;
      out.statements.push_back(question->asked.plan.statement);
      for (const Statistic& statistic : question->asked.plan.statistics) {
        if (statistic.quantile) out.statements.push_back(statistic.quantile->statement);
      }
    }
    out.plan.notes = Notes();
    out.details = JsonValue(Json{{"plan", PlanJson()}});
    return out;
  }

  std::vector<Note> Notes() const {
    std::size_t shared = 0;
    for (const WorkloadQuestion& question : plan.questions) shared += question.group ? 1 : 0;
    std::vector<Note> notes;
    if (shared > 0)
      notes.push_back({NoteKind::kMethod,
                       fmt::format("{} questions are answered from measured tables, by least squares: their answers "
                                   "agree with each other, and are shown to a thousandth",
                                   shared)});
    return notes;
  }

  Result<Answer> Compute(Pipeline& pipeline, const Call& call) override {
    Json counts = Json::array(), answers = Json::array(), own_parts = Json::array();
    std::size_t kept = 0;
    std::set<std::size_t> measured;
    Answer out;
    std::set<std::string> claims;
    const auto claim = [&](const std::vector<std::string>& all) {
      for (const std::string& one : all) {
        if (claims.insert(one).second) out.certificate.claims.push_back(one);
      }
    };
    for (const WorkloadGroup& group : plan.groups) measured.insert(group.releases.begin(), group.releases.end());
    for (std::size_t k = 0; k < plan.releases.size(); ++k) {
      if (!measured.contains(k)) {
        auto answer = plan.releases[k]->Compute(pipeline, call);
        if (!answer) return answer;
        answer->certificate.noise = plan.releases[k]->priced.noise;  // its laws travel with it
        claim(answer->certificate.claims);
        answers.push_back(AnswerValue(*answer));
        counts.push_back(Json::array());
        const QuestionRelease* question = plan.releases[k]->AsQuestion();
        const std::size_t numbers =
            question ? question->asked.plan.groups() * question->asked.plan.statistics.size() : 0;
        if (!question || kept + numbers > kMostKept) continue;
        if (auto part = PartOfPlan(*question, pipeline.records(), pipeline.data())) {
          own_parts.push_back(std::move(*part));
          kept += numbers;
        }
        continue;
      }
      const QuestionRelease& question = *plan.releases[k]->AsQuestion();
      const auto noisy = question.Noisy(pipeline);
      if (!noisy) return noisy.error();
      Json& of_groups = counts.emplace_back(Json::array());
      for (const auto& one : *noisy) of_groups.push_back(static_cast<double>(one.front()));
      answers.push_back(nullptr);
      std::vector<std::string> own;
      AddPlanClaims(question.priced.laws, own);
      AddClaims(question.priced.laws, own);
      if (question.priced.presence) own.insert(own.end(), {"ADDREM-1", "ADDREM-3"});
      claim(own);
    }
    claim({"WORKLOAD-1", "WORKLOAD-2"});
    if (!plan.groups.empty()) claim({"WORKLOAD-3", "WORKLOAD-4"});
    out.notes = Notes();
    out.details = JsonValue(Json{{"counts", std::move(counts)},
                                 {"answers", std::move(answers)},
                                 {"own", std::move(own_parts)},
                                 {"measured", TablesToJson(plan, pipeline.records(), pipeline.data())}});
    return out;
  }

  // Counts of each measured table of a group, in the order of its cells.
  static std::vector<std::vector<double>> CountsOf(const WorkloadGroup& group, const Json& kept) {
    std::vector<std::vector<double>> counts;
    for (std::size_t m = 0; m < group.releases.size(); ++m) {
      auto& cells = counts.emplace_back(group.view.CellsOf(group.measured[m].levels), 0.0);
      const Json& noisy = kept.at(group.releases[m]);
      for (std::size_t g = 0; g < group.places[m].size(); ++g) cells[group.places[m][g]] = noisy.at(g);
    }
    return counts;
  }

  // The rows of a question that measured tables answer.
  Json FromTables(const WorkloadQuestion& question, const WorkloadGroup& group,
                  const std::vector<std::vector<double>>& counts, workload::LeastSquares& answers,
                  std::map<std::vector<std::vector<double>>, double>& bars) const {
    const Plan& of = question.planned->plan;
    const workload::TableQuestion& table = *question.table;
    std::vector<std::vector<double>> values;
    for (const workload::Sum& sum : table.statistics) values.push_back(answers.Estimates(sum, counts));
    std::vector<std::vector<AnswerCell>> rows;
    for (const std::size_t g : ShownOrder(of)) {
      if (!of.impossible.empty() && of.impossible[g]) continue;
      const auto keys = of.ShownKeys(g);
      auto& row = rows.emplace_back();
      for (const OutputColumn& column : of.outputs) {
        if (const auto key = column.expr->Key()) {
          row.push_back({keys[*key], std::nullopt});
          continue;
        }
        const std::size_t k = *column.expr->Statistic();
        const workload::Sum& sum = table.statistics[k];
        std::size_t at = 0;
        std::vector<std::size_t> sides;
        for (const workload::Side& side : sum.sides) {
          sides.push_back(table.RowOf(side, g));
          at = at * side.rows.size() + sides.back();
        }
        row.push_back({Rounded(values[k][at]), BarOfRow(sum, sides, group, answers, bars)});
      }
    }
    OrderAndCut(of, rows);
    Json out;
    out["columns"] = Json::array();
    for (const OutputColumn& column : of.outputs) out["columns"].push_back(column.name);
    PutCells(rows, out);
    return out;
  }

  // Rows that are alike have one bar: those whose noises have the same weights.
  double BarOfRow(const workload::Sum& sum, const std::vector<std::size_t>& sides, const WorkloadGroup& group,
                  workload::LeastSquares& answers, std::map<std::vector<std::vector<double>>, double>& bars) const {
    std::vector<std::vector<double>> weights;
    const auto parts = answers.Parts(sum, sides);
    for (const workload::Part& part : parts)
      weights.push_back({static_cast<double>(part.table), std::round(std::fabs(part.weight) * 1e9), part.cells});
    const auto found = bars.find(weights);
    if (found != bars.end()) return found->second;
    const double bar = BarOf(parts, group, plan.releases) + 0.5 / kDecimals;  // and the rounding of what is shown
    return bars.emplace(std::move(weights), bar).first->second;
  }

  std::set<std::string> UnitTables(const Policy& policy) const override {
    std::set<std::string> tables;
    for (const auto& release : plan.releases) tables.merge(release->UnitTables(policy));
    return tables;
  }

  // What leaves is made here, from the noisy counts as the ledger keeps them.
  Result<void> AddRemarks(const Pipeline& pipeline, Answer& answer) const override {
    const Json counts = answer.details->at("counts"), kept = answer.details->at("answers");
    std::vector<Json> found(plan.questions.size());
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
      const WorkloadGroup& group = plan.groups[g];
      std::vector<workload::Chain> chains;
      for (const workload::Attribute& attribute : group.view.attributes) chains.push_back(attribute.chain);
      workload::LeastSquares answers(chains, group.measured);
      const auto cells = CountsOf(group, counts);
      std::map<std::vector<std::vector<double>>, double> bars;
      for (const std::size_t q : group.members) found[q] = FromTables(plan.questions[q], group, cells, answers, bars);
    }
    Json all = Json::array();
    for (std::size_t q = 0; q < plan.questions.size(); ++q) {
      const WorkloadQuestion& question = plan.questions[q];
      if (question.own) {
        Answer own = AnswerOf(kept.at(*question.own));
        if (auto said = plan.releases[*question.own]->AddRemarks(pipeline, own); !said) return said;
        auto& claims = answer.certificate.claims;
        for (const std::string& claim : own.certificate.claims) {
          if (std::find(claims.begin(), claims.end(), claim) == claims.end()) claims.push_back(claim);
        }
        found[q] = Json{{"columns", own.columns}};
        PutCells(own.rows, found[q]);
        PutNotes(own.notes, found[q]);
      }
      Json shown = question.same_as ? found[*question.same_as] : found[q];
      shown["question"] = question.entry.sql;
      shown["line"] = question.entry.line;
      all.push_back(std::move(shown));
    }
    answer.details = JsonValue(Json{{"plan", {{"answers", std::move(all)}, {"tables", PlanJson().at("tables")}}}});
    return {};
  }
};

}  // namespace

Result<std::unique_ptr<Release>> MakeRelease(const WorkloadRequest& request, const Price& price,
                                             const ReleaseContext& context) {
  auto plan = PlanWorkload(request, price, context);
  if (!plan) return plan.error();
  auto release = std::make_unique<WorkloadRelease>();
  release->plan = std::move(*plan);
  release->level = request.unit;
  release->covers = release->plan.releases.front()->covers;
  std::set<std::string> reads;
  std::string measured;
  for (const auto& inner : release->plan.releases) {
    if (inner->covers != release->covers) return InternalError("two questions of a plan protect different changes");
    reads.insert(inner->reads);
    measured += inner->normalised + (inner->lacks_intervals ? " without intervals" : "") + ";\n";
  }
  for (const std::string& one : reads) release->reads += one + "\n";
  std::string asked;
  for (const WorkloadQuestion& question : release->plan.questions)
    asked += (question.planned ? question.planned->plan.normalised : question.entry.sql) + "; ";
  const std::size_t questions = release->plan.questions.size();
  release->normalised = fmt::format("plan of {} questions: {}\nmeasured: {}", questions, asked, measured);
  if (release->normalised.size() > kMostText) {
    release->key_name = std::move(release->normalised);
    release->normalised = fmt::format("plan of {} questions, digest {}; measured: {:.{}}", questions,
                                      Sha256(release->key_name), measured, kMostText);
  }
  release->SetPrice(context.account, context.policy.cells.size());
  release->SetNoise();
  return release;
}

}  // namespace kith

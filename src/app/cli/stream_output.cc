#include "app/cli/stream_output.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/answer_output.h"
#include "app/cli/text.h"
#include "app/cli/unproven.h"
#include "base/json.h"
#include "loss/loss_text.h"
#include "release/stream/stream_text.h"
#include "report/chart.h"
#include "report/page.h"

namespace kith::cli {
namespace {

nlohmann::json StreamValueJson(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

std::optional<double> StreamNumber(const AnswerCell& cell) {
  if (const auto* real = std::get_if<double>(&cell.value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&cell.value)) return static_cast<double>(*whole);
  return std::nullopt;
}

std::string StreamCellWords(const AnswerCell& cell) {
  const auto real = StreamNumber(cell);
  if (!real || !cell.error_95) return ToText(cell.value);
  return fmt::format("{} ± {}", WithError(*real, *cell.error_95), WithError(*cell.error_95, *cell.error_95));
}

std::string StayWords(const StreamGuarantee& g) {
  return g.single_states
             ? fmt::format(
                   "a unit's state at one step: dependent loss {}; plain loss {} for each step, {} for a stay of "
                   "{} steps",
                   LossText(g.dependent), LossText(g.plain_step), LossText(g.plain), g.window)
             : fmt::format(
                   "a unit present for at most {} consecutive steps: plain loss {}, dependent loss {}, however long "
                   "the stream runs under this policy",
                   g.window, LossText(g.plain), LossText(g.dependent));
}

std::string LongerWords(const StreamGuarantee& g) {
  std::string text;
  for (const auto& stay : g.longer) {
    text += fmt::format("{}{} windows: plain {}, dependent {}", text.empty() ? "" : "; ", stay.windows,
                        LossText(stay.plain), LossText(stay.dependent));
  }
  return text + "; every return counts as a stay of its own";
}

}  // namespace

void PrintGuarantee(const StreamRelease& stream, const Policy& policy) {
  const std::size_t width = TerminalWidth();
  const StreamGuarantee& g = stream.guarantee();
  fmt::print("{}{}{}", Warnings(g), Labelled("stream", stream.normalised(), width),
             Labelled("guarantee", StayWords(g), width));
  fmt::print("{}", Labelled("this stream",
                            fmt::format("at most {} of plain loss in {}, of {} for all streams of the policy",
                                        LossText(g.plain_stream), g.single_states ? "one step" : "one window",
                                        LeftText(g.allowed)),
                            width));
  fmt::print("{}{}{}{}", Labelled("bound", g.bound, width), AuditLine(g, width),
             Labelled("adversary", g.adversary, width), Labelled("assumption", g.assumes, width));
  fmt::print("{}{}", Labelled("secret", g.neighbours, width), Labelled("longer", LongerWords(g), width));
  for (const auto& note : g.notes) fmt::print("{}", Labelled("note", note.text, width));
  fmt::print("{}\n", Labelled("steps", fmt::format("step 0 begins at {}", policy.stream->StepText(0)), width));
}

std::string GuaranteeJson(const StreamRelease& stream, const Policy& policy) {
  const StreamGuarantee& g = stream.guarantee();
  nlohmann::json longer = nlohmann::json::array();
  for (const auto& stay : g.longer)
    longer.push_back({{"windows", stay.windows}, {"plain", stay.plain}, {"dependent", stay.dependent}});
  nlohmann::json out = {{"stream", stream.normalised()},
                        {"columns", stream.columns()},
                        {"step_0", policy.stream->StepText(0)},
                        {"guarantee",
                         {{"window", g.window},
                          {"about", g.single_states ? "a unit's state at one step" : "a unit's whole stay"},
                          {"plain", g.plain},
                          {"plain_step", g.plain_step},
                          {"allowed", g.allowed},
                          {"exceeded", g.exceeded},
                          {"plain_stream", g.plain_stream},
                          {"dependent", g.dependent},
                          {"transfer", g.bound},
                          {"adversary", g.adversary},
                          {"assumes", g.assumes},
                          {"neighbours", g.neighbours},
                          {"longer", longer},
                          {"claims", g.claims}}}};
  PutNotes(g.notes, out["guarantee"]);
  if (!g.unproven.empty()) out["guarantee"]["unproven"] = g.unproven;
  if (g.audit) {
    out["guarantee"]["audit"] = {{"dependent", g.audit->dependent}, {"exact", g.audit->exact}, {"of", g.audit->of}};
  }
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string StepLine(const StreamRelease& stream, const Answer& step) {
  const std::string head =
      fmt::format("{:>6}  {}  {:8}", step.step->tick, step.step->time, StateName(step.step->state));
  if (step.rows.empty()) return head + "\n";
  std::string text;
  for (const auto& row : step.rows) {
    std::string cells;
    for (std::size_t k = 0; k < row.size(); ++k)
      cells += fmt::format("  {} = {}", stream.columns()[k], StreamCellWords(row[k]));
    text += head + cells + "\n";
  }
  return text;
}

std::string StepJson(const StreamRelease&, const Answer& step) {
  nlohmann::json rows = nlohmann::json::array(), errors = nlohmann::json::array();
  for (const auto& row : step.rows) {
    nlohmann::json values = nlohmann::json::array(), bars = nlohmann::json::array();
    for (const AnswerCell& cell : row) {
      values.push_back(StreamValueJson(cell.value));
      bars.push_back(cell.error_95 ? nlohmann::json(*cell.error_95) : nlohmann::json());
    }
    rows.push_back(std::move(values));
    errors.push_back(std::move(bars));
  }
  const nlohmann::json out = {{"step", step.step->tick},
                              {"time", step.step->time},
                              {"state", StateName(step.step->state)},
                              {"rows", rows},
                              {"error_95", errors},
                              {"plain_epsilon", step.step->charged.epsilon()},
                              {"window_spent", step.step->window_spent.epsilon()},
                              {"ledger_entry", step.certificate.ledger_entry},
                              {"ledger_head", step.certificate.ledger_head},
                              {"stored", step.stored}};
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string StepCsvHeader(const StreamRelease& stream) {
  std::string text = "step,time,state";
  for (const auto& column : stream.columns()) text += "," + CsvText(column) + "," + CsvText(column + "_error_95");
  return text + ",plain_epsilon,window_spent,ledger_entry\n";
}

std::string StepCsv(const Answer& step) {
  const std::string head = fmt::format("{},{},{}", step.step->tick, step.step->time, StateName(step.step->state));
  const std::string tail = fmt::format(",{},{},{}\n", step.step->charged.epsilon(), step.step->window_spent.epsilon(),
                                       step.certificate.ledger_entry);
  std::string text;
  for (const auto& row : step.rows) {
    text += head;
    for (const AnswerCell& cell : row) {
      text += "," + (std::holds_alternative<Null>(cell.value) ? "" : CsvText(ToText(cell.value))) + ",";
      if (cell.error_95) text += fmt::format("{}", *cell.error_95);
    }
    text += tail;
  }
  return text;
}

namespace {

// The columns that have an error bar in some row: the others are keys.
std::vector<bool> StreamNoisyColumns(const std::vector<Answer>& steps, std::size_t columns) {
  std::vector<bool> noisy(columns, false);
  for (const Answer& step : steps) {
    for (const auto& row : step.rows) {
      for (std::size_t k = 0; k < row.size(); ++k) noisy[k] = noisy[k] || row[k].error_95.has_value();
    }
  }
  return noisy;
}

// A line for each group, of one column: at most a handful, the first ones.
std::vector<report::Series> StreamSeries(const std::vector<Answer>& steps, const std::vector<bool>& noisy,
                                         std::size_t column) {
  constexpr std::size_t kMost = 6;
  std::vector<report::Series> series;
  std::map<std::string, std::size_t> known;
  for (const Answer& step : steps) {
    for (const auto& row : step.rows) {
      std::string name;
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (!noisy[k]) name += (name.empty() ? "" : ", ") + ToText(row[k].value);
      }
      const auto value = StreamNumber(row[column]);
      if (!value) continue;
      const auto [at, is_new] = known.try_emplace(name, series.size());
      if (is_new && series.size() == kMost) {
        known.erase(at);
        continue;
      }
      if (is_new) series.push_back({name.empty() ? "released" : name, {}, {}, {}, {}, false});
      report::Series& line = series[at->second];
      const double bar = row[column].error_95.value_or(0);
      line.x.push_back(static_cast<double>(step.step->tick));
      line.y.push_back(*value);
      line.low.push_back(*value - bar);
      line.high.push_back(*value + bar);
    }
  }
  return series;
}

std::vector<std::string> StreamCharts(const StreamRelease& stream, const std::vector<Answer>& steps) {
  std::vector<std::string> charts;
  const auto noisy = StreamNoisyColumns(steps, stream.columns().size());
  for (std::size_t k = 0; k < noisy.size(); ++k) {
    auto series = noisy[k] ? StreamSeries(steps, noisy, k) : std::vector<report::Series>();
    if (series.empty()) continue;
    if (series.size() == 1) series[0].strong = true;
    charts.push_back(
        report::Svg(report::LineChart{stream.columns()[k], "step", "with noise", false, false, std::move(series)}));
  }
  return charts;
}

report::Section StreamBudgetSection(const StreamRelease& stream, const std::vector<Answer>& steps) {
  const StreamGuarantee& g = stream.guarantee();
  report::Section section{"What was spent", {}, {}, {}};
  report::Series spent{"largest window with this step", {}, {}, {}, {}, true}, each{"this step", {}, {}, {}, {}, false};
  report::Series limit{"allowed", {}, {}, {}, {}, false};
  for (const Answer& step : steps) {
    const auto tick = static_cast<double>(step.step->tick);
    spent.x.push_back(tick);
    spent.y.push_back(step.step->window_spent.epsilon());
    each.x.push_back(tick);
    each.y.push_back(step.step->charged.epsilon());
    limit.x.push_back(tick);
    limit.y.push_back(g.allowed);
  }
  section.svgs.push_back(report::Svg(
      report::LineChart{"Plain loss", "step", "plain loss", false, false, {spent, each, limit}, [](double loss) {
                          return LossText(loss);
                        }}));
  report::Table longer{"Units that stay longer than the policy says", {"windows", "plain loss", "dependent loss"}, {}};
  longer.rows.push_back({"1", LossText(g.plain), LossText(g.dependent)});
  for (const auto& stay : g.longer)
    longer.rows.push_back({fmt::format("{}", stay.windows), LossText(stay.plain), LossText(stay.dependent)});
  section.tables.push_back(std::move(longer));
  return section;
}

}  // namespace

std::string StreamPage(const StreamRelease& stream, const Policy& policy, const std::vector<Answer>& steps,
                       const std::string& command) {
  const StreamGuarantee& g = stream.guarantee();
  report::Page page;
  page.title = "A stream, step by step";
  page.question = stream.normalised();
  for (const std::string& label : {g.one_sided, g.unproven}) page.verdict += label + (label.empty() ? "" : " ");
  page.verdict += StayWords(g);
  page.tone = g.exceeded || !g.unproven.empty() ? report::Page::Tone::kWarning : report::Page::Tone::kGood;
  std::map<StepState, std::size_t> count;
  for (const Answer& step : steps) ++count[step.step->state];
  report::Section released{"What was released", {}, {}, {}};
  released.paragraphs.push_back(
      fmt::format("{} steps: {} released, {} repeated, {} skipped, {} lost. Step 0 begins at {}. The shaded band is "
                  "the 95 % error bar of "
                  "the noise; repeated numbers keep the bar that they were released with.",
                  steps.size(), count[StepState::kReleased], count[StepState::kRepeated], count[StepState::kSkipped],
                  count[StepState::kLost], policy.stream->StepText(0)));
  released.svgs = StreamCharts(stream, steps);
  page.sections = {std::move(released), StreamBudgetSection(stream, steps)};
  page.assumptions = {g.assumes, "secret: " + g.neighbours, "against: " + g.adversary,
                      fmt::format("nobody is present in more than {} consecutive steps; longer stays lose what the "
                                  "table says, and every return counts again",
                                  g.window)};
  for (const Note& note : g.notes) page.assumptions.push_back(note.text);
  page.reproduce = {command};
  return report::Html(page);
}

std::string StreamPicture(const StreamRelease& stream, const std::vector<Answer>& steps) {
  const auto charts = StreamCharts(stream, steps);
  return charts.empty() ? report::Svg(report::LineChart{"Nothing was released", "step", "", false, false, {}})
                        : charts[0];
}

Result<StepFormat> FormatFor(const std::string& path, const StreamRelease& stream, const Policy& policy) {
  StepFormat format;
  if (path.ends_with(".csv")) {
    format.head = StepCsvHeader(stream);
    format.same_head = true;
    format.lines = [&stream](const Answer& step) {
      if (!step.rows.empty()) return StepCsv(step);
      Answer empty = step;
      empty.rows = {std::vector<AnswerCell>(stream.columns().size(), AnswerCell{Null{}, std::nullopt})};
      return StepCsv(empty);
    };
    format.tick_of = [](const std::string& line) -> std::optional<std::int64_t> {
      return std::strtoll(line.c_str(), nullptr, 10);
    };
    return format;
  }
  if (!path.ends_with(".jsonl"))
    return InvalidArgument("the output is neither CSV nor JSON lines", path, "let its name end in .csv or .jsonl");
  format.head = GuaranteeJson(stream, policy) + "\n";
  format.lines = [&stream](const Answer& step) { return StepJson(stream, step); };
  format.tick_of = [](const std::string& line) -> std::optional<std::int64_t> {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer()) return std::nullopt;
    return json["step"];
  };
  return format;
}

}  // namespace kith::cli

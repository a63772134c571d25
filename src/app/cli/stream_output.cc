#include "app/cli/stream_output.h"

#include <fmt/format.h>

#include <map>

#include "app/cli/text.h"
#include "app/cli/unproven.h"
#include "document/csv.h"
#include "document/json_line.h"
#include "document/words.h"
#include "loss/loss_text.h"
#include "release/stream/stream_text.h"
#include "report/chart.h"
#include "report/page.h"

namespace kith::cli {
namespace {

std::string CellWords(const AnswerCell& cell) {
  const auto real = NumberIn(cell.value);
  if (!real || !cell.error_95) return ToText(cell.value);
  return fmt::format("{} ± {}", WithError(*real, *cell.error_95), WithError(*cell.error_95, *cell.error_95));
}

}  // namespace

std::string StreamHeadText(const document::StreamHead& head, std::size_t width) {
  const StreamGuarantee& g = head.guarantee;
  std::string text = Warnings(g, width);
  const auto line = [&](const char* label, const std::string& words) { text += Labelled(label, words, width); };
  line("stream", head.stream);
  line("guarantee", document::StayText(g));
  line("by this",
       fmt::format("at most {} of plain loss in {}, of {} for all streams of the policy", LossText(g.plain_stream),
                   g.single_states ? "one step" : "one window", LeftText(g.allowed)));
  if (!g.moves.empty()) {
    line("one step", fmt::format("at most {} by this stream", LossText(g.plain_own_step)));
    line("moves", g.moves);
  }
  line("bound", g.bound);
  text += AuditLine(g, width);
  line("adversary", g.adversary);
  line("assumption", g.assumption);
  line("secret", g.neighbours);
  line("longer", document::LongerText(g));
  for (const auto& note : g.notes) line("note", note.text);
  line("steps", fmt::format("step 0 begins at {}", head.step_0));
  return text + "\n";
}

std::string StreamHeadJson(const document::StreamHead& head) { return document::JsonLine(head); }

std::string StepText(const std::vector<std::string>& columns, const Answer& step) {
  const std::string head =
      fmt::format("{:>6}  {}  {:8}", step.step->tick, step.step->time, StateName(step.step->state));
  if (step.rows.empty()) return head + "\n";
  std::string text;
  for (const auto& row : step.rows) {
    text += head;
    for (std::size_t k = 0; k < row.size(); ++k) text += fmt::format("  {} = {}", columns[k], CellWords(row[k]));
    text += "\n";
  }
  return text;
}

std::string StepJson(const Answer& step) { return document::StepJsonLine(step); }

namespace {

// The columns that have an error bar in some row: the others are keys.
std::vector<bool> NoisyColumns(const std::vector<Answer>& steps, std::size_t columns) {
  std::vector<bool> noisy(columns, false);
  for (const Answer& step : steps) {
    for (const auto& row : step.rows) {
      for (std::size_t k = 0; k < row.size(); ++k) noisy[k] = noisy[k] || row[k].error_95.has_value();
    }
  }
  return noisy;
}

// A line for each group, of one column: at most a handful, the first ones.
std::vector<report::Series> SeriesOf(const std::vector<Answer>& steps, const std::vector<bool>& noisy,
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
      const auto value = NumberIn(row[column].value);
      if (!value) continue;
      const auto [at, is_new] = known.try_emplace(name, series.size());
      if (is_new && series.size() == kMost) {
        known.erase(at);
        continue;
      }
      if (is_new) series.push_back({name, {}, {}, {}, {}, false});
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

// The beginning of a few steps, as times. What they have in common at the beginning is said once, in the label.
struct TimeAxis {
  std::string label = "step";
  std::vector<std::pair<double, std::string>> ticks;
};

TimeAxis TimesOf(const Policy& policy, const std::vector<Answer>& steps) {
  TimeAxis axis;
  if (steps.empty() || policy.stream->type == ColumnType::kInteger) return axis;
  const std::int64_t first = steps.front().step->tick, last = steps.back().step->tick;
  constexpr std::int64_t kMost = 6;
  std::int64_t stride = std::max<std::int64_t>(1, (last - first + kMost - 1) / kMost), begin = first;
  // Over several days, the beginning of days.
  const std::int64_t day = policy.stream->type == ColumnType::kDate ? 1 : 86'400'000'000;
  if (day % policy.stream->step == 0 && stride > day / policy.stream->step / 2 && policy.stream->start % day == 0) {
    const std::int64_t in_day = day / policy.stream->step;
    stride = (stride + in_day - 1) / in_day * in_day;
    begin = (first + in_day - 1) / in_day * in_day;
  }
  std::vector<std::pair<std::int64_t, std::string>> times;
  for (std::int64_t tick = begin; tick <= last; tick += stride) times.emplace_back(tick, policy.stream->StepText(tick));
  if (times.empty()) return axis;
  constexpr std::size_t kDay = 10;  // "2026-03-02", then a blank and the time of the day
  const auto same_day = [&](const auto& time) {
    return time.second.substr(0, kDay) == times[0].second.substr(0, kDay);
  };
  const bool one_day = times[0].second.size() > kDay && std::all_of(times.begin(), times.end(), same_day);
  axis.label = one_day ? "step beginning at, " + times[0].second.substr(0, kDay) : "step beginning at";
  for (const auto& [tick, time] : times) {
    // "03-02 12:00": the year and seconds take room that six labels do not have.
    const std::string date = time.substr(5, kDay - 5), clock = time.size() > kDay + 6 ? time.substr(kDay + 1, 5) : "";
    axis.ticks.emplace_back(static_cast<double>(tick), one_day ? clock : clock.empty() ? date : date + " " + clock);
  }
  return axis;
}

std::vector<std::string> ChartsOf(const StreamRelease& stream, const Policy& policy, const std::vector<Answer>& steps) {
  std::vector<std::string> charts;
  const TimeAxis times = TimesOf(policy, steps);
  const auto noisy = NoisyColumns(steps, stream.columns().size());
  for (std::size_t k = 0; k < noisy.size(); ++k) {
    auto series = noisy[k] ? SeriesOf(steps, noisy, k) : std::vector<report::Series>();
    if (series.empty()) continue;
    if (series.size() == 1) series[0].strong = true;
    const bool named = series.size() > 1;
    charts.push_back(report::Svg(report::LineChart{
        named ? stream.columns()[k] : fmt::format("{}, with noise and 95 % error bars", stream.columns()[k]),
        times.label, stream.columns()[k], false, false, std::move(series), nullptr, times.ticks}));
  }
  return charts;
}

report::Section BudgetSection(const StreamRelease& stream, const Policy& policy, const std::vector<Answer>& steps) {
  const TimeAxis times = TimesOf(policy, steps);
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
  section.svgs.push_back(report::Svg(report::LineChart{"Plain loss",
                                                       times.label,
                                                       "plain loss",
                                                       false,
                                                       false,
                                                       {spent, each, limit},
                                                       [](double loss) { return LossText(loss); },
                                                       times.ticks}));
  report::Table longer{"Units that stay longer than the policy says", {"windows", "plain loss", "dependent loss"}, {}};
  longer.rows.push_back({"1", LossText(g.plain), LossText(g.dependent)});
  for (const auto& stay : g.longer)
    longer.rows.push_back({fmt::format("{}", stay.windows), LossText(stay.plain), LossText(stay.dependent)});
  section.tables.push_back(std::move(longer));
  return section;
}

}  // namespace

std::string StreamPage(const StreamRelease& stream, const Policy& policy, const std::vector<Answer>& steps,
                       const PageParts& parts) {
  const StreamGuarantee& g = stream.guarantee();
  report::Page page;
  page.title = "A stream, step by step";
  page.question = stream.normalised();
  for (const std::string& label : {g.alarm, g.one_sided, g.unproven})
    page.verdict += label + (label.empty() ? "" : " ");
  page.verdict += document::StayText(g);
  const bool warned = g.exceeded || !g.unproven.empty() || !g.alarm.empty();
  page.tone = warned ? report::Page::Tone::kWarning : report::Page::Tone::kGood;
  std::map<StepState, std::size_t> count;
  for (const Answer& step : steps) ++count[step.step->state];
  report::Section released{"What was released", {}, {}, {}};
  released.paragraphs.push_back(
      fmt::format("{} steps: {} released, {} repeated, {} skipped, {} lost. Step 0 begins at {}. The shaded band is "
                  "the 95 % error bar of "
                  "the noise; repeated numbers keep the bar that they were released with.",
                  steps.size(), count[StepState::kReleased], count[StepState::kRepeated], count[StepState::kSkipped],
                  count[StepState::kLost], policy.stream->StepText(0)));
  released.svgs = parts.maps.empty() ? ChartsOf(stream, policy, steps) : std::vector<std::string>{parts.maps};
  page.sections = {std::move(released), BudgetSection(stream, policy, steps)};
  page.assumptions = {g.assumption, "secret: " + g.neighbours, "against: " + g.adversary,
                      fmt::format("nobody is present in more than {} consecutive steps; longer stays lose what the "
                                  "table says, and every return counts again",
                                  g.window)};
  for (const Note& note : g.notes) page.assumptions.push_back(note.text);
  page.reproduce = {parts.command};
  return report::Html(page);
}

std::string StreamPicture(const StreamRelease& stream, const Policy& policy, const std::vector<Answer>& steps) {
  const auto charts = ChartsOf(stream, policy, steps);
  return charts.empty() ? report::Svg(report::LineChart{"Nothing was released", "step", "", false, false, {}})
                        : charts[0];
}

Result<StepFormat> FormatFor(const std::string& path, const document::StreamHead& head) {
  StepFormat format;
  if (path.ends_with(".csv")) {
    format.head = document::StepCsvHeader(head.columns);
    format.same_head = true;
    format.lines = [count = head.columns.size()](const Answer& step) {
      if (!step.rows.empty()) return document::StepCsv(step);
      Answer empty = step;
      empty.rows = {std::vector<AnswerCell>(count, AnswerCell{Null{}, std::nullopt})};
      return document::StepCsv(empty);
    };
    format.tick_of = [](const std::string& line) -> std::optional<std::int64_t> {
      return std::strtoll(line.c_str(), nullptr, 10);
    };
    return format;
  }
  if (!path.ends_with(".jsonl"))
    return InvalidArgument("the output is neither CSV nor JSON lines", path, "let its name end in .csv or .jsonl");
  format.head = StreamHeadJson(head);
  format.lines = StepJson;
  format.tick_of = document::StepOfJsonLine;
  return format;
}

}  // namespace kith::cli

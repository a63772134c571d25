#include "app/cli/stream_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

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
  fmt::print("{}", Labelled("by this",
                            fmt::format("at most {} of plain loss in {}, of {} for all streams of the policy",
                                        LossText(g.plain_stream), g.single_states ? "one step" : "one window",
                                        LeftText(g.allowed)),
                            width));
  fmt::print("{}{}{}{}", Labelled("by", g.bound, width), AuditLine(g, width), Labelled("against", g.adversary, width),
             Labelled("assuming", g.assumes, width));
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

std::string StepLine(const StreamRelease& stream, const StepRelease& step) {
  const std::string head = fmt::format("{:>6}  {}  {:8}", step.tick, step.time, StateName(step.state));
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

std::string StepJson(const StreamRelease&, const StepRelease& step) {
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
  const nlohmann::json out = {{"step", step.tick},
                              {"time", step.time},
                              {"state", StateName(step.state)},
                              {"rows", rows},
                              {"error_95", errors},
                              {"plain_epsilon", step.charged.epsilon()},
                              {"window_spent", step.window_spent.epsilon()},
                              {"ledger_entry", step.ledger_entry},
                              {"ledger_head", step.ledger_head},
                              {"stored", step.stored}};
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string StepCsvHeader(const StreamRelease& stream) {
  std::string text = "step,time,state";
  for (const auto& column : stream.columns()) text += "," + CsvText(column) + "," + CsvText(column + "_error_95");
  return text + ",plain_epsilon,window_spent,ledger_entry\n";
}

std::string StepCsv(const StepRelease& step) {
  const std::string head = fmt::format("{},{},{}", step.tick, step.time, StateName(step.state));
  const std::string tail =
      fmt::format(",{},{},{}\n", step.charged.epsilon(), step.window_spent.epsilon(), step.ledger_entry);
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
std::vector<bool> StreamNoisyColumns(const std::vector<StepRelease>& steps, std::size_t columns) {
  std::vector<bool> noisy(columns, false);
  for (const StepRelease& step : steps) {
    for (const auto& row : step.rows) {
      for (std::size_t k = 0; k < row.size(); ++k) noisy[k] = noisy[k] || row[k].error_95.has_value();
    }
  }
  return noisy;
}

// A line for each group, of one column: at most a handful, the first ones.
std::vector<report::Series> StreamSeries(const std::vector<StepRelease>& steps, const std::vector<bool>& noisy,
                                         std::size_t column) {
  constexpr std::size_t kMost = 6;
  std::vector<report::Series> series;
  std::map<std::string, std::size_t> known;
  for (const StepRelease& step : steps) {
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
      line.x.push_back(static_cast<double>(step.tick));
      line.y.push_back(*value);
      line.low.push_back(*value - bar);
      line.high.push_back(*value + bar);
    }
  }
  return series;
}

std::vector<std::string> StreamCharts(const StreamRelease& stream, const std::vector<StepRelease>& steps) {
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

report::Section StreamBudgetSection(const StreamRelease& stream, const std::vector<StepRelease>& steps) {
  const StreamGuarantee& g = stream.guarantee();
  report::Section section{"What was spent", {}, {}, {}};
  report::Series spent{"largest window with this step", {}, {}, {}, {}, true}, each{"this step", {}, {}, {}, {}, false};
  report::Series limit{"allowed", {}, {}, {}, {}, false};
  for (const StepRelease& step : steps) {
    const auto tick = static_cast<double>(step.tick);
    spent.x.push_back(tick);
    spent.y.push_back(step.window_spent.epsilon());
    each.x.push_back(tick);
    each.y.push_back(step.charged.epsilon());
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

std::string StreamPage(const StreamRelease& stream, const Policy& policy, const std::vector<StepRelease>& steps,
                       const std::string& command) {
  const StreamGuarantee& g = stream.guarantee();
  report::Page page;
  page.title = "A stream, step by step";
  page.question = stream.normalised();
  for (const std::string& label : {g.one_sided, g.unproven}) page.verdict += label + (label.empty() ? "" : " ");
  page.verdict += StayWords(g);
  page.tone = g.exceeded || !g.unproven.empty() ? report::Page::Tone::kWarning : report::Page::Tone::kGood;
  std::map<StepState, std::size_t> count;
  for (const StepRelease& step : steps) ++count[step.state];
  report::Section released{"What was released", {}, {}, {}};
  released.paragraphs.push_back(
      fmt::format("{} steps: {} released, {} repeated, {} skipped, {} lost. Step 0 begins at {}. The shaded band is "
                  "the 95 % error bar of "
                  "the noise; repeated numbers keep the bar that they were released with.",
                  steps.size(), count[StepState::kReleased], count[StepState::kRepeated], count[StepState::kSkipped],
                  count[StepState::kLost], policy.stream->StepText(0)));
  released.svgs = StreamCharts(stream, steps);
  page.sections = {std::move(released), StreamBudgetSection(stream, steps)};
  page.assumptions = {
      g.assumes, "secret: " + g.neighbours, "against: " + g.adversary,
      fmt::format(
          "nobody is present in more than {} consecutive steps; longer stays lose what the table says, and every "
          "return counts anew",
          g.window)};
  for (const Note& note : g.notes) page.assumptions.push_back(note.text);
  page.reproduce = {command};
  return report::Html(page);
}

std::string StreamPicture(const StreamRelease& stream, const std::vector<StepRelease>& steps) {
  const auto charts = StreamCharts(stream, steps);
  return charts.empty() ? report::Svg(report::LineChart{"Nothing was released", "step", "", false, false, {}})
                        : charts[0];
}

Result<StepFile> StepFile::Open(const std::string& path, const StreamRelease& stream, const Policy& policy) {
  const bool csv = path.ends_with(".csv");
  if (!csv && !path.ends_with(".jsonl")) {
    return InvalidArgument("the output is neither CSV nor JSON lines", path, "let its name end in .csv or .jsonl");
  }
  StepFile file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644), csv);
  if (file.file_ < 0) return StorageError("the output cannot be written", path, "check the folder and your rights");
  if (flock(file.file_, LOCK_EX | LOCK_NB) != 0)
    return StorageError("another process writes this output", path, "stop it, or name another file");
  std::string text;
  char buffer[65536];
  for (ssize_t got = 0; (got = read(file.file_, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  const auto end = text.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  if (ftruncate(file.file_, static_cast<off_t>(whole)) != 0 || lseek(file.file_, 0, SEEK_END) < 0)
    return StorageError("the output cannot be written", path);
  text.resize(whole);
  const std::string head = csv ? StepCsvHeader(stream) : GuaranteeJson(stream, policy) + "\n";
  if (text.empty()) {
    if (auto written = file.Write(head); !written) return written.error();
    return file;
  }
  if (csv && !text.starts_with(head))
    return InvalidArgument("the file has other columns than this stream", path, "name another file");
  const std::size_t last = text.rfind('\n', text.size() - 2);
  const std::string line = last == std::string::npos ? "" : text.substr(last + 1);
  if (csv && !line.empty()) file.last_ = std::strtoll(line.c_str(), nullptr, 10);
  if (!csv && !line.empty()) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object() && json.contains("step") && json["step"].is_number_integer()) file.last_ = json["step"];
  }
  return file;
}

StepFile::StepFile(StepFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)), csv_(other.csv_), last_(other.last_) {}

StepFile::~StepFile() {
  if (file_ >= 0) close(file_);
}

Result<void> StepFile::Write(const std::string& text) const {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t put = write(file_, text.data() + done, text.size() - done);
    if (put < 0)
      return StorageError("the output cannot be written", {},
                          "the steps are kept in the ledger: start again with room on the disk");
    done += static_cast<std::size_t>(put);
  }
  return {};
}

Result<void> StepFile::Append(const StreamRelease& stream, const StepRelease& step) {
  if (step.tick <= last_) return {};
  last_ = step.tick;
  if (!csv_) return Write(StepJson(stream, step));
  if (!step.rows.empty()) return Write(StepCsv(step));
  StepRelease empty = step;
  empty.rows = {std::vector<AnswerCell>(stream.columns().size(), AnswerCell{Null{}, std::nullopt})};
  return Write(StepCsv(empty));
}

}  // namespace kith::cli

// kith analyse policy.toml cumulative: ranges and ranks that are read off the curve.
#include <fmt/format.h>

#include <charconv>

#include "analysis/cumulative/reading.h"
#include "app/cli/analyse.h"
#include "base/json.h"
#include "report/chart.h"

namespace kith::cli {
namespace {

struct Choice {
  std::vector<double> ranks;
  std::vector<std::string> ranges;
};

/// "18,29". Fails: kInvalidArgument.
Result<std::pair<double, double>> RangeOf(const std::string& text) {
  double from = 0, to = 0;
  const char *at = text.data(), *end = at + text.size();
  const auto first = std::from_chars(at, end, from);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == ',') {
    const auto second = std::from_chars(first.ptr + 1, end, to);
    if (second.ec == std::errc() && second.ptr == end && from <= to) return std::pair(from, to);
  }
  return InvalidArgument("a range is two numbers, the smaller one first", {}, "such as 18,29").For("cumulative.range");
}

Result<void> Check(const Choice& choice) {
  if (!choice.ranks.empty() && !choice.ranges.empty())
    return InvalidArgument("either ranges or ranks are shown", {}, "ask again for the other ones: that is free")
        .For("cumulative.ranks");
  double before = 0;
  for (const double rank : choice.ranks) {
    if (!(rank > before) || !(rank < 1))
      return InvalidArgument("ranks are numbers between 0 and 1, ascending", {}, "such as 0.1, 0.5, 0.9")
          .For("cumulative.ranks");
    before = rank;
  }
  for (const std::string& range : choice.ranges) {
    if (auto read = RangeOf(range); !read) return read.error();
  }
  return {};
}

double NumberAt(const std::vector<AnswerCell>& row, std::size_t column) {
  return column < row.size() ? NumberIn(row[column].value).value_or(0) : 0;
}

/// The curve of an answer as it was released.
Result<cumulative::Reading> ReadingOf(const Answer& answer) {
  const auto details = answer.details.empty() ? Json::object() : *answer.details;
  if (answer.rows.empty() || !details.contains("range_error_95") || !details.contains("lower"))
    return InternalError("this answer is no cumulative curve");
  std::vector<cumulative::CurvePoint> curve;
  std::vector<double> last;
  for (const auto& row : answer.rows) {
    last.push_back(NumberAt(row, 0));
    curve.push_back({NumberAt(row, 1), row[1].error_95.value_or(0), NumberAt(row, 2), NumberAt(row, 3)});
  }
  return cumulative::Reading(std::move(curve), std::move(last), details["lower"].get<double>(),
                             details.value("whole_numbers", false), details["range_error_95"].get<double>());
}

// With ranges or ranks, they are the answer; the curve stays in its details.
Result<Answer> Present(const Choice& choice, Answer answer) {
  if (choice.ranks.empty() && choice.ranges.empty()) return answer;
  const auto reading = ReadingOf(answer);
  if (!reading) return reading.error();
  Json details = *answer.details, curve = Json::array();
  for (const auto& row : answer.rows)
    curve.push_back({NumberAt(row, 0), NumberAt(row, 1), NumberAt(row, 2), NumberAt(row, 3)});
  details["curve"] = std::move(curve);
  answer.details = JsonValue(std::move(details));
  answer.rows.clear();
  const bool whole = answer.details->value("whole_numbers", false);
  const auto shown = [&](double value) { return whole ? Value(static_cast<std::int64_t>(value)) : Value(value); };
  const std::string column = answer.columns.empty() ? "value" : answer.columns[0];
  if (!choice.ranks.empty()) {
    answer.columns = {"rank", column, "low_95_all", "high_95_all"};
    const auto found = reading->Ranks(choice.ranks);
    for (std::size_t k = 0; k < found.size(); ++k)
      answer.rows.push_back(
          {{choice.ranks[k], {}}, {shown(found[k].value), {}}, {shown(found[k].low), {}}, {shown(found[k].high), {}}});
  } else {
    answer.columns = {"from", "to", "n"};
    bool wider = false;
    for (const std::string& text : choice.ranges) {
      const auto [from, to] = RangeOf(text).value();  // checked before
      const auto range = reading->Range(from, to);
      wider = wider || range.from != from || range.to != to;
      answer.rows.push_back(
          {{shown(range.from), {}}, {shown(range.to), {}}, {static_cast<std::int64_t>(range.count), range.bar}});
    }
    if (wider)
      answer.notes.push_back(
          {NoteKind::kMethod, "ranges are made of whole cells: some are not as they were asked for"});
  }
  answer.notes.push_back(
      {NoteKind::kMethod, "read off the released curve: as many ranges and ranks as you like, at no extra cost"});
  return answer;
}

std::vector<Picture> Draw(const Answer& answer) {
  report::LineChart chart{"Rows up to a value, with a 95 % band for the whole curve", {}, "rows", false, false, {}};
  report::Series& series = chart.series.emplace_back();
  const auto add = [&](double value, double count, double low, double high) {
    series.x.push_back(value);
    series.y.push_back(count);
    series.low.push_back(low);
    series.high.push_back(high);
  };
  const auto details = answer.details.empty() ? Json::object() : *answer.details;
  chart.x_label = details.value("column", "");
  if (details.contains("curve")) {
    for (const auto& row : details["curve"])
      add(row.at(0).get<double>(), row.at(1).get<double>(), row.at(2).get<double>(), row.at(3).get<double>());
  } else {
    for (const auto& row : answer.rows) add(NumberAt(row, 0), NumberAt(row, 1), NumberAt(row, 2), NumberAt(row, 3));
  }
  return {{"cumulative.svg", report::Svg(chart)}};
}

}  // namespace

Shown ShowCumulative(Command& command, const AnalysisForm&) {
  const auto choice = std::make_shared<Choice>();
  command
      .AddOption("--range", choice->ranges,
                 "Show the rows with values from,to instead of the curve; repeatable, free once the curve is paid for")
      ->Repeatable();
  command.AddOption("--ranks", choice->ranks, "Show these ranks instead, between 0 and 1, ascending; free as well")
      ->Separated();
  Shown shown;
  shown.check = [choice] { return Check(*choice); };
  shown.present = [choice](Answer answer) { return Present(*choice, std::move(answer)); };
  shown.draw = [](const Answer& answer, const Policy*) { return Draw(answer); };
  return shown;
}

}  // namespace kith::cli

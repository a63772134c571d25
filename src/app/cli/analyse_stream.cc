// kith analyse policy.toml stream: a release at every step, without end if wanted.
#include <fmt/format.h>

#include <optional>

#include "app/cli/analyse.h"
#include "app/cli/fail.h"
#include "app/cli/remote.h"
#include "app/cli/show.h"
#include "app/cli/stream_maps.h"
#include "app/cli/stream_output.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "base/text_file.h"
#include "document/from_json.h"
#include "document/stream_head.h"
#include "release/stream/follow.h"
#include "release/stream/stream_text.h"

namespace kith::cli {
namespace {

struct Flags {
  std::string statistic, rule = "uniform", ticks, out, report;
  double epsilon = 0, rate = 1, delay = 0;
  std::int64_t every = 1, from = -1;
  bool follow = false, explain = false, json = false;
  MapFlags maps;
};

// Prints steps, writes them to a file if there is one, and keeps the latest for the page.
class StepPrinter {
 public:
  /// `columns`: of the stream's rows.
  StepPrinter(std::vector<std::string> columns, const Flags& flags, std::vector<RangeOfPoints> ranges,
              std::optional<StepFile> file)
      : columns_(std::move(columns)), flags_(flags), ranges_(std::move(ranges)), file_(std::move(file)) {}

  Result<void> Take(Answer released) {
    auto shown = WithRanges(ranges_, std::move(released));
    if (!shown) return shown.error();
    Answer step = std::move(*shown);
    if (file_) {
      if (auto written = file_->Append(step); !written) return written;
    }
    Show(flags_.json           ? StepJson(step)
         : flags_.maps.given() ? MapStepText(ShownColumns(columns_, !ranges_.empty()), !ranges_.empty(), step)
                               : StepText(columns_, step));
    skipped_ += step.step->state == StepState::kSkipped ? 1 : 0;
    ++taken_;
    std::fflush(stdout);
    constexpr std::size_t kKept = 10'000;  // if it runs without end
    if (steps_.size() == kKept) steps_.erase(steps_.begin());
    if (!ranges_.empty()) {
      for (auto& row : step.rows) row.resize(columns_.size());  // charts have no blur
    }
    steps_.push_back(std::move(step));
    return {};
  }
  const std::vector<Answer>& steps() const { return steps_; }
  std::size_t skipped() const { return skipped_; }
  std::size_t taken() const { return taken_; }

 private:
  const std::vector<std::string> columns_;
  const Flags& flags_;
  const std::vector<RangeOfPoints> ranges_;
  std::size_t skipped_ = 0, taken_ = 0;
  std::optional<StepFile> file_;
  std::vector<Answer> steps_;
};

Result<std::optional<StepFile>> OutputOf(const Flags& flags, const document::StreamHead& head) {
  if (flags.out.empty()) return std::optional<StepFile>();
  auto format = FormatFor(flags.out, head);
  if (!format) return format.error();
  auto file = StepFile::Open(flags.out, std::move(*format));
  if (!file) return file.error();
  return std::optional<StepFile>(std::move(*file));
}

Result<StreamEnd> RunSteps(const Flags& flags, const Curator& curator,
                           const std::shared_ptr<const StreamRelease>& stream, const std::vector<std::int64_t>& ticks,
                           StepPrinter& printer, const Call& call) {
  const TakeStep take = [&printer](Answer step) { return printer.Take(std::move(step)); };
  if (!flags.follow) return ReleaseSteps(curator, stream, ticks, take, {}, call);
  FollowOptions options;
  if (flags.from >= 0) options.from = flags.from;
  options.every = flags.every;
  options.delay_seconds = flags.delay;
  options.last_again = !flags.out.empty();
  return FollowStream(curator, stream, options, take, {}, call);
}

Result<void> CheckFlags(const Flags& flags) {
  if (flags.maps.given() == !flags.statistic.empty())
    return InvalidArgument("a stream releases a statistic or a map of points at every step", {},
                           "give --statistic \"SELECT count(*) FROM ...\", or --points with one or two columns");
  if (!flags.maps.given() && (!flags.maps.method.empty() || flags.maps.options.cells != 0 ||
                              !flags.maps.options.where.empty() || !flags.maps.ranges.empty()))
    return InvalidArgument("cells, method, where and range belong to a map", {},
                           "add --points with one or two columns; conditions of a statistic belong in its SELECT");
  if (flags.explain) return {};
  if (flags.follow == !flags.ticks.empty())
    return InvalidArgument("no steps were given", {}, "add --steps 0..95, or --follow to continue as time passes");
  if (flags.every < 1) return InvalidArgument("--every must be at least 1");
  return {};
}

Result<void> WritePage(const Flags& flags, const StreamRelease& stream, const Policy& policy,
                       const std::vector<Answer>& steps) {
  const std::string what = flags.maps.given() ? fmt::format("--points {}", fmt::join(flags.maps.options.columns, ","))
                                              : fmt::format("--statistic \"{}\"", flags.statistic);
  const std::string command =
      fmt::format("kith analyse {} stream {} --rule {} --epsilon {} --steps {} --report {}", policy.file.string(), what,
                  flags.rule, flags.epsilon, flags.ticks.empty() ? "..." : flags.ticks, flags.report);
  std::string maps = flags.maps.given() && flags.maps.ranges.empty() ? MapsPicture(stream, policy, steps) : "";
  if (flags.report.ends_with(".svg"))
    return WriteTextFile(flags.report, maps.empty() ? StreamPicture(stream, policy, steps) : maps);
  return WriteTextFile(flags.report, StreamPage(stream, policy, steps, {std::move(maps), command}));
}

void TellIfSkipped(const StepPrinter& printer) {
  if (printer.taken() > 0 && printer.skipped() == printer.taken())
    Tell("kith: every step was skipped: streams of this policy have used up their windows\n");
}

// Steps that a server has released, shown like local ones.
Result<void> RunRemote(const Flags& flags, const std::string& dataset, const Context& context) {
  if (flags.follow)
    return InvalidArgument("a server releases steps that are over, and follows nothing", "--follow",
                           "ask for each step with --steps when it is over");
  if (!flags.report.empty())
    return InvalidArgument("pages are drawn beside the policy", "--report", "write the steps to a file with --out");
  if (auto fine = CheckFlags(flags); !fine) return fine;
  const auto ranges = RangesOf(flags.maps);
  if (!ranges) return ranges.error();
  Json body = {{"statistic", flags.maps.given() ? StatisticOf(flags.maps) : flags.statistic},
               {"epsilon", flags.epsilon},
               {"rule", flags.rule},
               {"rate", flags.rate}};
  if (!flags.ticks.empty()) body["steps"] = flags.ticks;
  auto head = ReadFrom(AskServer(context, dataset, "streams/explain", body), document::StreamHeadFrom);
  if (!head) return head.error();
  const std::vector<std::string> columns = head->columns;
  head->columns = ShownColumns(columns, !ranges->empty());
  Show(flags.json ? StreamHeadJson(*head) : StreamHeadText(*head, TerminalWidth()));
  if (flags.explain) return {};
  auto output = OutputOf(flags, *head);
  if (!output) return output.error();
  const auto done = AskServerToWork(context, dataset, "streams", body, TerminalCall(*context.cancel));
  if (!done) return done.error();
  StepPrinter printer(columns, flags, *ranges, std::move(*output));
  for (const Json& each : done->value("steps", Json::array())) {
    auto step = document::StepFrom(each);
    if (!step) return step.error();
    if (auto taken = printer.Take(std::move(*step)); !taken) return taken;
  }
  TellIfSkipped(printer);
  return {};
}

int RunStream(const Flags& flags, const std::string& policy, const CancelFlag& cancel) {
  const Call call = TerminalCall(cancel);
  const auto curator = Curator::Open(policy, {}, call);
  if (!curator) return Fail(curator.error(), flags.json);
  if (auto fine = CheckFlags(flags); !fine) return Fail(fine.error(), flags.json);
  const auto ranges = RangesOf(flags.maps);
  if (!ranges) return Fail(ranges.error(), flags.json);
  StreamRequest request;
  request.statistic = flags.maps.given() ? StatisticOf(flags.maps) : flags.statistic;
  request.epsilon = flags.epsilon;
  request.rate = flags.rate;
  const auto sharing = stream::SharingOf(flags.rule);
  if (!sharing) return Fail(sharing.error(), flags.json);
  request.sharing = *sharing;
  if (!flags.ticks.empty()) {
    auto ticks = StepListOf(flags.ticks);
    if (!ticks) return Fail(ticks.error(), flags.json);
    request.asked = std::move(*ticks);
  }
  const auto stream = curator->OpenStream(request);
  if (!stream) return Fail(stream.error(), flags.json);
  document::StreamHead head = document::HeadOf(**stream, curator->policy());
  head.columns = ShownColumns(head.columns, !ranges->empty());
  Show(flags.json ? StreamHeadJson(head) : StreamHeadText(head, TerminalWidth()));
  if (flags.explain) return 0;
  auto output = OutputOf(flags, head);
  if (!output) return Fail(output.error(), flags.json);
  StepPrinter printer((*stream)->columns(), flags, *ranges, std::move(*output));
  const auto done = RunSteps(flags, *curator, *stream, request.asked, printer, call);
  if (done && *done == StreamEnd::kStopped) Tell("kith: stopped between two steps; run the same command to continue\n");
  TellIfSkipped(printer);
  if (!flags.report.empty() && !printer.steps().empty()) {
    if (auto written = WritePage(flags, **stream, curator->policy(), printer.steps()); !written)
      return Fail(written.error(), flags.json);
  }
  return done ? 0 : Fail(done.error(), flags.json);
}

}  // namespace

void AddStream(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command = analyse.AddVerb("stream", "A statistic or a map for every step of time, from a budget that refills");
  command->Footer(
      "Examples:\n"
      "  kith analyse policy.toml stream --statistic \"SELECT count(*) AS people FROM lobby\" --epsilon 1 --steps "
      "0..95 --out people.csv\n"
      "  kith analyse policy.toml stream --statistic \"SELECT floor, count(*) AS people FROM lobby GROUP BY floor\" "
      "--rule ba "
      "--epsilon 0.5 --follow --out people.jsonl\n"
      "  kith analyse city.toml stream --points lon,lat --epsilon 1 --steps 0..23 --out maps.jsonl --report maps.svg\n"
      "Rules: uniform (nearly every step asks), slack or harmonic (few steps ask, nobody knows when), rate (few, at a "
      "known rate), offline\n"
      "(all known in advance), bd and ba (numbers that change rarely: a private test decides when to publish). Ctrl-C "
      "stops between two\n"
      "steps; the same command continues. The policy needs [stream]: docs/guide/streams.md");
  auto flags = std::make_shared<Flags>();
  command->AddOption("--statistic", flags->statistic, "One SELECT over the rows of a step; GROUP BY is allowed");
  AddMapOptions(*command, flags->maps);
  command->AddOption("--epsilon", flags->epsilon, "This part of the policy's epsilon, for every window")->Required();
  command->AddOption("--rule", flags->rule, "uniform, harmonic, slack, rate, offline, bd or ba (default: uniform)");
  command->AddOption("--rate", flags->rate, "For --rule rate: the share of steps that will be released");
  command->AddOption("--steps", flags->ticks, "Steps to release: 0..95, 0..95:4, 3,5,8..12");
  command->AddFlag("--follow", flags->follow, "Wait for each step to be over, release it, continue");
  command->AddOption("--from", flags->from, "With --follow: the first step (default: the current one)");
  command->AddOption("--every", flags->every, "With --follow: release only every N-th step");
  command->AddOption("--delay", flags->delay, "With --follow: seconds to wait for late rows");
  command->AddOption("--out", flags->out, "Append every step to this .csv or .jsonl file");
  command->AddOption("--report", flags->report,
                     "A page with charts of the steps of this run (.html), or one chart (.svg)");
  command->AddFlag("--explain", flags->explain, "Show the guarantee; touches no data, charges nothing");
  command->AddFlag("--json", flags->json, "JSON lines: the guarantee, then a line for each step");
  command->Run([flags, policy, &context] {
    if (context.server.empty()) {
      context.exit_code = RunStream(*flags, *policy, *context.cancel);
    } else if (const auto done = RunRemote(*flags, *policy, context); !done) {
      context.exit_code = Fail(done.error(), flags->json);
    }
  });
}

}  // namespace kith::cli

// kith analyse policy.toml stream: a release at every step, for ever if wanted.
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "app/cli/analyse.h"
#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/stream_output.h"
#include "app/cli/text.h"
#include "base/clock.h"
#include "base/text_file.h"
#include "release/stream/stream_text.h"

namespace kith::cli {
namespace {

struct Flags {
  std::string statistic, rule = "uniform", ticks, out, report;
  double epsilon = 0, rate = 1, delay = 0;
  std::int64_t every = 1, from = -1;
  bool follow = false, explain = false, json = false;
};

// Now, in the numbers of the time column; nothing for streams that have no clock.
std::optional<std::int64_t> NowOf(const Stream& stream) {
  if (stream.type == ColumnType::kInteger) return std::nullopt;
  const std::int64_t now = UnixMicroseconds();
  return stream.type == ColumnType::kTimestamp ? now : now / 86'400'000'000;
}

// Microseconds until a step is over and late rows have had their time; 0 or less: it is.
std::int64_t UntilStepOver(const Stream& stream, std::int64_t tick, double delay) {
  const std::int64_t end = stream.start + (tick + 1) * stream.step;
  const std::int64_t scale = stream.type == ColumnType::kDate ? 86'400'000'000 : 1;
  const std::int64_t now = UnixMicroseconds();
  return end * scale - now + static_cast<std::int64_t>(delay * 1e6);
}

class StreamRunner {
 public:
  StreamRunner(const Flags& flags, const StreamRelease& stream, const Policy& policy, const Call& call)
      : flags_(flags), stream_(stream), policy_(policy), call_(call), cancel_(call.cancel) {}

  Result<void> Run(const std::vector<std::int64_t>& ticks) {
    if (!flags_.out.empty()) {
      auto opened = StepFile::Open(flags_.out, stream_, policy_);
      if (!opened) return opened.error();
      file_.emplace(std::move(*opened));
    }
    return flags_.follow ? Follow() : Through(ticks);
  }

  const std::vector<StepRelease>& steps() const { return steps_; }

 private:
  Result<void> Through(const std::vector<std::int64_t>& ticks) {
    if (policy_.stream->type != ColumnType::kInteger && UntilStepOver(*policy_.stream, ticks.back(), 0) > 0) {
      return InvalidArgument(fmt::format("step {} is not over yet: its rows would be missing for ever", ticks.back()),
                             "--ticks", "ask for steps in the past, or use --follow, which waits");
    }
    for (const std::int64_t tick : ticks) {
      if (cancel_.cancelled()) return Stopped();
      if (auto done = One(tick); !done) return done;
    }
    return {};
  }

  Result<void> Follow() {
    const auto last = stream_.LastStep();
    if (!last) return last.error();
    const Stream& rules = *policy_.stream;
    const std::int64_t present = std::max<std::int64_t>(0, (*NowOf(rules) - rules.start) / rules.step);
    std::int64_t tick = *last ? **last + flags_.every : flags_.from >= 0 ? flags_.from : present;
    if (file_ && *last) {  // a crash may have come between the ledger and the file
      if (auto done = One(**last); !done) return done;
    }
    for (;; tick += flags_.every) {
      while (!cancel_.cancelled()) {
        const std::int64_t wait = UntilStepOver(rules, tick, flags_.delay);
        if (wait <= 0) break;
        std::this_thread::sleep_for(std::chrono::microseconds(std::min<std::int64_t>(wait, 100'000)));
      }
      if (cancel_.cancelled()) return Stopped();
      if (auto done = One(tick); !done) return done;
    }
  }

  // A step is not interrupted: it would be lost. It takes milliseconds.
  Result<void> One(std::int64_t tick) {
    Call never = call_;
    never.cancel = CancelFlag();
    auto step = stream_.Step(tick, never);
    if (!step) return step.error();
    if (file_) {
      if (auto written = file_->Append(stream_, *step); !written) return written;
    }
    Show(flags_.json ? StepJson(*step) : StepText(stream_.columns(), *step));
    std::fflush(stdout);
    constexpr std::size_t kKept = 10'000;  // for the page: the latest, if it runs for ever
    if (steps_.size() == kKept) steps_.erase(steps_.begin());
    steps_.push_back(std::move(*step));
    return {};
  }

  Result<void> Stopped() const {
    Tell("kith: stopped between two steps; start again to go on\n");
    return {};
  }

  const Flags& flags_;
  const StreamRelease& stream_;
  const Policy& policy_;
  const Call& call_;
  const CancelFlag& cancel_;
  std::optional<StepFile> file_;
  std::vector<StepRelease> steps_;
};

Result<void> CheckFlags(const Flags& flags, const Policy& policy) {
  if (flags.explain) return {};
  if (flags.follow == !flags.ticks.empty())
    return InvalidArgument("which steps?", {}, "add --ticks 0..95, or --follow to go on as time does");
  if (flags.follow && policy.stream && policy.stream->type == ColumnType::kInteger) {
    return InvalidArgument("a time that is a number has no clock to follow", "--follow",
                           "name the steps with --ticks, or declare the time as a date or timestamp");
  }
  if (flags.every < 1) return InvalidArgument("--every must be at least 1");
  return {};
}

Result<void> WritePage(const Flags& flags, const StreamRelease& stream, const Policy& policy,
                       const StreamRunner& runner) {
  const std::string command = fmt::format(
      "kith analyse {} stream --statistic \"{}\" --rule {} --epsilon {} --ticks {} --report {}", policy.file.string(),
      flags.statistic, flags.rule, flags.epsilon, flags.ticks.empty() ? "..." : flags.ticks, flags.report);
  return WriteTextFile(flags.report, flags.report.ends_with(".svg")
                                         ? StreamPicture(stream, runner.steps())
                                         : StreamPage(stream, policy, runner.steps(), command));
}

int RunStream(const Flags& flags, const std::string& policy, const CancelFlag& cancel) {
  const Call call = TerminalCall(cancel);
  const auto curator = Curator::Open(policy, {}, call);
  if (!curator) return Fail(curator.error(), flags.json);
  if (auto fine = CheckFlags(flags, curator->policy()); !fine) return Fail(fine.error(), flags.json);
  StreamRequest request;
  request.statistic = flags.statistic;
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
  const auto stream = StreamRelease::Make(*curator, request);
  if (!stream) return Fail(stream.error(), flags.json);
  const document::StreamHead head = HeadOf(*stream, curator->policy());
  Show(flags.json ? StreamHeadJson(head) : StreamHeadText(head, TerminalWidth()));
  if (flags.explain) return 0;
  StreamRunner runner(flags, *stream, curator->policy(), call);
  const auto done = runner.Run(request.asked);
  if (!flags.report.empty() && !runner.steps().empty()) {
    if (auto written = WritePage(flags, *stream, curator->policy(), runner); !written)
      return Fail(written.error(), flags.json);
  }
  return done ? 0 : Fail(done.error(), flags.json);
}

}  // namespace

void AddStream(CLI::App& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command =
      analyse.add_subcommand("stream", "A statistic of every step of time, within a budget that comes back");
  command->footer(
      "Examples:\n"
      "  kith analyse policy.toml stream --statistic \"SELECT count(*) AS people FROM lobby\" --epsilon 1 --ticks "
      "0..95 --out people.csv\n"
      "  kith analyse policy.toml stream --statistic \"SELECT floor, count(*) AS people FROM lobby GROUP BY floor\" "
      "--rule ba "
      "--epsilon 0.5 --follow --out people.jsonl\n"
      "Rules: uniform (nearly every step asks), slack or harmonic (few steps ask, nobody knows when), rate (few, at a "
      "known rate), offline\n"
      "(all known in advance), bd and ba (numbers that change rarely: a private test decides when to publish). Ctrl-C "
      "stops between two\n"
      "steps; the same command goes on. The policy needs [stream]: docs/guide/streams.md");
  auto flags = std::make_shared<Flags>();
  command->add_option("--statistic", flags->statistic, "SELECT ... of the rows of one step; GROUP BY is fine")
      ->required();
  command->add_option("--epsilon", flags->epsilon, "This part of the policy's epsilon, for every window")->required();
  command->add_option("--rule", flags->rule, "uniform, harmonic, slack, rate, offline, bd or ba (default: uniform)");
  command->add_option("--rate", flags->rate, "For --rule rate: which share of the steps asks");
  command->add_option("--ticks", flags->ticks, "Steps to release: 0..95, 0..95:4, 3,5,8..12");
  command->add_flag("--follow", flags->follow, "Wait for each step to be over, release it, go on");
  command->add_option("--from", flags->from, "With --follow: the first step (default: the present one)");
  command->add_option("--every", flags->every, "With --follow: only every so many steps");
  command->add_option("--delay", flags->delay, "With --follow: seconds to wait for rows that come late");
  command->add_option("--out", flags->out, "Append every step to this .csv or .jsonl file");
  command->add_option("--report", flags->report,
                      "A page with charts of the steps of this run (.html), or one chart (.svg)");
  command->add_flag("--explain", flags->explain, "Show the guarantee; touches no data, charges nothing");
  command->add_flag("--json", flags->json, "JSON lines: the guarantee, then a line for each step");
  command->callback([flags, policy, &context] { context.exit_code = RunStream(*flags, *policy, *context.cancel); });
}

}  // namespace kith::cli

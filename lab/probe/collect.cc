#include "probe/collect.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "probe/http.h"
#include "probe/parse.h"
#include "probe/process.h"

namespace kith::probe {
namespace {

struct Run {
  Outcome outcome;
  bool failed = false;
};

bool IsAddress(const std::string& what) { return what.rfind("http://", 0) == 0 || what.rfind("https://", 0) == 0; }

Run Failure(const std::string& kind, const std::string& text) {
  Outcome outcome = Parsed(kind + (text.empty() ? "" : ": " + text), {});
  outcome.numbers.clear();
  return {std::move(outcome), true};
}

// Not an outcome: how many runs are late depends on the machine, and so would what is proved.
Error TooLate(const std::string& what) {
  return InvalidArgument("a run did not end within the time limit", what.substr(0, 60),
                         "raise the limit; if not ending is what the program does, let it end with an exit code")
      .For("probe.timeout");
}

Result<std::vector<std::string>> CommandOf(const std::string& text, bool shell) {
  if (shell) return std::vector<std::string>{"/bin/sh", "-c", text};
  return Words(text);
}

Result<Run> Once(const std::string& what, std::uint64_t run, const CollectOptions& options, HttpClient& client,
                 const CancelFlag& cancel) {
  const std::string number = std::to_string(run + 1);
  const std::string filled = Filled(what, "run", number);
  if (IsAddress(filled)) {
    const auto address = AddressOf(filled);
    if (!address) return address.error();
    const auto reply = client.Fetch(*address, Filled(options.body, "run", number), options.seconds);
    if (!reply) return reply.error();
    if (reply->timed_out) return TooLate(what);
    if (reply->status / 100 != 2) return Failure("HTTP " + std::to_string(reply->status), reply->body);
    return Run{Parsed(reply->body, options.places), false};
  }
  const auto words = CommandOf(filled, options.shell);
  if (!words) return words.error();
  const auto done = RunProgram(*words, options.seconds, cancel);
  if (!done) return done.error();
  if (done->timed_out) return TooLate(what);
  if (done->exit_code != 0) return Failure("exit code " + std::to_string(done->exit_code), done->output + done->errors);
  return Run{Parsed(done->output, options.places), false};
}

// All answers of one side from one process.
Result<std::vector<Outcome>> Batch(const std::string& what, const CollectOptions& options, const CancelFlag& cancel) {
  if (IsAddress(what))
    return InvalidArgument("a batch needs a command", what.substr(0, 60), "take one answer from each run")
        .For("probe.batch");
  const auto words = CommandOf(Filled(what, "runs", std::to_string(options.runs)), options.shell);
  if (!words) return words.error();
  const auto done = RunProgram(*words, options.seconds, cancel);
  if (!done) return done.error();
  const auto bad = [&](const std::string& why) {
    return InvalidArgument("the batch " + why, what.substr(0, 60),
                           "run it by hand: it must print one answer in each line");
  };
  if (done->timed_out) return bad("did not end within the time limit");
  if (done->exit_code != 0) return bad("ended with exit code " + std::to_string(done->exit_code));
  std::vector<Outcome> outcomes;
  for (std::size_t at = 0; at < done->output.size() && outcomes.size() < options.runs;) {
    const std::size_t end = std::min(done->output.find('\n', at), done->output.size());
    outcomes.push_back(Parsed(done->output.substr(at, end - at), options.places));
    at = end + 1;
  }
  if (outcomes.size() < options.runs)
    return bad("gave " + std::to_string(outcomes.size()) + " answers instead of " + std::to_string(options.runs));
  return outcomes;
}

// Divides the runs of both sides among threads; the first error stops all of them.
class Crowd {
 public:
  Crowd(const std::string& left, const std::string& right, const CollectOptions& options,
        const std::function<void(double)>& progress, const CancelFlag& cancel)
      : sides_{&left, &right}, options_(options), progress_(progress), cancel_(cancel) {
    samples_.left.resize(options.runs);
    samples_.right.resize(options.runs);
  }

  Result<Samples> Work() {
    std::vector<std::thread> threads;
    for (unsigned t = 1; t < std::max(1u, options_.threads); ++t) threads.emplace_back([this] { TakeRuns(); });
    TakeRuns();
    for (std::thread& thread : threads) thread.join();
    if (error_) return *error_;
    if (failures_ == 2 * options_.runs) {
      return InvalidArgument("every run failed: " + samples_.left[0].text.substr(0, samples_.left[0].text.find(':')),
                             sides_[0]->substr(0, 60), "run the command by hand and see why");
    }
    return std::move(samples_);
  }

 private:
  void TakeRuns() {
    HttpClient clients[2];
    for (std::uint64_t k = next_++; k < 2 * options_.runs && !stop_; k = next_++) {
      // Left and right take turns, so that a slow change of the machine affects both alike.
      auto run = Once(*sides_[k % 2], k / 2, options_, clients[k % 2], cancel_);
      if (!run) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = run.error();
        stop_ = true;
        return;
      }
      if (run->failed) ++failures_;
      (k % 2 == 0 ? samples_.left : samples_.right)[k / 2] = std::move(run->outcome);
      if (progress_) progress_(static_cast<double>(k + 1) / static_cast<double>(2 * options_.runs));
    }
  }

  const std::string* sides_[2];
  const CollectOptions& options_;
  const std::function<void(double)>& progress_;
  const CancelFlag& cancel_;
  Samples samples_;
  std::atomic<std::uint64_t> next_{0}, failures_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::optional<Error> error_;
};

Result<Samples> BothBatches(const std::string& left, const std::string& right, const CollectOptions& options,
                            const CancelFlag& cancel) {
  Result<std::vector<Outcome>> from_right = std::vector<Outcome>{};
  std::thread other([&] { from_right = Batch(right, options, cancel); });
  auto from_left = Batch(left, options, cancel);
  other.join();
  if (!from_left) return from_left.error();
  if (!from_right) return from_right.error();
  return Samples{std::move(*from_left), std::move(*from_right)};
}

}  // namespace

Result<Samples> Collect(const std::string& left, const std::string& right, const CollectOptions& options,
                        const std::function<void(double)>& progress, const CancelFlag& cancel) {
  if (options.runs == 0 || options.runs > 100'000'000)
    return InvalidArgument("the number of runs must be from 1 to 100 million").For("probe.runs");
  if (!(options.seconds > 0 && options.seconds <= 86400))
    return InvalidArgument("the time limit must be above 0 and at most a day").For("probe.timeout");
  if (const auto good = CheckPlaces(options.places); !good) return good.error();
  auto samples =
      options.batch ? BothBatches(left, right, options, cancel) : Crowd(left, right, options, progress, cancel).Work();
  if (!samples || options.places.empty()) return samples;
  const auto empty = [](const Outcome& outcome) { return outcome.numbers.empty(); };
  if (std::all_of(samples->left.begin(), samples->left.end(), empty) &&
      std::all_of(samples->right.begin(), samples->right.end(), empty)) {
    return InvalidArgument("no run gave a number at that place", options.places[0].substr(0, 60),
                           "look at one answer, and point to its number like /answer/rows/0/0");
  }
  return samples;
}

}  // namespace kith::probe

// What long work is doing, and how far it is: one line on standard error if that is a terminal, otherwise nothing.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kith::cli {

/// Safe to call from several threads. The line appears once the work has taken a second, is updated with the clock, and
/// vanishes when no stage is left.
class Progress {
 public:
  /// Without a name nothing is shown before the first stage.
  explicit Progress(std::string_view what = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A stage within the present one, until its End.
  void Begin(std::string_view stage);
  void End();
  /// How much of the present stage is done, from 0 to 1, if that is known. 1: nothing more is known about it.
  void At(double done);
  /// A sentence on its own line, above.
  void Say(std::string_view text);

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    std::string name;
    Clock::time_point since;
    std::optional<double> done;
  };
  void Start();
  void Draw();   // with the lock held
  void Erase();  // with the lock held

  const bool terminal_;
  std::mutex mutex_;  // guards all below
  std::vector<Running> stages_;
  std::optional<Clock::time_point> start_;  // of the first stage
  bool visible_ = false;
  bool over_ = false;
  std::condition_variable changed_;
  std::thread drawer_;
};

/// "▕████····▏ 40 %  12 s left", the part of the line after its name. A time is shown once it can be estimated.
std::string ProgressText(double done, double seconds);

/// "checking the data  12 s", or with the text above where a share is known; short enough for one line of a terminal.
std::string StageText(std::string_view stage, std::optional<double> done, double seconds);

}  // namespace kith::cli

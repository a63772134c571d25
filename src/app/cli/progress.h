// How far long work has come: one line on standard error while it is a terminal, nothing at all when it is not.
#pragma once
#include <chrono>
#include <mutex>
#include <string>

namespace kith::cli {

/// Safe to call from several threads. The line vanishes at the end.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Done so far, from 0 to 1. Draws ten times a second at the most.
  void At(double done);

 private:
  using Clock = std::chrono::steady_clock;
  const std::string what_;
  const bool terminal_;
  std::mutex mutex_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_;  // last time
  bool visible_ = false;
};

/// "▕████····▏ 40 %  12 s left", the part of the line after its name. A time is shown once it can be guessed.
std::string ProgressText(double done, double seconds);

}  // namespace kith::cli

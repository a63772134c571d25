#include "app/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "app/cli/show.h"

namespace kith::cli {

std::string ProgressText(double done, double seconds) {
  constexpr int kCells = 30;
  const double part = done >= 0 ? std::min(done, 1.0) : 0;  // not a number counts as nothing
  const int filled = static_cast<int>(part * kCells);
  std::string text = "▕";
  for (int i = 0; i < kCells; ++i) text += i < filled ? "█" : "·";
  text += fmt::format("▏ {:.0f} %", part * 100);
  if (part > 0.01 && part < 1 && seconds > 1) text += fmt::format("  {:.0f} s left", seconds * (1 - part) / part);
  return text;
}

Progress::Progress(std::string what) : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (visible_) Tell("\r\033[K");
  std::fflush(stderr);
}

void Progress::At(double done) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (visible_ && now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  visible_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  Tell(fmt::format("\r{} {}\033[K", what_, ProgressText(done, seconds)));
  std::fflush(stderr);
}

}  // namespace kith::cli

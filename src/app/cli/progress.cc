#include "app/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/utf8.h"

namespace kith::cli {

namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kTick = std::chrono::milliseconds(250);
constexpr std::size_t kWidth = 79;

/// At most this many characters, none of which moves the cursor.
std::string Shortened(std::string_view text, std::size_t most) {
  std::string kept;
  std::size_t letters = 0;
  while (!text.empty() && letters < most) {
    const std::size_t bytes = Utf8Length(text);
    const bool plain = bytes > 0 && static_cast<unsigned char>(text[0]) >= 0x20 && text[0] != 0x7F;
    kept += plain ? text.substr(0, bytes) : "?";
    text.remove_prefix(std::max<std::size_t>(1, bytes));
    ++letters;
  }
  return text.empty() ? kept : kept + "…";
}

}  // namespace

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

std::string StageText(std::string_view stage, std::optional<double> done, double seconds) {
  const std::string rest =
      done ? " " + ProgressText(*done, seconds) : fmt::format("  {:.0f} s", std::max(0.0, seconds));
  return Shortened(stage, kWidth - 1 - DisplayWidth(rest)) + rest;
}

Progress::Progress(std::string_view what) : terminal_(isatty(STDERR_FILENO) == 1) {
  if (!what.empty()) Begin(what);
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    Erase();
  }
  changed_.notify_all();
  if (drawer_.joinable()) drawer_.join();
}

void Progress::Start() {
  if (drawer_.joinable()) return;
  drawer_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kTick, [this] { return over_; })) Draw();
  });
}

void Progress::Begin(std::string_view stage) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (!start_) start_ = now;
  stages_.push_back({std::string(stage), now, {}});
  Start();
}

void Progress::End() {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  if (!stages_.empty()) stages_.pop_back();
  if (stages_.empty()) Erase();
}

void Progress::At(double done) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  if (stages_.empty()) return;
  stages_.back().done = done < 1 ? std::optional(done) : std::nullopt;
}

void Progress::Say(std::string_view text) {
  const std::lock_guard lock(mutex_);
  Erase();
  Tell(text);
}

void Progress::Draw() {
  const auto now = Clock::now();
  if (stages_.empty() || now - *start_ < kPatience) return;
  const Running& stage = stages_.back();
  const double seconds = std::chrono::duration<double>(now - stage.since).count();
  Tell(fmt::format("\r{}\033[K", StageText(stage.name, stage.done, seconds)));
  std::fflush(stderr);
  visible_ = true;
}

void Progress::Erase() {
  if (!visible_) return;
  Tell("\r\033[K");
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace kith::cli

#include "app/cli/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/exit_codes.h"

namespace kith::cli {
namespace {

const char* CodeName(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return "invalid_argument";
    case Code::kBudgetExhausted:
      return "budget_exhausted";
    case Code::kUnsupportedQuery:
      return "unsupported_query";
    case Code::kStorage:
      return "storage";
    case Code::kCancelled:
      return "cancelled";
    case Code::kInternal:
      return "internal";
  }
  return "internal";
}

void DrawBar(double done) {
  constexpr int kCells = 40;
  const int filled = static_cast<int>(done * kCells);
  std::string bar;
  for (int i = 0; i < kCells; ++i) bar += i < filled ? "█" : "·";
  fmt::print(stderr, "\r{} {:3.0f} %", bar, done * 100);
  if (done >= 1) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace

int Fail(const Error& error, bool as_json) {
  if (as_json) {
    const nlohmann::json out = {
        {"error",
         {{"code", CodeName(error.code)}, {"what", error.what}, {"where", error.where}, {"next", error.next}}}};
    fmt::print("{}\n", out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  fmt::print(stderr, "kith: {}\n", error.Text());
  return ExitCode(error.code);
}

EngineOptions TerminalOptions() {
  EngineOptions options;
  options.notice = [](const std::string& text) { fmt::print(stderr, "kith: {}\n", text); };
  if (isatty(STDERR_FILENO)) options.progress = DrawBar;
  return options;
}

}  // namespace kith::cli

#include "app/cli/report.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/exit_codes.h"
#include "app/cli/progress.h"

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

Call TerminalCall(const CancelFlag& cancel) {
  Call call(cancel);
  call.notice = [](const std::string& text) { fmt::print(stderr, "kith: {}\n", text); };
  auto bar = std::make_shared<std::unique_ptr<Progress>>();
  call.progress = [bar](double done) {
    if (!*bar) *bar = std::make_unique<Progress>("working");
    (*bar)->At(done);
    if (done >= 1) bar->reset();
  };
  return call;
}

}  // namespace kith::cli

#include "app/cli/fail.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/advice.h"
#include "app/cli/progress.h"
#include "app/cli/show.h"
#include "base/json.h"
#include "document/codes.h"
#include "document/to_json.h"

namespace kith::cli {

int Fail(const Error& error, bool as_json) {
  if (as_json) Show(JsonText(document::ToJson(error)) + "\n");
  Tell("kith: " + ErrorText(error) + "\n");
  return document::ExitCodeOf(error.code);
}

std::optional<Error> TwoFormats(bool json, const std::string& format) {
  if (!json || format != "csv") return std::nullopt;
  return InvalidArgument("--json and --format csv cannot both be had", {}, "leave one of them out");
}

Call TerminalCall(const CancelFlag& cancel) {
  Call call(cancel);
  call.notice = [](const std::string& text) { Tell("kith: " + text + "\n"); };
  auto bar = std::make_shared<std::unique_ptr<Progress>>();
  call.progress = [bar](double done) {
    if (!*bar) *bar = std::make_unique<Progress>("working");
    (*bar)->At(done);
    if (done >= 1) bar->reset();
  };
  return call;
}

}  // namespace kith::cli

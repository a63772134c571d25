#include "app/cli/fail.h"

#include <memory>

#include "app/cli/advice.h"
#include "app/cli/progress.h"
#include "app/cli/show.h"
#include "document/codes.h"
#include "document/json_line.h"
#include "release/upkeep/ledger_register.h"

namespace kith::cli {

int Fail(const Error& error, bool as_json) {
  if (as_json) Show(document::JsonLine(error));
  Tell("kith: " + ErrorText(error) + "\n");
  return document::ExitCodeOf(error.code);
}

std::optional<Error> TwoFormats(bool json, const std::string& format) {
  if (!json || format != "csv") return std::nullopt;
  return InvalidArgument("--json and --format csv cannot both be had", {}, "leave one of them out");
}

namespace {

// Where the library says what to do, and the command line knows how.
std::string WithVerb(std::string text) {
  const std::string_view advice = kCarryOver;
  if (const auto at = text.find(advice); at != std::string::npos)
    text.insert(at + advice.size(), " (kith ledger carry OLD.toml NEW.toml)");
  return text;
}

}  // namespace

Call TerminalCall(const CancelFlag& cancel) {
  Call call(cancel);
  const auto line = std::make_shared<Progress>();
  call.notice = [line](const std::string& text) { line->Say("kith: " + WithVerb(text) + "\n"); };
  call.progress = [line](double done) { line->At(done); };
  call.stages = [line](std::optional<std::string_view> begins) { begins ? line->Begin(*begins) : line->End(); };
  return call;
}

}  // namespace kith::cli

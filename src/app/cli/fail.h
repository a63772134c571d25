// How a verb ends: prints errors to standard error, as text or JSON, and turns them into exit codes.
#pragma once
#include <optional>
#include <string>

#include "base/call.h"
#include "base/result.h"

namespace kith::cli {

/// `kith probe --claimed`: everything worked, and the claim is wrong. Other exit codes: document/codes.h.
inline constexpr int kClaimRefuted = 1;

/// Prints the error and returns its exit code. With `as_json`, standard output gets {"error": {...}} as well.
int Fail(const Error& error, bool as_json);

/// The error for --json together with --format csv: one output has one form.
std::optional<Error> TwoFormats(bool json, const std::string& format);

/// Notices, stages and progress go to standard error: a line on a terminal, nothing but the notices otherwise. Two at a
/// time would draw over each other.
Call TerminalCall(const CancelFlag& cancel);

}  // namespace kith::cli

// How a part of a request is changed on the command line. The library names the part; only this program knows flags and
// verbs.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace kith::cli {

/// A part of a request, and what changes it.
using Advice = std::pair<std::string_view, std::string_view>;

/// The flag or verb for a part of a request ("price.epsilon": "--epsilon"); empty if there is none.
std::string AdviceFor(std::string_view parameter);

/// For parts that only another program of the command line knows. Requires: nothing was said yet.
void AlsoAdvise(std::span<const Advice> table);

/// The error as it is shown: what, where, and what to do next, with the flag or verb that does it.
std::string ErrorText(const Error& error);

}  // namespace kith::cli

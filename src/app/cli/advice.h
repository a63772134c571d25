// How a part of a request is changed on the command line. The library names the part; only this program knows flags and
// verbs.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace kith::cli {

/// The flag or verb for a part of a request ("price.epsilon": "--epsilon"); empty if there is none.
std::string AdviceFor(std::string_view parameter);

/// The error as it is shown: what, where, and what to do next, with the flag or verb that does it.
std::string ErrorText(const Error& error);

}  // namespace kith::cli

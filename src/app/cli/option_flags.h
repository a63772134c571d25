// Options of a table (base/option_spec.h) as flags of a verb.
#pragma once
#include <string>

#include "app/cli/command.h"
#include "base/option_spec.h"

namespace kith::cli {

/// -k,--clusters
std::string FlagsOf(const OptionSpec& option);
/// `flags`: FlagsOf, or a name without dashes for what is typed without one.
Option* AddOption(Command& command, const OptionSpec& option, const std::string& flags);

}  // namespace kith::cli

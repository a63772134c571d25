// Manual pages and completions of the command line, made from its help.
#pragma once
#include <string>

#include "app/cli/facts.h"

namespace kith::cli {

/// A page for man(1): kith(1) with its verbs, or kith-VERB(1) with the options of that verb and of the verbs below it.
std::string ManualPage(const VerbFacts& program, const std::string& version);
std::string ManualPageOf(const VerbFacts& verb, const std::string& version);

/// Scripts that complete verbs, options and their fixed values, and otherwise file names.
std::string BashCompletion(const VerbFacts& program);
std::string ZshCompletion(const VerbFacts& program);
std::string FishCompletion(const VerbFacts& program);

}  // namespace kith::cli

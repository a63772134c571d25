// kith estimate cause: what a mixed model printed, as a declaration.
#pragma once
#include "app/cli/commands.h"

namespace kith::cli {

/// Studies that are a published number, not a file.
void AddCause(Command& estimate, Context& context);

}  // namespace kith::cli

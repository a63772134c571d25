// The verb that plans many questions as a whole.
#pragma once
#include "app/cli/commands.h"

namespace kith::cli {

void AddPlan(Command& app, Context& context);

}  // namespace kith::cli

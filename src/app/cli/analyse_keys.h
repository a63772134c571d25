// kith analyse policy.toml keys
#pragma once
#include <memory>
#include <string>

#include "app/cli/commands.h"

namespace kith::cli {

/// Like the others in app/cli/analyse.h.
void AddKeys(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context);

}  // namespace kith::cli

// The verb that serves policies over HTTP.
#pragma once
#include <string>

#include "app/cli/commands.h"

namespace kith::cli {

void AddServe(Command& app, Context& context);

/// Whether a server can be asked it (--server).
bool IsRemoteVerb(const std::string& verb);

}  // namespace kith::cli

// One function for each verb of the laboratory, as in app/cli/commands.h.
#pragma once
#include <span>

#include "app/cli/advice.h"
#include "app/cli/commands.h"

namespace kith::cli::lab {

void AddExperiment(Command& app, Context& context);
void AddSample(Command& app, Context& context);
void AddAttack(Command& app, Context& context);
void AddProbe(Command& app, Context& context);
void AddAudit(Command& app, Context& context);
void AddTransfer(Command& app, Context& context);
void AddRho(Command& app, Context& context);
void AddAffinity(Command& app, Context& context);
void AddLeakage(Command& app, Context& context);

/// For AlsoAdvise.
std::span<const Advice> LaboratoryAdvice();

}  // namespace kith::cli::lab

// One function for each verb of the command line. Each registers its options and help, and runs when CLI11 has chosen
// it.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "base/cancel.h"

namespace kith::cli {

/// What every verb needs: the flag that Ctrl-C sets, and where to leave the exit code.
struct Context {
  CancelFlag* cancel = nullptr;
  int exit_code = 0;
};

void AddInit(CLI::App& app, Context& context);
void AddImport(CLI::App& app, Context& context);
void AddColumns(CLI::App& app, Context& context);
void AddExplain(CLI::App& app, Context& context);
void AddQuery(CLI::App& app, Context& context);
void AddAnalyse(CLI::App& app, Context& context);
void AddPredict(CLI::App& app, Context& context);
void AddBudget(CLI::App& app, Context& context);
void AddTransfer(CLI::App& app, Context& context);
void AddProbe(CLI::App& app, Context& context);
void AddAudit(CLI::App& app, Context& context);
void AddAttack(CLI::App& app, Context& context);
void AddLeakage(CLI::App& app, Context& context);
void AddSample(CLI::App& app, Context& context);
void AddExperiment(CLI::App& app, Context& context);

}  // namespace kith::cli

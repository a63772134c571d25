// One function for each verb of the command line. Each registers its options and help, and runs when CLI11 has chosen
// it.
#pragma once
#include <functional>
#include <string>

#include "app/cli/command.h"
#include "base/cancel.h"

namespace kith::cli {

/// What every verb needs: the flag that Ctrl-C sets, and where to put the exit code.
struct Context {
  CancelFlag* cancel = nullptr;
  int exit_code = 0;
  std::string server;  // where it is asked; empty: here
};

void AddInit(Command& app, Context& context);
void AddImport(Command& app, Context& context);
void AddColumns(Command& app, Context& context);
void AddExplain(Command& app, Context& context);
void AddQuery(Command& app, Context& context);
void AddAnalyse(Command& app, Context& context);
void AddPredict(Command& app, Context& context);
void AddBudget(Command& app, Context& context);
void AddPolicy(Command& app, Context& context);
void AddLedger(Command& app, Context& context);
void AddUser(Command& app, Context& context);
void AddApprovals(Command& app, Context& context);
void AddTransfer(Command& app, Context& context);
void AddEstimate(Command& app, Context& context);
void AddCheck(Command& app, Context& context);
void AddAudit(Command& app, Context& context);
void AddDoctor(Command& app, Context& context);
void AddCompletion(Command& app, Context& context);
void AddManual(Command& app, Context& context);

}  // namespace kith::cli

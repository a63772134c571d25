// How parts of requests to the laboratory are changed on the command line.
#include "app/cli/advice.h"

#include <array>

#include "cli/verbs.h"

namespace kith::cli::lab {

// tools/check_messages.py: every parameter that the laboratory's library names is here.
std::span<const Advice> LaboratoryAdvice() {
  static constexpr auto kAdvice = std::to_array<Advice>({
      {"attack.columns", "--columns user,time,lat,lon,place"},
      {"attack.methods", "kith attack --help"},
      {"audit.model", "kith transfer"},
      {"audit.query", "--query"},
      {"audit.target", "--epsilon 1 or --scale 2.5"},
      {"cities", "--cities"},
      {"experiment.data", "--data"},
      {"experiment.figure", "kith experiment --help"},
      {"experiment.least", "--least"},
      {"leakage.law", "--from agreed.csv"},
      {"leakage.model", "kith leakage --help"},
      {"leakage.observed", "--observed"},
      {"leakage.released", "--released"},
      {"leakage.secret", "--secret"},
      {"leakage.suppressed", "--suppressed"},
      {"probe.batch", "without --batch"},
      {"probe.command", "--left, --right"},
      {"probe.runs", "--runs"},
      {"probe.shell", "--shell"},
      {"probe.timeout", "--timeout"},
      {"rho.table", "--columns left,right"},
  });
  return kAdvice;
}

}  // namespace kith::cli::lab

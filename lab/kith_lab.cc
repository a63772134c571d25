// The laboratory's command line: verbs of kith that no curator needs. kith runs it (app/cli/laboratory.h).
#include <array>

#include "app/cli/run.h"
#include "cli/verbs.h"

namespace {

using namespace kith::cli;

constexpr const char* kAbout =
    "kith-lab is the laboratory of kith: figures of the papers, attacks, and what other methods would give. Its verbs\n"
    "are verbs of kith: kith experiment fig6 runs kith-lab.";

constexpr const char* kExits =
    "Exit codes: 0 done, 1 claim refuted, 2 bad usage or policy, 5 storage, 6 internal, 130 interrupted.";

constexpr auto kVerbs = std::to_array<VerbEntry>({
    {"experiment", lab::AddExperiment},
    {"sample", lab::AddSample},
    {"attack", lab::AddAttack},
    {"probe", lab::AddProbe},
    {"audit", lab::AddAudit},
    {"transfer", lab::AddTransfer},
    {"rho", lab::AddRho},
    {"affinity", lab::AddAffinity},
    {"leakage", lab::AddLeakage},
});

}  // namespace

int main(int argc, char** argv) {
  AlsoAdvise(lab::LaboratoryAdvice());
  return kith::cli::RunCommandLine({kAbout, kExits, "kith-lab " KITH_VERSION, {}, kVerbs}, argc, argv);
}

// Verbs of the laboratory, kith-lab, which is a program of its own: kith runs it where it is installed, as git does
// with its verbs.
#pragma once
#include <string_view>

namespace kith::cli {

bool IsLaboratoryVerb(std::string_view verb);

/// Is this command line one of kith-lab's? Its verbs; `audit` of anything but policies; `transfer --compare` and
/// `--table`.
bool IsForLaboratory(int argc, char** argv);

/// Becomes kith-lab, found beside this program or in the PATH. Returns only if it cannot: the exit code, after an error
/// was shown.
int RunLaboratory(int argc, char** argv);

}  // namespace kith::cli

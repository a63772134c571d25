// The program, apart from its entry (entry.cc): the tests have another one.
#pragma once

namespace kith::cli {

/// Runs one command line. The exit code; throws nothing.
int Main(int argc, char** argv);

}  // namespace kith::cli

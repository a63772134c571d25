// The program, apart from its entry point (entry.cc): the tests have another.
#pragma once

namespace kith::cli {

/// Runs one command line. Returns the exit code; throws nothing.
int Main(int argc, char** argv);

}  // namespace kith::cli

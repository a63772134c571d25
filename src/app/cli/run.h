// What the programs of the command line have in common: reading it, running the verb, Ctrl-C, and errors that nobody
// expected.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/commands.h"
#include "base/result.h"

namespace kith::cli {

/// What a verb is called, and what declares its options.
struct VerbEntry {
  std::string_view name;
  void (*add)(Command& program, Context& context);
  bool alone = true;  // may be declared without the others
};

/// A program and its verbs.
struct Verbs {
  std::string about, footer, version;
  std::vector<std::string> elsewhere = {};  // verbs that another program has
  std::span<const VerbEntry> verbs = {};
  /// Null, or: options of the program itself.
  void (*options)(Command& program, Context& context) = nullptr;
  /// Null, or: an error that a command line deserves although it could be read.
  std::optional<Error> (*refuse)(const Command& program, int argc, char** argv) = nullptr;
  /// Null, or: how many words stand before the verb.
  int (*before)(int argc, char** argv) = nullptr;
};

/// Runs one command line. Returns the exit code; throws nothing.
int RunCommandLine(const Verbs& verbs, int argc, char** argv);

}  // namespace kith::cli

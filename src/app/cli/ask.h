// Options that explain and query share.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "release/release.h"

namespace kith::cli {

struct AskOptions {
  std::string policy;
  std::string sql;
  double epsilon = 0;
  double error = 0;
  std::vector<double> split;
  std::string format = "table";
  bool json = false;
  CLI::Option* has_epsilon = nullptr;
  CLI::Option* has_error = nullptr;

  bool as_json() const { return json || format == "json"; }
  Price price() const;
  /// The text of the question, read from standard input where it is "-".
  std::string question() const;
};

/// Adds policy, question, --epsilon, --error, --split and --json to a verb.
void AddAskOptions(CLI::App& command, AskOptions& options);

}  // namespace kith::cli

// Options that explain and query share.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "release/release.h"

namespace kith::cli {

class Command;

struct AskOptions {
  std::string policy;
  std::string sql;
  std::optional<double> epsilon, error;
  std::vector<double> split;
  bool no_intervals = false;
  std::string format = "table";
  bool json = false;
  std::string unit = "person";
  std::optional<std::uint64_t> approval;  // a curator's, by number; only for a server

  bool as_json() const { return json || format == "json"; }
  Price price() const;
  /// The text of the question, read from standard input where it is "-".
  std::string question() const;
  QuestionRequest request() const;
  /// The same with its price, for a server.
  Json body(const QuestionRequest& request) const;
};

extern const char* const kNoIntervalsHelp;  // of --no-intervals

/// Adds policy, question, --epsilon, --error, --split, --no-intervals, --unit and --json to a verb.
void AddAskOptions(Command& command, AskOptions& options);

}  // namespace kith::cli

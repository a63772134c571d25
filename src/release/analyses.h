// The table of analyses, with their options: said here once. The command line takes flags and help from it, the server
// what it reads from bodies of requests and docs/openapi.json; from that file the console has its forms, and
// tools/analyses.py writes the Python signatures and the reference page. docs/howto/add_an_analysis.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "policy/policy.h"
#include "release/any_analysis.h"

namespace kith {

/// Where the value of an option goes; from its type follows what may be given.
using OptionPlace = std::variant<std::string*, std::vector<std::string>*, bool*, double*, std::optional<double>*,
                                 std::vector<double>*, std::size_t*, std::optional<std::size_t>*, std::int64_t*,
                                 std::optional<std::int64_t>*, std::vector<std::int64_t>*>;

struct AnalysisOption {
  std::string name;  // as in requests and in Python: max_degree; where people type it: --max-degree
  OptionPlace place;
  std::string help;
  bool needed = false;
  // Of numbers, for forms and descriptions: the analysis itself refuses what is beyond, in its own words.
  Json least = {}, most = {};
  std::vector<std::string> choices = {};  // nothing else is taken
  std::size_t exactly = 0;                // how many a list has; 0: any number
  char letter = 0;                        // a second name where people type it: -k
  bool shows_default = false;             // what is in its place before is what is meant where nothing is said
  bool expressions = false;               // a list of SQL, whose commas may be inside of brackets

  bool IsList() const;
  /// What is in its place now.
  Json Value() const;
  /// --max-degree
  std::string Flag() const;

  AnalysisOption& Within(Json from, Json to);
  AnalysisOption& OneOf(std::vector<std::string> names);
  AnalysisOption& Exactly(std::size_t many);
  AnalysisOption& Letter(char one);
  AnalysisOption& ShowsDefault();
  AnalysisOption& OfExpressions();
};

/// One analysis that somebody chooses options for.
struct AnalysisForm {
  std::vector<AnalysisOption> options;
  /// From what is in the places of the options. Fails: as the analysis itself.
  std::function<Result<AnyAnalysis>(const Policy&)> make;

  /// Requires: there is an option of this name.
  const AnalysisOption& Option(std::string_view name) const;
};

struct AnalysisEntry {
  const char* name;      // kmeans
  const char* title;     // as a heading
  const char* about;     // in one line
  const char* needs;     // of the policy; empty: nothing in particular
  const char* examples;  // at the end of the help of the command line
  AnalysisForm (*form)();
  const char* price = "Price: this part of the policy's epsilon";
};

/// In the order in which help lists them.
std::span<const AnalysisEntry> Analyses();
/// Null: there is no such analysis.
const AnalysisEntry* FindAnalysis(std::string_view name);

}  // namespace kith

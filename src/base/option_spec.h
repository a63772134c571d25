// An option of a verb or a request, said once: its name, what may be given, and help. The command line takes flags from
// it, requests over HTTP and from Python their fields (server/body.h), and descriptions their types.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kith {

/// Where the value of an option goes; from its type follows what may be given.
using OptionPlace = std::variant<std::string*, std::vector<std::string>*, bool*, double*, std::optional<double>*,
                                 std::vector<double>*, std::size_t*, std::optional<std::size_t>*, std::int64_t*,
                                 std::optional<std::int64_t>*, std::vector<std::int64_t>*>;

struct OptionSpec {
  std::string name;  // as in requests and in Python: max_degree; where people type it: --max-degree
  OptionPlace place;
  std::string help;
  bool needed = false;
  // Of numbers, for forms and descriptions: what takes them refuses what is beyond, in its own words.
  Json least = {}, most = {};
  std::vector<std::string> choices = {};  // nothing else is taken
  std::size_t exactly = 0;                // how many a list has; 0: any number
  char letter = 0;                        // a second name where people type it: -k
  bool shows_default = false;             // what is in its place before is what is meant where nothing is said
  bool expressions = false;               // a list of SQL, whose commas may be inside of brackets
  bool repeated = false;                  // a list that is typed as the option several times

  bool IsList() const;
  /// What is in its place now.
  Json Value() const;
  /// --max-degree
  std::string Flag() const;
  /// What no type says: the choices, and how many. Fails: kInvalidArgument, at `where`.
  Result<void> Check(const std::string& where) const;

  OptionSpec& Within(Json from, Json to);
  OptionSpec& OneOf(std::vector<std::string> names);
  OptionSpec& Exactly(std::size_t many);
  OptionSpec& Letter(char one);
  OptionSpec& ShowsDefault();
  OptionSpec& OfExpressions();
  OptionSpec& Repeated();
};

/// An option that must be given, and one that may be.
OptionSpec Must(const char* name, OptionPlace place, const char* help);
OptionSpec May(const char* name, OptionPlace place, const char* help);

}  // namespace kith

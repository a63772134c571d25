// Verbs and options as values: what manual pages and completions are made of.
#pragma once
#include <string>
#include <vector>

namespace kith::cli {

struct OptionFacts {
  std::vector<std::string> names;  // as typed, the long one first: "--epsilon"; a position has one without dashes
  std::string help;
  std::string shown_default;         // empty: none
  std::vector<std::string> choices;  // empty: anything
  bool position = false, takes_value = false, required = false;
};

struct VerbFacts {
  std::string name, help, footer;
  std::vector<OptionFacts> options;  // --help among them
  std::vector<VerbFacts> verbs;
};

}  // namespace kith::cli

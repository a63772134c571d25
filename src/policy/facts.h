// What a policy declares about data and world, and who sees to it that it is so: one table. The documents show it
// (docs/guide/facts.md), and whatever states a loss names the promises in it, in the same words.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace kith {

enum class Standing {
  kEnforced,  // whatever the data are, answers are computed as if it were so
  kChecked,   // data that contradict it are refused
  kPromised,  // the guarantee rests on the curator's word
};

/// What happened to the data so far, as far as promises rest on it.
struct DataSoFar {
  bool replaced = false;     // there was more than one version
  bool by_cell = false;      // some charge was to some cells and not to others
  bool before = false;       // something was counted under another policy, or by another ledger
  std::string version = {};  // of now; empty: none in particular
};

struct Fact {
  std::string_view declared;  // where in a policy
  std::string_view says;
  Standing standing;
  std::string_view how;  // what is done with the data, or who looks at them and when
  /// Of a promise: how assumptions name it, with what the policy says in its place: "{table}". Empty: the dependence
  /// model's own words name it.
  std::string_view words = {};
  /// Of a promise with words: what is put into them, once for each time that the policy makes it.
  std::vector<std::vector<std::string>> (*made)(const Policy&, const DataSoFar&) = nullptr;
  bool counted = false;  // an import counts what breaks it
};

/// In the order of the parts of a policy.
std::span<const Fact> Facts();

/// What the policy promises about the data, besides its dependence model: parts of a sentence.
/// Ensures [FACTS-1]: every promise of the table that the policy makes is there, in the table's words.
std::vector<std::string> PromisesMadeBy(const Policy& policy, const DataSoFar& data);
/// Those that no import counts, in the words of answers about the declared version, or the first.
std::vector<std::string> PromisesNotCounted(const Policy& policy);

/// The table as the documents show it.
std::string FactsTable();

}  // namespace kith

// What a check found wrong with a declaration, as a ledger keeps it, and whether another declaration resolves it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/policy.h"

namespace kith::check {

struct Alarm {
  struct Of {
    std::string label;      // the class; empty if there was one
    double odds_ratio = 0;  // the largest that the counts contradict: the declared one at least. Not printed
    std::int64_t size = 0;  // of its groups, as declared
  };
  std::string found;     // in words
  std::string by;        // the column that names the groups
  std::string strength;  // the column that names the classes; may be empty
  std::vector<Of> of;    // at least one
};

/// One line of JSON.
std::string ToText(const Alarm& alarm);
/// Nothing if the text does not have this form: older programs kept only the words.
std::optional<Alarm> AlarmFrom(const std::string& text);

/// Does what was found contradict this declaration too? Only one of the same groups resolves it, no smaller, with an
/// odds ratio above what is contradicted, or with none. If its classes differ, each of them must. Anything else that is
/// declared says nothing about what was found.
/// Ensures [CHECK-4]: true for the declaration that was checked, and for each that follows from a contradicted one.
bool Contradicts(const Alarm& alarm, const Dependence& declared);

}  // namespace kith::check

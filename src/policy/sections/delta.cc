// [budget] delta: a budget of (epsilon, delta) instead of a pure one.  Claims: claims/caps.md
#include <fmt/format.h>

#include "policy/sections/section.h"
#include "policy/sections/sections.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

// Where no proof says what a delta means under dependence, or for whom.
const char* NotProved(const Policy& policy) {
  if (policy.unit.distance) return "a loss per distance has no delta under dependence";
  if (std::holds_alternative<Lipschitz>(policy.dependence.model))
    return "a lipschitz model measures loss by distance, and has no delta under dependence";
  if (policy.stream) return "the windows of a stream are counted in pure loss";
  if (policy.unit.within) return "persons in households are counted in pure loss";
  if (policy.counts_presence) return "neighbours = \"add-or-remove\" is counted in pure loss";
  if (!UnprovenOn(policy.dependence.model).empty())
    return "the formula for this dependence is not proved, and nothing is known of it with a delta";
  return nullptr;
}

Result<double> Probability(const Section& section, const Member& member, const char* example) {
  const auto number = section.Number(member);
  if (!number) return number.error();
  // 2^-60 is the smallest unit of a delta.
  if (*number >= 0x1p-52 && *number <= 0.1) return *number;
  return section.At(member.line, fmt::format("{} must lie between 2.3e-16 and 0.1", member.key),
                    fmt::format("write {} = {}: a probability that nothing is promised, far below one over the number "
                                "of people",
                                member.key, example));
}

Result<void> ReadCaps(const Section& section, Policy& policy) {
  const Member* member = section.Find("caps");
  if (member == nullptr) return {};
  const auto caps = section.Table(*member, "[budget.caps]", "[budget.caps] with lines \"column=value\" = mu");
  if (!caps) return caps.error();
  if (!policy.fixed_public_columns) {
    return caps->At(caps->line(), "cells can have caps of their own only where nobody ever changes the cell",
                    "add public_columns = \"fixed\" to [data] if that can be promised, or remove [budget.caps]");
  }
  for (const Member& cap : caps->members()) {
    const auto mu = caps->Number(cap);
    if (!mu) return mu.error();
    if (!(*mu >= 1e-6 && *mu <= 64))
      return caps->At(cap.line, "a cap of Gaussian loss must lie between 0.000001 and 64",
                      "write a number such as 0.2");
    policy.with_delta->caps.emplace_back(cap.key, *mu);
  }
  return {};
}

}  // namespace

Result<void> ReadDelta(const Section& section, Policy& policy) {
  const Member* delta = section.Find("delta");
  if (delta == nullptr) {
    for (const char* other : {"keys_delta", "questions", "caps"}) {
      if (const Member* member = section.Find(other))
        return section.At(member->line, fmt::format("{} belongs to a budget with a delta", other),
                          fmt::format("add delta = 1e-6, or remove {}", other));
    }
    return {};
  }
  const auto number = Probability(section, *delta, "1e-6");
  if (!number) return number.error();
  if (const char* why = NotProved(policy))
    return section.At(delta->line, fmt::format("delta cannot be stated here: {}", why),
                      "remove delta: pure losses hold");
  if (policy.epsilon_total > 700)
    return section.At(delta->line, "an epsilon beside a delta must be at most 700", "state an epsilon such as 1");
  policy.with_delta = Policy::WithDelta{.delta = *number};
  if (const Member* keys = section.Find("keys_delta")) {
    const auto part = Probability(section, *keys, "5e-7");
    if (!part) return part.error();
    if (*part > *number)
      return section.At(keys->line, "keys_delta must not be larger than delta, of which it is a part",
                        "write half of delta, or all of it if no normal noise is needed");
    policy.with_delta->keys = *part;
  }
  if (const Member* questions = section.Find("questions")) {
    const auto count = section.Integer(*questions);
    if (!count) return count.error();
    if (*count < 1 || *count > 1'000'000'000)
      return section.At(questions->line, "questions must lie between 1 and 1000000000",
                        "write how many questions are expected in all, or leave it out");
    policy.with_delta->questions = *count;
  }
  return ReadCaps(section, policy);
}

// Of the whole policy: [one_sided] is read after [budget], and cells are known at the end.
Result<void> CheckDelta(const Section& root, const Policy& policy) {
  if (!policy.with_delta) return {};
  if (!policy.one_sided.empty())
    return root.At(root.line(), "[one_sided] and a delta cannot be in one policy: true records have no delta",
                   "remove delta from [budget], or [one_sided]");
  for (const auto& [name, mu] : policy.with_delta->caps) {
    bool found = false;
    for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) found = found || policy.cells.Name(cell) == name;
    if (!found)
      return root.At(root.line(), fmt::format("[budget.caps] names no cell of this policy: {}", Quote(name)),
                     fmt::format("name cells as the budget shows them, such as {}", Quote(policy.cells.Name(0))));
  }
  return {};
}

}  // namespace kith

// The pipeline that every release goes through: look for a stored answer, charge, read, add noise, certify. In this
// order and no other.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "release/curator_state.h"
#include "release/pricing.h"

namespace kith {

/// Something to release: what it is called, whom it costs, what it costs, and how it is computed once it is paid.
struct Work {
  std::string normalised;     // canonical text: two spellings of one thing agree
  std::vector<bool> charged;  // per cell of the policy
  Priced priced;
  /// Reads data and adds the noise that `paid` says; called after the charge is durable. What it returns leaves.
  std::function<Result<Answer>(const Session&, const Priced& paid)> compute;
  /// Charged in an account of its own, in the same step (histograms of one-sided privacy).
  std::optional<OneSidedCharge> one_sided = std::nullopt;
  Covers covers = Covers::kAny;  // kMove: the loss is for a move of a metric unit
};

/// The version of the data as part of a key: a name is never taken for a number.
std::string VersionText(const DataState& data);

}  // namespace kith

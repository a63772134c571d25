// A study that is private only with a delta: it is charged by its loss, pure or Gaussian, and its delta.
#pragma once
#include <cstdint>
#include <memory>

#include "analysis/analysis.h"
#include "base/result.h"
#include "loss/loss_kinds.h"

namespace kith {

/// Made without a loss, it can only be asked what it reads and whom it charges; AtDelta gives the study that is
/// released. Its shares mean nothing.
class DeltaStudy : public Study {
 public:
  const DeltaStudy* NeedsDelta() const final { return this; }
  /// The same study at a pure or a Gaussian loss and a delta (LossKind::kDelta), which are charged: its claims are
  /// about these.
  virtual Result<std::shared_ptr<const DeltaStudy>> AtDelta(const Loss& loss, std::int64_t delta) const = 0;
  /// How many units it takes to be seen with 95 % probability, to compare two losses. Requires: made by
  /// AtDelta.
  virtual Result<double> SeenFrom() const = 0;
};

}  // namespace kith

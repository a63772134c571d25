// A study that is private beside a delta alone: it has no pure loss, and is charged by its Gaussian loss and its delta.
#pragma once
#include <cstdint>
#include <memory>

#include "analysis/analysis.h"
#include "base/result.h"

namespace kith {

/// Made without a loss, it can only be asked what it reads and whom it charges; AtDelta gives the study that is
/// released. Its shares are 0 and mean nothing.
class DeltaStudy : public Study {
 public:
  /// The same study at a Gaussian loss (its square, LossKind::kMu) and a delta (LossKind::kDelta), which are charged:
  /// its claim is about these.
  virtual Result<std::shared_ptr<const Study>> AtDelta(std::int64_t mu, std::int64_t delta) const = 0;
};

}  // namespace kith

// A study that can have normal noise in place of pure noise, and then measures something else.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "analysis/analysis.h"
#include "base/result.h"

namespace kith {

/// As it is made it has pure noise, by its shares; AtMu gives the same study with normal noise.
class NormalStudy : public Study {
 public:
  const NormalStudy* CanBeNormal() const final { return this; }
  /// The same study at a Gaussian loss (its square, LossKind::kMu), which is charged: its claim is about that. Its one
  /// share is 0 and means nothing.
  virtual Result<std::shared_ptr<const NormalStudy>> AtMu(std::int64_t mu) const = 0;
  /// How large the noise of what is shown will be, to choose between the two: a standard deviation.
  /// Requires: a share for each weight.
  virtual Result<double> ErrorAt(std::span<const PlainUnits> shares) const = 0;
};

}  // namespace kith

// kith transfer --gaussian: normal noise and delta under dependence.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/call.h"
#include "base/result.h"
#include "transfer/transfer.h"

namespace kith::cli {

struct GaussianOptions {
  std::optional<double> mu;  // plain; or a target:
  double epsilon = 0, delta = 0;
  std::int64_t counts = 1;
  std::string plot;  // a file, or empty; with a target
  bool json = false;
};

/// The exit code.
int RunGaussian(const Transfer& transfer, const GaussianOptions& options, const Call& call);

}  // namespace kith::cli

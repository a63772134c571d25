// kith transfer --sample: the simulation of a public network, once a policy.
#pragma once
#include <cstdint>
#include <string>

#include "base/call.h"

namespace kith::cli {

struct SampleRequest {
  std::string model;     // a policy, or a model as JSON
  double dependent = 0;  // the loss that it shall allow
  std::string file;      // what is written; must not be there yet
  std::uint64_t runs = 20'000;
};

/// Writes the sample and says what it is worth. Returns the exit code.
int RunSample(const SampleRequest& request, const Call& call);

}  // namespace kith::cli

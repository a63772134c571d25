// Writes down what proves a bound, so that somebody else can verify it with a program of their own:
// examples/verify/README.md has the format. Nothing rests on it. Claims: claims/transfer_witness.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "dependence/model.h"
#include "transfer/transfer.h"

namespace kith {

/// What proves the loss about one record between two of its values, where the records follow a joint law.
struct KernelProof {
  std::size_t record = 0;
  std::int64_t a = 0, b = 0;
  double ratio = 0;
  std::vector<std::tuple<std::uint32_t, std::uint32_t, double>> weights;  // of arcs: upper, lower, weight
};
std::vector<KernelProof> ProofsOf(const Joint& model, double plain);

struct Witness {
  std::string text;    // JSON
  std::string digest;  // SHA-256 of the text
  double bound = 0;    // the dependent loss that it proves, for the worst record
};

/// For one plain loss of all records; `gaussian`: for a Gaussian one.
/// Fails: kInvalidArgument where there is none: bounds in closed form are verified by computing them.
Result<Witness> WitnessOf(const Transfer& transfer, double plain, bool gaussian);

}  // namespace kith

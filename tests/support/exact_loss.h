// The true dependent loss of a small joint law, by trying every kernel that can be worst. Written from the definition,
// shares no code with the transfer functions.
#pragma once
#include <cstdint>
#include <vector>

namespace kith::testing {

/// A joint law of a few records, row-major (the last record varies fastest).
struct SmallLaw {
  std::vector<int> values;
  std::vector<double> law;

  int records() const { return static_cast<int>(values.size()); }
  int Value(std::size_t state, int record) const;
  /// The law of the other records when one is known; empty if that value has probability 0.
  SmallLaw Given(int record, int value) const;
};

/// loss_i for plain losses steps[j] * step.
///
/// The worst kernels are the extreme rays of the cone of log-Lipschitz functions: constraints that hold with equality
/// connect all states, so log K is a whole multiple of `step` everywhere (up to a common factor), and changes by at
/// most steps[j] when record j changes. All such functions are enumerated. Requires: few enough of them (3 yes/no
/// records at steps up to 2, 4 at step 1, two records of 3 values).
double EnumeratedLoss(const SmallLaw& law, int record, const std::vector<int>& steps, double step);

}  // namespace kith::testing

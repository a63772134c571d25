// The different strengths of a graph's edges, numbered with 16 bits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace kith {

/// First Note all strengths, then Settle, then ask for numbers. If there are more than kMost different ones, the table
/// holds a grid with constant ratio and each is rounded up to it.
class StrengthTable {
 public:
  static constexpr std::size_t kMost = 65'536;

  /// Requires: theta is positive and finite.
  void Note(double theta);
  void NoteAll(const StrengthTable& other);
  void Settle();

  /// The number of the smallest strength in the table that is not below theta.
  /// Requires: theta is not above the largest that was noted.
  std::uint16_t NumberOf(double theta) const;
  const std::vector<double>& thetas() const { return thetas_; }
  bool rounds() const { return crowded_; }

 private:
  std::unordered_set<double> noted_;
  double last_ = 0;
  double smallest_ = 0;
  double largest_ = 0;
  bool crowded_ = false;
  std::vector<double> thetas_;  // increasing
};

}  // namespace kith

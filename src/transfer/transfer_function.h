// What every transfer function provides: its bounds for given plain losses. One file for each; functions.h lists them.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "transfer/transfer.h"

namespace kith {

/// Whom a bound covers, strongest first. A minimum of bounds covers the weakest among those it used.
enum class Adversary {
  kEvidence,    // may know other records, or have evidence about single ones
  kRecords,     // may know other records
  kNeighbours,  // may know records next to the one in question
  kNothing,     // knows how records depend, but none of them
};
std::string Words(Adversary adversary);

/// Plain losses: one for all records, or one for each.
class PlainLosses {
 public:
  static PlainLosses All(double plain) { return PlainLosses(plain, {}); }
  static PlainLosses Each(std::span<const double> plain) { return PlainLosses(0, plain); }
  double operator[](std::size_t record) const { return each_.empty() ? all_ : each_[record]; }
  bool uniform() const { return each_.empty(); }
  std::span<const double> each() const { return each_; }
  /// The largest, and that of all records together (rounded up); `records` is how many there are.
  double Largest() const;
  double SumOver(std::size_t records) const;

 private:
  PlainLosses(double all, std::span<const double> each) : all_(all), each_(each) {}
  double all_;
  std::span<const double> each_;
};

/// One bound: a value for each named record, or a single one that holds for all. Infinity: this bound says nothing.
struct BoundValues {
  std::string name;
  Adversary adversary = Adversary::kNothing;
  std::vector<double> values;
};

class TransferFunction {
 public:
  virtual ~TransferFunction() = default;
  virtual std::size_t classes() const { return 1; }
  /// How many records LossPerRecord takes; 0: any number, each by itself.
  virtual std::size_t records() const = 0;
  /// The declared class in one simple sentence.
  virtual std::string Assumes(std::size_t of_class) const = 0;
  /// All bounds that apply, at least one of them finite. `plain` holds records() losses or is uniform.
  virtual Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t of_class) const = 0;
  /// What some law of the declared class and some mechanism with these plain losses really lose, rounded down; nothing
  /// where no such law is written down.
  virtual std::optional<double> Reached(double /*plain*/, std::size_t /*of_class*/) const { return std::nullopt; }
  /// How close the way back (PlainBudget) has to come to the target, relative to it: less where one evaluation takes
  /// long.
  virtual double BudgetPrecision() const { return 0x1p-46; }
  /// Where the bounds are not proved (UnprovenOn): what the true loss is, if that can be computed.
  virtual std::optional<Audit> AuditAt(const PlainLosses&) const { return std::nullopt; }
};

/// The smallest bound for each record, and the largest of those.
Transferred Combine(const std::vector<BoundValues>& bounds, std::string assumption);

/// Each bound for its worst record; those that say nothing are left out.
std::vector<Bound> Listed(const std::vector<BoundValues>& bounds);

/// Limits of an assumption, as a person would write them ("2", "2.5", "0.01"): rounded so that no more is covered by
/// the printed assumption than by the declared one.
std::string AtMostText(double number);
std::string AtLeastText(double number);

}  // namespace kith

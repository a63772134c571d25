// Markov quilts on chains, and the influence curve: from plain loss to dependent loss by shielding records.
// Source: Song, Wang, Chaudhuri 2017 (Markov quilt mechanism); Bai, He, Gu, Kifer, Maeng 2026 (influence curve);
// docs/theory/published.md#markov-quilts.  Claims: claims/published.md. Double arithmetic, for comparison.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "dependence/model.h"

namespace kith::published {

/// Records that shield the rest of a chain from one record: the one `left` steps before it and the one `right` steps
/// after it. A missing side reaches to the end of the chain.
struct Quilt {
  std::optional<std::int64_t> left;
  std::optional<std::int64_t> right;
  std::int64_t near = 0;  // how many records are not shielded, the record itself included
  double influence = 0;   // the largest log-ratio of the shield's laws given two values of the record
};

struct QuiltOptions {
  /// As published, or without predecessors that cannot occur, which is tighter.
  bool skip_impossible = false;
  /// The longest side to try; nothing: all. Fewer quilts can only cost noise, not privacy.
  std::optional<std::int64_t> longest_side;
};

/// How fast the chain forgets, for the approximate mechanism: |P^t(x,y)/pi(y) - 1| <= r^t / min pi.
enum class Forgetting {
  kReversibleGap,  // published, reversible chains: r = e^{-g/2}, g = 2 (1 - |second eigenvalue|)
  kGap,            // published: g = 1 - second eigenvalue of P P*, P* the chain run backwards
  kEigenvalue,     // reversible chains: r = |second eigenvalue|, the step that the published r rounds up
  kSingularValue,  // r = square root of the second eigenvalue of P P*
};

/// For every record of a chain the quilts worth using. Immutable; safe to share between threads.
class QuiltCurve {
 public:
  /// Requires: the chain has passed Check.
  static QuiltCurve Exact(const Chain& chain, const QuiltOptions& options);
  /// Uses the transition table and the length only: holds for every start.
  /// Fails: kInvalidArgument if the chain has no single stationary law, does not forget (a rate of 1), or is not
  /// reversible where that is needed.
  static Result<QuiltCurve> Approximate(const Chain& chain, Forgetting how, const QuiltOptions& options);

  /// Ensures [PUBLISHED-8]: releases of plain loss `plain` in total, of any kind, have at most this dependent loss
  /// against somebody who knows no record, up to rounding.
  double Loss(double plain) const;
  /// The largest plain loss with Loss(...) <= dependent. A query that moves by at most 1 with each record gets Laplace
  /// noise of scale 1 / PlainBudget: exactly the Markov quilt mechanism.
  double PlainBudget(double dependent) const;

  struct Worst {
    std::size_t record = 0;
    Quilt quilt;
    double plain = 0;
  };
  /// The record that limits PlainBudget (the first, if several do), and the quilt used for it.
  Worst WorstAt(double dependent) const;

 private:
  std::vector<std::vector<Quilt>> quilts_;  // of each record: more influence, fewer near
};

/// PlainBudget of a curve with quilts of any width, for chains that are too long to keep all quilts.
struct QuiltBudget {
  double plain = 0;
  std::int64_t cut = 0;  // not 0: sides that are longer than this could be better and were not tried
};
/// Sides from which the next record on says less than dependent / length are never worth their length: without quilts
/// the budget is that already. Sides beyond kMostSide are not tried, and the result says so.
inline constexpr std::int64_t kMostSide = 8192;
QuiltBudget ExactQuiltBudget(const Chain& chain, double dependent, bool skip_impossible);
/// Fails: as QuiltCurve::Approximate.
Result<QuiltBudget> ApproximateQuiltBudget(const Chain& chain, Forgetting how, double dependent);

/// The largest log-ratio of the laws of the shield given two values of record i.
double MaxInfluence(const Chain& chain, std::int64_t record, std::optional<std::int64_t> left,
                    std::optional<std::int64_t> right, bool skip_impossible);

/// The stationary law of a transition table.
/// Fails: kInvalidArgument if there is more than one.
Result<Law> StationaryLaw(const LawTable& transition);
/// r, as above. Fails: as QuiltCurve::Approximate.
Result<double> ForgettingRate(const LawTable& transition, Forgetting how);

}  // namespace kith::published

// Linear classifiers by objective perturbation: support vector machine and logistic regression. The noise is put into
// what is minimised, before the minimum is sought: so one pass of noise pays for all weights, however often the solver
// reads the rows.
// Source: Chaudhuri, Monteleoni, Sarwate 2011 (Algorithm 2); with independent Laplace noise in place of a ball, on a
// box, and for a minimum that a computer finds. Claims: claims/learn.md
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/learn/design.h"
#include "analysis/learn/loss_shape.h"
#include "analysis/learn/terms.h"

namespace kith {

struct LearnOptions {
  learn::Loss loss = learn::Loss::kHinge;
  learn::DesignOptions design;
  std::optional<double> regularise;  // the objective's pull; nothing: from the price
  double holdout = 0;                // part of the units on which the classifier is tried instead of fitted
};

/// Immutable. The answer has a row for each weight; its details are the model (app: kith predict) and, with held-out
/// units, what it got right.
class Learn final : public Study {
 public:
  /// Fails: as DesignOf; kInvalidArgument if the part to hold out is not in [0, 0.9].
  static Result<std::unique_ptr<Learn>> Make(const LearnOptions& options, const Policy& policy);

  std::string Normalised() const override;
  const std::vector<double>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return design_.rows.charged; }
  bool HidesAnyChange() const override { return true; }
  Result<StudyOutline> Outline(std::span<const PlainUnits> shares) const override;
  /// Ensures [LEARN-4]: a plain loss of at most the share for units of charged cells, 0 for all others.
  Result<Findings> Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const override;

  const learn::Design& design() const { return design_; }

 private:
  Learn(const LearnOptions& options, learn::Design design, bool units_have_rows);
  struct Sides;
  Result<learn::Terms> TermsOf(std::span<const PlainUnits> shares) const;
  sql::Statement StatementOf() const;
  Result<Sides> Read(const Session& engine, BitSource& bits, const CancelFlag& cancel) const;

  LearnOptions options_;
  learn::Design design_;
  bool several_rows_;  // of a unit: held out together
  std::vector<double> weights_ = {1};
};

namespace learn {

/// Noisy weights in steps of 2^terms.step_exponent, made of all examples.
/// Fails: kCancelled. Ensures [LEARN-1].
Result<std::vector<Int128>> Release(const Examples& examples, Loss loss, const Terms& terms, BitSource& bits,
                                    const CancelFlag& cancel);

/// w.x of a row.
double ScoreOf(const Examples& examples, std::size_t row, const std::vector<double>& weights);

}  // namespace learn
}  // namespace kith

// The dependence coefficient of dependent differential privacy for whatever is declared: rho of every ordered pair by
// Eq. 14 and Eq. 18, self and dependent indistinguishability, dependent sensitivity, and the true loss next to them.
// Source: Liu, Chakraborty, Mittal 2016, Eqs. 14-24; docs/theory/published.md#dependence-coefficient. Claims:
// claims/audit.md. Double arithmetic: this is a report; no noise comes from here.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "audit/exact/exact_methods.h"
#include "published/listed_law.h"

namespace kith::audit {

/// How record j follows record i at one noise scale.
struct RhoPair {
  std::size_t i = 0, j = 0;
  double rho = 0;
  double self = 0;       // Eq. 19: what a change of record j itself does to the answer, as a loss
  double dependent = 0;  // Eq. 20: what a change of record i does to it through record j; rho is the ratio of the two
};

/// One equation at the noise that it calls for, or at a noise scale that was stated.
struct RhoEquation {
  std::string name;  // "Eq. 14", "Eq. 18"
  double scale = 0;
  double claimed = 0;               // dependent sensitivity over scale
  std::vector<RhoPair> pairs;       // every ordered pair of records that move the answer, by i, then j
  std::vector<double> sensitivity;  // Eq. 23: DS_i of each record
  double largest = 0;               // Eq. 24: DS
  std::optional<double> truth;      // the exact dependent loss at this scale; nothing: it cannot be computed
  bool at_most = false;             // rho is the largest that the declaration allows, not that of one law
  bool proved = false;              // that the true loss is at most the claimed one

  double Least() const;
  double Most() const;
  /// The ordered pair with the largest rho_ij - rho_ji; nothing with fewer than two records.
  std::optional<RhoPair> MostAsymmetric() const;
  /// Whether the true loss is known to be above the claimed one, beyond rounding.
  bool Exceeded() const { return truth && *truth > claimed * (1 + 1e-9) + 1e-12; }
};

struct RhoReport {
  std::string question;            // in words
  std::size_t records = 0;         // rows and columns of the table below
  std::vector<std::string> names;  // of the records; empty: they are numbered
  Target target;
  std::vector<RhoEquation> equations;  // none where the coefficient is not defined at all
  std::vector<std::string> notes;      // what the numbers are about, and what is not defined, in sentences
};

/// Equations at the noise for a claimed loss of target.epsilon, or at target.scale. Fails: kInvalidArgument if the
/// question does not fit, no record can move the answer, or there are too many records.
Result<RhoReport> RhoOfLaw(const FiniteLaw& law, const Additive& question, const Target& target);
/// The same for the sum of the values of rows, which may be any numbers.
Result<RhoReport> RhoOfRows(const published::ListedLaw& law, const Target& target);
/// For any declared model. Ensures [AUDIT-10]: of a law, the numbers of the equations, up to rounding; of strengths, no
/// law that they allow has a larger rho by Eq. 14. A model that states strengths but no law gets the largest rho by Eq.
/// 14 that the strengths allow, where a transfer function bounds it; a model about which the paper says nothing gets
/// only notes. `query` as in QuestionFrom; empty: the sum of the values.
Result<RhoReport> RhoOfModel(const Model& model, const std::string& query, const Target& target);

}  // namespace kith::audit

#include "published/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "loss/loss_text.h"
#include "published/count_case.h"
#include "published/identity_overlap.h"
#include "published/laplace_loss.h"
#include "published/markov_quilt.h"
#include "published/wasserstein.h"
#include "transfer/transfer_function.h"

namespace kith::published {
namespace {

const char kDoesNotCompose[] = "; for this single query only, does not compose";

/// Rows about one model; `loss` is filled in at the end.
class Table {
 public:
  Table(const Model& model, double epsilon, std::int64_t counts)
      : model_(model), epsilon_(epsilon), counts_(static_cast<double>(counts)) {}

  Result<std::vector<Method>> Rows() {
    auto own = NoiseOfCounts(model_, epsilon_, static_cast<std::int64_t>(counts_));
    if (!own) return own.error();
    methods_ = std::move(*own);
    if (std::holds_alternative<Lipschitz>(model_)) return std::move(methods_);
    const auto found = CountCaseOf(model_);
    if (!found) return found.error();
    if (const auto* chain = std::get_if<Chain>(&model_)) AddQuilts(*chain);
    if (*found) {
      AddOverlap(**found);
      if (counts_ == 1) {
        AddSingleQuery(**found);
        AddPublished(**found);
      }
      const std::vector<Secret>& secrets = (*found)->secrets;
      for (Method& method : methods_) {
        // n answers with Laplace noise to one question reveal as much as one answer with n times less noise.
        method.loss = method.scale > 0 ? LaplaceLoss(secrets, method.scale / counts_) : NoiselessLoss(secrets);
      }
    }
    return std::move(methods_);
  }

 private:
  std::string Loss() const { return "dependent loss " + LossText(epsilon_); }
  std::string AgainstNothingKnown() const { return Loss() + " against " + Words(Adversary::kNothing); }

  void AddQuilts(const Chain& chain) {
    const auto add = [&](std::string name, const QuiltBudget& together, const QuiltBudget& single) {
      if (together.cut > 0 || single.cut > 0) name += fmt::format(", sides up to {}", kMostSide);
      methods_.push_back({name,
                          counts_ / together.plain,
                          Standing::kComposes,
                          AgainstNothingKnown() + ", by transfer function influence curve",
                          {}});
      if (counts_ == 1) return;
      methods_.push_back({name + ", added up",
                          1 / single.plain,
                          Standing::kComposes,
                          AgainstNothingKnown() + ", each count by itself, with the same quilts",
                          {}});
    };
    const double each = epsilon_ / counts_;
    add("markov quilt", ExactQuiltBudget(chain, epsilon_, true), ExactQuiltBudget(chain, each, true));
    for (const Forgetting how : {Forgetting::kEigenvalue, Forgetting::kSingularValue}) {
      const auto together = ApproximateQuiltBudget(chain, how, epsilon_),
                 single = ApproximateQuiltBudget(chain, how, each);
      if (!together || !single) continue;
      add("markov quilt, approximate", *together, *single);
      break;
    }
  }

  void AddSingleQuery(const CountCase& count) {
    methods_.push_back({"wasserstein",
                        WassersteinSensitivity(count.secrets) / epsilon_,
                        Standing::kSingleQuery,
                        AgainstNothingKnown() + "; repeating this count adds up, other questions do not compose",
                        {}});
    methods_.push_back({"exact calibration",
                        CalibratedScale(count.secrets, epsilon_, 1),
                        Standing::kSingleQuery,
                        AgainstNothingKnown() + kDoesNotCompose,
                        {}});
  }

  void AddOverlap(const CountCase& count) {
    if (!count.eta) return;
    const auto records = static_cast<double>(count.pairs.sensitivities.size());
    methods_.push_back({"overlap",
                        counts_ / OverlapPlainBudget(epsilon_, records, *count.eta),
                        Standing::kComposes,
                        AgainstNothingKnown() + ", by transfer function overlap",
                        {}});
  }

  void AddPublished(const CountCase& count) {
    const std::string standing =
        count.pairs_are_enough
            ? AgainstNothingKnown() + kDoesNotCompose
            : "no guarantee: sums over pairs, proved only if all others are independent given each record";
    const auto add = [&](const char* name, Coefficient which) {
      methods_.push_back({name,
                          PublishedScale(count.pairs, which, Units::kQuery, epsilon_),
                          count.pairs_are_enough ? Standing::kSingleQuery : Standing::kNoGuarantee,
                          standing,
                          {}});
    };
    add("published DDP, Eq. 14", Coefficient::kEq14);
    add("published DDP, Eq. 18, one corner", Coefficient::kEq18b);
    add("published DDP, Eq. 18", Coefficient::kEq18a);
    if (!count.degrees) return;
    const CorrelatedSensitivity zhu = CorrelatedSensitivityOf(*count.degrees, count.pairs.sensitivities, 0);
    methods_.push_back({"zhu",
                        zhu.worst / epsilon_,
                        Standing::kNoGuarantee,
                        "no guarantee: weighs records by correlation, and records can determine each other without any",
                        {}});
  }

  const Model& model_;
  double epsilon_;
  double counts_;
  std::vector<Method> methods_;
};

}  // namespace

Result<std::vector<Method>> CompareForCounts(const Model& model, double epsilon, std::int64_t counts) {
  return Table(model, epsilon, counts).Rows();
}

}  // namespace kith::published

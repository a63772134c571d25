#include "audit/exact/exact_methods.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "audit/exact/exact_pairs.h"
#include "published/dependent_sensitivity.h"
#include "published/markov_quilt.h"
#include "published/wasserstein.h"
#include "transfer/transfer.h"
#include "transfer/transfer_function.h"

namespace kith::audit {
namespace {

using published::Coefficient;
using published::Network;
using published::Pairs;

/// What a method claims at a scale, and whether it claims it against somebody who knows other records too.
struct Stated {
  double loss = 0;
  bool covers_known = false;
};

struct Method {
  std::string name;
  Promise promise;
  std::function<Result<Stated>(double scale)> states;
  std::function<Result<double>(double epsilon)> scale_for;
};

class Methods {
 public:
  Methods(const FiniteLaw& law, const Additive& question, const ExactAudit& audit)
      : law_(law), question_(question), audit_(audit), secrets_(audit.Secrets()) {}

  Result<std::vector<Method>> All(std::string& not_shown) {
    AddLinear("laplace", Promise::kPlainOnly, true, audit_.sensitivity());
    if (law_.linked_only) {
      not_shown =
          "worlds in which the same pairs depend on each other otherwise: this is the Markov tree of these pairs, and "
          "the bounds of group and kith are for this tree";
    }
    if (!law_.has_priors) not_shown = "losses about the neighbours (a star is a law of its middle record alone)";
    AddPublished(not_shown);
    if (const auto ok = AddTransfers(not_shown); !ok) return ok.error();
    AddLinear("wasserstein", Promise::kSingleQuery, false, published::WassersteinSensitivity(secrets_));
    methods_.push_back({"exact calibration", Promise::kSingleQuery,
                        [this](double scale) -> Result<Stated> {
                          const auto worst = audit_.Loss(scale);
                          if (!worst) return worst.error();
                          return Stated{worst->loss, false};
                        },
                        [this](double epsilon) { return audit_.Scale(epsilon); }});
    return std::move(methods_);
  }

 private:
  void AddLinear(std::string name, Promise promise, bool covers_known, double distance) {
    methods_.push_back({std::move(name), promise,
                        [distance, covers_known](double scale) -> Result<Stated> {
                          return Stated{distance / scale, covers_known};
                        },
                        [distance](double epsilon) -> Result<double> { return distance / epsilon; }});
  }

  void AddPublished(std::string& not_shown) {
    pairs_ = PairsSeen(law_, question_);
    if (!pairs_) {
      not_shown += std::string(not_shown.empty() ? "" : ", ") + "the published pair formulas (too many records)";
      return;
    }
    const Promise promise = PairsAreEnough(law_) ? Promise::kSingleQuery : Promise::kHeuristic;
    for (const auto& [name, which] :
         {std::pair("DDP, Eq. 14", Coefficient::kEq14), {"DDP, Eq. 18", Coefficient::kEq18a}}) {
      methods_.push_back({name, promise,
                          [this, which = which](double scale) -> Result<Stated> {
                            return Stated{
                                DependentSensitivityAt(*pairs_, which, published::Units::kQuery, scale).worst / scale,
                                false};
                          },
                          [this, which = which](double epsilon) -> Result<double> {
                            return PublishedScale(*pairs_, which, published::Units::kQuery, epsilon);
                          }});
    }
  }

  Result<void> AddTransfers(std::string& not_shown) {
    if (!law_.model) {
      AddLinear("group", Promise::kComposes, true,
                std::accumulate(audit_.sensitivities().begin(), audit_.sensitivities().end(), 0.0));
      not_shown +=
          std::string(not_shown.empty() ? "" : ", ") + "kith's own bound (the law has more rows than it takes)";
      return {};
    }
    auto made = Transfer::Make(*law_.model);
    if (!made) return made.error();
    transfer_ = std::move(*made);
    const double moves = audit_.sensitivity();
    const auto at_one = transfer_->Loss(1);
    if (!at_one) return at_one.error();
    for (const Bound& bound : at_one->bounds) {
      if (bound.name == "group") AddLinear("group", Promise::kComposes, true, bound.dependent * moves);
    }
    if (const auto* chain = std::get_if<Chain>(&*law_.model); chain != nullptr && chain->length <= 2000) {
      const double values = static_cast<double>(chain->start.size());
      const double side = std::sqrt(1e7 / (static_cast<double>(chain->length) * values * values));
      quilts_ = published::QuiltCurve::Exact(*chain, {true, static_cast<std::int64_t>(std::max(2.0, side))});
      methods_.push_back(
          {"markov quilt", Promise::kComposes,
           [this, moves](double scale) -> Result<Stated> {
             return Stated{quilts_->Loss(moves / scale), false};
           },
           [this, moves](double epsilon) -> Result<double> { return moves / quilts_->PlainBudget(epsilon); }});
    }
    methods_.push_back({"kith", Promise::kComposes,
                        [this, moves](double scale) -> Result<Stated> {
                          const auto loss = transfer_->Loss(moves / scale);
                          if (!loss) return loss.error();
                          return Stated{loss->dependent, loss->adversary != kith::Words(Adversary::kNothing)};
                        },
                        [this, moves](double epsilon) -> Result<double> {
                          const auto plain = transfer_->PlainBudget(epsilon);
                          if (!plain) return plain.error();
                          return *plain > 0 ? moves / *plain : std::numeric_limits<double>::infinity();
                        }});
    return {};
  }

  const FiniteLaw& law_;
  const Additive& question_;
  const ExactAudit& audit_;
  std::vector<published::Secret> secrets_;
  std::vector<Method> methods_;
  std::optional<Pairs> pairs_;
  std::optional<Transfer> transfer_;
  std::optional<published::QuiltCurve> quilts_;
};

Result<void> CheckTarget(const Target& target) {
  const auto good = [](const std::optional<double>& x) { return !x || (*x > 0 && std::isfinite(*x)); };
  if (target.epsilon.has_value() != target.scale.has_value() && good(target.epsilon) && good(target.scale)) return {};
  return InvalidArgument("an audit needs one positive number: a loss that methods aim at, or a noise scale", "audit",
                         "name a loss such as 1, or a scale such as 2.5")
      .For("audit.target");
}

}  // namespace

bool PairsAreEnough(const FiniteLaw& law) {
  if (!law.has_priors || law.records() <= 2) return true;  // a star is declared that way
  const auto* network = std::get_if<Network>(&law.law);
  if (network == nullptr) return false;
  for (const auto& links : network->links) {
    for (const published::Link& link : links) {
      if (links.size() > 1 || network->links[link.to].size() > 1) return false;
    }
  }
  return true;
}

std::string Words(Promise promise) {
  switch (promise) {
    case Promise::kComposes:
      return "composes";
    case Promise::kSingleQuery:
      return "one answer only";
    case Promise::kPlainOnly:
      return "plain only";
    case Promise::kHeuristic:
      return "not proved here";
  }
  return "";
}

double MethodLine::TrueLoss(Knows adversary) const {
  const double none = truth.none.worst.loss;
  if (adversary == Knows::kNone) return none;
  return std::max({none, truth.all.worst.loss, truth.any ? truth.any->worst.loss : none});
}

bool MethodLine::HoldsAgainst(Knows adversary) const { return Holds(TrueLoss(adversary)); }

bool MethodLine::KeepsItsWord() const { return HoldsAgainst(covers_known ? Knows::kAnyOther : Knows::kNone); }

Result<LawAudit> AuditLaw(const FiniteLaw& law, const Additive& question, const ExactAudit& audit,
                          const Target& target) {
  if (auto ok = CheckTarget(target); !ok) return ok.error();
  if (audit.sensitivity() == 0) {
    return InvalidArgument("no record can move this answer", "query", "ask about values that differ");
  }
  LawAudit found{question.words, target, {}, law.records(), {}};
  Methods all(law, question, audit);
  const auto methods = all.All(found.not_shown);
  if (!methods) return methods.error();
  std::vector<double> scales;
  for (const Method& method : *methods) {
    const auto scale = target.scale ? Result<double>(*target.scale) : method.scale_for(*target.epsilon);
    if (!scale) return scale.error();
    if (!(*scale > 0 && std::isfinite(*scale))) continue;  // no noise is enough, or none is needed
    const auto stated = method.states(*scale);
    if (!stated) return stated.error();
    found.methods.push_back(
        {method.name, *scale, target.epsilon.value_or(stated->loss), method.promise, stated->covers_known, {}});
    scales.push_back(*scale);
  }
  auto truth = LossesOfAdversaries(law, question, audit, scales);
  if (!truth) return truth.error();
  for (std::size_t k = 0; k < found.methods.size(); ++k) found.methods[k].truth = std::move((*truth)[k]);
  return found;
}

}  // namespace kith::audit

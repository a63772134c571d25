#include "audit/exact_methods.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "transfer/published/dependent_sensitivity.h"
#include "transfer/published/markov_quilt.h"
#include "transfer/published/wasserstein.h"
#include "transfer/transfer.h"
#include "transfer/transfer_function.h"

namespace kith::audit {
namespace {

using published::Coefficient;
using published::Network;
using published::Pairs;

/// Tables of all pairs of records: at most so many multiplications.
constexpr double kMostPairWork = 4e8;

/// What record j adds, given each possible value of record i.
published::Secret PairSecret(std::size_t i, const LawTable& given, const Law& prior_i,
                             const std::vector<std::int64_t>& adds) {
  std::vector<published::Atoms> laws;
  for (std::size_t a = 0; a < given.size(); ++a) {
    if (!(prior_i[a] > 0)) continue;
    published::Atoms& atoms = laws.emplace_back();
    for (std::size_t v = 0; v < adds.size(); ++v) atoms.push_back({{static_cast<double>(adds[v])}, given[a][v]});
  }
  return OnGrid(i, {}, laws).value();  // one coordinate, at most 64 values: the grid is small
}

/// P(X_i = a, X_j = b) for all pairs of records, by one pass over the rows.
std::vector<std::vector<LawTable>> PairLaws(const Joint& joint, const FiniteLaw& law) {
  const std::size_t n = law.records();
  std::vector<std::vector<LawTable>> pairs(n, std::vector<LawTable>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) pairs[i][j].assign(law.values[i], Law(law.values[j], 0.0));
  }
  std::vector<std::size_t> value(n);
  for (std::size_t row = 0; row < joint.law.size(); ++row) {
    if (!(joint.law[row] > 0)) continue;
    std::size_t rest = row;
    for (std::size_t i = n; i-- > 0; rest /= law.values[i]) value[i] = rest % law.values[i];
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) pairs[i][j][value[i]][value[j]] += joint.law[row];
    }
  }
  return pairs;
}

/// What the published formulas see of a law: pairs. Nothing if there are too many.
std::optional<Pairs> PairsSeen(const FiniteLaw& law, const Additive& question, const ExactAudit& audit) {
  const std::size_t n = law.records();
  const auto records = static_cast<double>(n);
  const auto most = static_cast<double>(*std::max_element(law.values.begin(), law.values.end()));
  const auto* joint = std::get_if<Joint>(&law.law);
  const double work = joint != nullptr ? records * records * static_cast<double>(joint->law.size())
                                       : records * records * most * most * most;
  if (work > kMostPairWork || n > 128) return {};
  Pairs pairs{audit.sensitivities(), {}, std::vector<std::vector<published::Secret>>(n)};
  for (const auto& adds : question.adds) {
    const auto [least, largest] = std::minmax_element(adds.begin(), adds.end());
    pairs.domains.push_back({{static_cast<double>(*least)}, {static_cast<double>(*largest)}});
  }
  std::vector<std::vector<LawTable>> tables;
  if (joint != nullptr) tables = PairLaws(*joint, law);
  for (std::size_t i = 0; i < n; ++i) {
    pairs.given[i].resize(n);
    std::vector<LawTable> given = joint != nullptr ? tables[i] : PairTables(std::get<Network>(law.law), i);
    Law prior(law.values[i], 0.0);
    for (std::size_t a = 0; a < prior.size(); ++a) {
      prior[a] = std::accumulate(given[i][a].begin(), given[i][a].end(), 0.0);
      if (joint == nullptr) prior[a] = std::get<Network>(law.law).marginals[i][a];
    }
    for (std::size_t j = 0; j < n && law.secret[i] != 0; ++j) {
      for (std::size_t a = 0; joint != nullptr && a < prior.size(); ++a) {
        for (double& p : given[j][a]) p = prior[a] > 0 ? p / prior[a] : 0;
      }
      if (j != i) pairs.given[i][j] = PairSecret(i, given[j], prior, question.adds[j]);
    }
    if (law.secret[i] == 0) pairs.given[i].clear();
  }
  return pairs;
}

/// The published sum over pairs is a theorem where, given any secret record, all others are independent.
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

/// What a method says at a scale, and whether it says so to somebody who knows other records, too.
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
    pairs_ = PairsSeen(law_, question_, audit_);
    if (!pairs_) {
      not_shown = "the published pair formulas (too many records)";
      return;
    }
    for (std::size_t i = 0; i < law_.records(); ++i) {
      if (!pairs_->given[i].empty()) continue;
      pairs_->given[i].resize(law_.records());  // nobody's record: nothing to protect
      for (auto& secret : pairs_->given[i]) secret = {i, {}, {{0}}, {{1.0}}};
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
      not_shown += std::string(not_shown.empty() ? "" : ", ") + "kith's own bound (too many rows)";
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
                         "add --epsilon 1 or --scale 2.5");
}

}  // namespace

std::string Words(Promise promise) {
  switch (promise) {
    case Promise::kComposes:
      return "composes";
    case Promise::kSingleQuery:
      return "one answer only";
    case Promise::kPlainOnly:
      return "plain only";
    case Promise::kHeuristic:
      return "no theorem here";
  }
  return "";
}

bool MethodLine::KeepsItsWord() const {
  const double most = claimed * (1 + 1e-9) + 1e-12;
  if (truth.none.worst.loss > most) return false;
  return !covers_known || (truth.all.worst.loss <= most && (!truth.any || truth.any->worst.loss <= most));
}

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

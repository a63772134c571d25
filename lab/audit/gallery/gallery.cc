#include "audit/gallery/gallery.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "audit/exact/exact_loss.h"
#include "audit/exact/exact_pairs.h"
#include "published/dependent_sensitivity.h"
#include "published/information.h"
#include "published/laplace_loss.h"
#include "published/zhu.h"

namespace kith::audit {

using published::Coefficient;
using published::ListedLaw;
using published::Network;
using published::Pairs;
using published::Secret;
using published::Units;

double Term::OfValue(double value) const {
  if (modulo) value = std::fmod(value, *modulo);
  if (at_least) value = value >= *at_least ? 1 : 0;
  return factor * value;
}

double Term::Of(const std::vector<double>& values) const {
  if (product) {
    Term single = *this;
    single.factor = 1;
    double all = factor;
    for (const std::size_t i : of) all *= single.OfValue(values[i]);
    return all;
  }
  double sum = 0;
  for (const std::size_t i : of) sum += parity ? values[i] : OfValue(values[i]);
  return parity ? factor * std::fmod(sum, 2) : sum;
}

namespace {

double Answer(const Question& question, const std::vector<double>& values) {
  double sum = 0;
  for (const Term& term : question) sum += term.Of(values);
  return sum;
}

/// All answers to a database, each as often as it is given.
published::Query AllAnswers(const GalleryCase& c) {
  return [&c](const std::vector<double>& values) {
    std::vector<double> answers;
    for (const Question& question : c.ask) answers.insert(answers.end(), c.times, Answer(question, values));
    return answers;
  };
}

/// A question to a network: whole numbers, record by record.
Result<Additive> AsAdditive(const Question& question, const FiniteLaw& law) {
  Additive additive;
  for (std::size_t i = 0; i < law.records(); ++i) {
    auto& adds = additive.adds.emplace_back();
    for (std::size_t v = 0; v < law.values[i]; ++v) {
      double sum = 0;
      bool parity = false;
      for (const Term& term : question) {
        if (std::find(term.of.begin(), term.of.end(), i) == term.of.end()) continue;
        parity = parity || term.parity || (term.product && term.of.size() > 1);
        sum += term.OfValue(static_cast<double>(v));
      }
      if (parity || sum != std::round(sum) || std::abs(sum) > 1e6) {
        return InvalidArgument("a question to a network adds whole numbers", "ask", "give the law as rows instead");
      }
      adds.push_back(static_cast<std::int64_t>(sum));
    }
  }
  return additive;
}

/// A scalar answer given twice: on the diagonal of a grid.
Result<Secret> Twice(const Secret& once) {
  std::vector<published::Atoms> laws;
  for (const auto& law : once.given) {
    published::Atoms& atoms = laws.emplace_back();
    for (std::size_t k = 0; k < law.size(); ++k) {
      if (law[k] > 0) atoms.push_back({{once.axes[0][k], once.axes[0][k]}, law[k]});
    }
  }
  return OnGrid(once.record, once.prior, laws);
}

/// Correlations of all pairs of records of a network, values as numbers.
published::Matrix Correlations(const Network& network) {
  const std::size_t n = network.marginals.size();
  const auto moment = [&](std::size_t i, int power) {
    double sum = 0;
    for (std::size_t a = 0; a < network.marginals[i].size(); ++a) {
      sum += network.marginals[i][a] * std::pow(static_cast<double>(a), power);
    }
    return sum;
  };
  published::Matrix degrees(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<LawTable> tables = PairTables(network, i);
    for (std::size_t j = 0; j < n; ++j) {
      double both = 0;
      for (std::size_t a = 0; a < tables[j].size(); ++a) {
        for (std::size_t b = 0; b < tables[j][a].size(); ++b) {
          both += network.marginals[i][a] * tables[j][a][b] * static_cast<double>(a * b);
        }
      }
      const double spread =
          std::sqrt((moment(i, 2) - moment(i, 1) * moment(i, 1)) * (moment(j, 2) - moment(j, 1) * moment(j, 1)));
      degrees[i][j] = i == j ? 1 : spread > 0 ? (both - moment(i, 1) * moment(j, 1)) / spread : 0;
    }
  }
  return degrees;
}

/// One case, whichever form its law has.
class Runner {
 public:
  explicit Runner(const GalleryCase& c) : c_(c) {}

  Result<GalleryResult> Outcome() {
    if (auto ok = Prepare(); !ok) return ok.error();
    GalleryResult result;
    result.scale = Scale();
    const auto single = LargestAndSumOfParts(result.scale);
    if (!single) return single.error();
    result.claimed = c_.claim == Claim::kEpsilon ? c_.epsilon
                     : c_.claim == Claim::kSum   ? single->second
                                                 : single->first;
    const auto truth = Truth(result.scale);
    if (!truth) return truth.error();
    result.truth = *truth;
    return result;
  }

 private:
  const ListedLaw* rows() const { return listed_ ? &*listed_ : nullptr; }

  Result<void> Prepare() {
    if (const auto* given = std::get_if<ListedLaw>(&c_.law)) {
      listed_ = *given;
      return PrepareRows();
    }
    const auto& law = std::get<FiniteLaw>(c_.law);
    // One answer about whole numbers: messages along the network. Otherwise its rows.
    if (c_.ask.size() == 1 && c_.known.empty() && !c_.information && c_.recipe != Recipe::kNone) {
      const auto additive = AsAdditive(c_.ask[0], law);
      if (!additive) return additive.error();
      const auto audit = ExactAudit::Make(law, *additive);
      if (!audit) return audit.error();
      parts_ = {audit->Secrets()};
      auto pairs = PairsSeen(law, *additive);
      if (!pairs) return InvalidArgument("the law has too many records for the published formulas", "law", "use fewer");
      pairs_ = std::move(*pairs);
      return {};
    }
    const auto joint = Expanded(law, 4096);
    if (!joint) return InvalidArgument("the law has too many records for this question", "law", "use fewer");
    listed_ = published::Listed(*joint);
    return PrepareRows();
  }

  Result<void> PrepareRows() {
    for (const Question& question : c_.ask) {
      auto secrets =
          SecretsOf(*listed_, [&](const std::vector<double>& x) { return std::vector{Answer(question, x)}; });
      if (!secrets) return secrets.error();
      parts_.push_back(std::move(*secrets));
    }
    std::vector<published::Box> boxes;
    for (const auto& [low, high] : c_.domains) boxes.push_back({{low}, {high}});
    auto pairs = PairsOf(*listed_, Sensitivities(), std::move(boxes));
    if (!pairs) return pairs.error();
    pairs_ = std::move(*pairs);
    for (std::size_t i = 0; i < c_.secret.size(); ++i) {
      for (Secret& nothing : pairs_.given[i]) {  // not a person's record: nothing to protect
        if (c_.secret[i] == 0) nothing = {i, {}, {{0}}, {{1.0}}};
      }
    }
    return {};
  }

  Result<std::vector<Secret>> SecretsOf(const ListedLaw& law, const published::Query& query) const {
    auto secrets = Secrets(law, query);
    if (!secrets) return secrets.error();
    std::vector<Secret> of_people;
    for (Secret& secret : *secrets) {
      const bool known = std::find(c_.known.begin(), c_.known.end(), secret.record) != c_.known.end();
      if (c_.secret[secret.record] != 0 && !known) of_people.push_back(std::move(secret));
    }
    return of_people;
  }

  /// How far each record by itself moves the first answer, over the values that occur.
  std::vector<double> Sensitivities() const {
    const ListedLaw& law = *listed_;
    std::vector<double> moves(law[0].values.size(), 0.0);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      std::set<double> values;
      for (const published::Database& d : law) values.insert(d.values[i]);
      for (const published::Database& d : law) {
        std::vector<double> changed = d.values;
        double low = INFINITY;
        double high = -INFINITY;
        for (const double value : values) {
          changed[i] = value;
          low = std::min(low, Answer(c_.ask[0], changed));
          high = std::max(high, Answer(c_.ask[0], changed));
        }
        moves[i] = std::max(moves[i], high - low);
      }
    }
    return moves;
  }

  double Scale() const {
    const double plain = *std::max_element(pairs_.sensitivities.begin(), pairs_.sensitivities.end()) / c_.epsilon;
    switch (c_.recipe) {
      case Recipe::kLaplace:
        return plain;
      case Recipe::kEq14:
        return PublishedScale(pairs_, Coefficient::kEq14, Units::kQuery, c_.epsilon);
      case Recipe::kEq14Literal:
        return PublishedScale(pairs_, Coefficient::kEq14, Units::kLiteral, c_.epsilon);
      case Recipe::kEq14OneShot:
        return DependentSensitivityAt(pairs_, Coefficient::kEq14, Units::kQuery, plain).worst / c_.epsilon;
      case Recipe::kEq18:
        return PublishedScale(pairs_, Coefficient::kEq18a, Units::kQuery, c_.epsilon);
      case Recipe::kExact:
        return published::CalibratedScale(parts_[0], c_.epsilon, 0);
      case Recipe::kZhu: {
        const published::Matrix degrees = rows() != nullptr
                                              ? published::PearsonDegrees(*rows())
                                              : Correlations(std::get<Network>(std::get<FiniteLaw>(c_.law).law));
        return published::CorrelatedSensitivityOf(degrees, pairs_.sensitivities, 0).worst / c_.epsilon;
      }
      case Recipe::kScale:
        return c_.scale;
      case Recipe::kNone:
        return 0;
    }
    return 0;
  }

  static double LossOf(std::span<const Secret> secrets, double scale) {
    return scale > 0 ? published::LaplaceLoss(secrets, scale) : published::NoiselessLoss(secrets);
  }

  Result<std::pair<double, double>> LargestAndSumOfParts(double scale) const {
    std::pair<double, double> found{0, 0};
    for (const auto& secrets : parts_) {
      const double loss = LossOf(secrets, scale);
      found.first = std::max(found.first, loss);
      found.second += loss * static_cast<double>(c_.times);
    }
    return found;
  }

  Result<double> Truth(double scale) const {
    if (rows() == nullptr) {
      std::vector<Secret> secrets = parts_[0];
      for (Secret& secret : secrets) {
        if (c_.times == 1) break;
        auto twice = Twice(secret);
        if (!twice) return twice.error();
        secret = std::move(*twice);
      }
      return LossOf(secrets, scale);
    }
    double truth = 0;
    for (const ListedLaw& rest : Knowing(*rows(), c_.known)) {
      auto secrets = SecretsOf(rest, AllAnswers(c_));
      if (!secrets) return secrets.error();
      if (!c_.information) {
        truth = std::max(truth, LossOf(*secrets, scale));
        continue;
      }
      double p = 0;
      for (const published::Database& d : rest) p += d.p;
      double most = 0;
      for (Secret& secret : *secrets) {
        for (double& prior : secret.prior) prior /= p;
        most = std::max(most, scale > 0 ? LaplaceInformation(secret, scale) : NoiselessInformation(secret));
      }
      truth += p * most;
    }
    return truth;
  }

  const GalleryCase& c_;
  std::optional<ListedLaw> listed_;
  std::vector<std::vector<Secret>> parts_;  // of each single answer
  Pairs pairs_;                             // of the first answer
};

}  // namespace

std::string Words(Recipe recipe) {
  switch (recipe) {
    case Recipe::kLaplace:
      return "laplace";
    case Recipe::kEq14:
      return "DDP, Eq. 14";
    case Recipe::kEq14Literal:
      return "DDP, Eq. 14, as printed";
    case Recipe::kEq14OneShot:
      return "DDP, Eq. 14, one shot";
    case Recipe::kEq18:
      return "DDP, Eq. 18";
    case Recipe::kExact:
      return "exact calibration";
    case Recipe::kZhu:
      return "zhu";
    case Recipe::kScale:
      return "stated scale";
    case Recipe::kNone:
      return "no noise";
  }
  return "";
}

Result<GalleryResult> RunCase(const GalleryCase& c) { return Runner(c).Outcome(); }

}  // namespace kith::audit

#include "audit/exact/exact_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "published/information.h"
#include "published/laplace_loss.h"
#include "published/laplace_mixture.h"

namespace kith::audit {
namespace {

using published::Secret;

/// Probabilities below e^-667 may be missing from the laws of a long network; outputs must be likelier than this.
constexpr double kLeastLog = -640;

/// The largest ratio of laws given as logarithms at every place. `least` becomes the smallest logarithm met.
Worst Spread(const std::vector<std::vector<double>>& logs, double& least) {
  Worst worst;
  for (std::size_t k = 0; k < logs[0].size(); ++k) {
    std::size_t low = 0;
    std::size_t high = 0;
    for (std::size_t t = 1; t < logs.size(); ++t) {
      if (logs[t][k] < logs[low][k]) low = t;
      if (logs[t][k] > logs[high][k]) high = t;
    }
    least = std::min(least, logs[low][k]);
    const double spread = logs[high][k] - logs[low][k];
    if (spread > worst.loss) worst = {spread, 0, high, low, static_cast<double>(k)};
  }
  return worst;
}

std::vector<std::vector<double>> LogLaws(const Secret& secret, double scale) {
  std::vector<std::vector<double>> logs;
  for (const auto& law : secret.given) logs.push_back(published::LogMixture(secret.axes, law, scale));
  return logs;
}

/// Weights smoothed by discrete noise, before its normalising factor, at every place of the axis.
std::vector<double> Smoothed(const published::Axis& axis, std::span<const double> weights, double scale) {
  const published::OneSided sums = published::OneSidedSums(axis, weights, scale);
  std::vector<double> smooth(weights.size());
  for (std::size_t k = 0; k < smooth.size(); ++k) smooth[k] = sums.left[k] + sums.right[k] - weights[k];
  return smooth;
}

/// Adds a function of the output over all whole numbers: beyond both ends it falls by a factor e^{-1/scale} at each
/// step.
double OverAllOutputs(const std::vector<double>& at, double scale) {
  const double decay = std::exp(-1 / scale);
  double sum = (at.front() + at.back()) * decay / -std::expm1(-1 / scale);
  for (const double value : at) sum += value;
  return sum * -std::expm1(-1 / scale) / (1 + decay);
}

double DiscreteDelta(const Secret& secret, double scale, double epsilon) {
  double worst = 0;
  std::vector<double> weights(secret.given[0].size());
  for (const auto& p : secret.given) {
    for (const auto& q : secret.given) {
      if (&p == &q) continue;
      for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = p[k] - std::exp(epsilon) * q[k];
      std::vector<double> at = Smoothed(secret.axes[0], weights, scale);
      for (double& value : at) value = std::max(0.0, value);
      worst = std::max(worst, OverAllOutputs(at, scale));
    }
  }
  return worst;
}

/// P[round(sigma N) = steps], from the side of the tail that is small.
double NormalChance(double steps, double sigma) {
  const double far = std::abs(steps);
  const auto tail = [&](double from) { return std::erfc(from / (sigma * std::numbers::sqrt2)) / 2; };
  return far < 0.5 ? 1 - 2 * tail(0.5) : tail(far - 0.5) - tail(far + 0.5);
}

/// Added up over whole numbers as far as doubles go: 40 standard deviations beyond the answers.
double NormalDelta(const Secret& secret, double sigma, double epsilon) {
  const auto answers = static_cast<std::ptrdiff_t>(secret.given[0].size());
  const auto reach = static_cast<std::ptrdiff_t>(std::ceil(40 * sigma)) + 1;
  std::vector<double> chance;  // of noise from -(answers + reach) on
  for (std::ptrdiff_t z = -(answers + reach); z <= answers + reach; ++z)
    chance.push_back(NormalChance(static_cast<double>(z), sigma));
  std::vector<std::vector<double>> smooth;
  for (const auto& law : secret.given) {
    auto& at = smooth.emplace_back();
    for (std::ptrdiff_t y = -reach; y < answers + reach; ++y) {
      double sum = 0;
      for (std::ptrdiff_t k = 0; k < answers; ++k)
        sum += law[static_cast<std::size_t>(k)] * chance[static_cast<std::size_t>(y - k + answers + reach)];
      at.push_back(sum);
    }
  }
  double worst = 0;
  for (const auto& p : smooth) {
    for (const auto& q : smooth) {
      double sum = 0;
      for (std::size_t y = 0; y < p.size(); ++y) sum += std::max(0.0, p[y] - std::exp(epsilon) * q[y]);
      worst = std::max(worst, sum);
    }
  }
  return worst;
}

/// The same outputs' densities decide for both kinds of noise, so the sum runs over whole numbers.
double DiscreteInformation(const Secret& secret, double scale) {
  std::vector<std::vector<double>> smooth;
  for (const auto& law : secret.given) smooth.push_back(Smoothed(secret.axes[0], law, scale));
  std::vector<double> at(smooth[0].size(), 0.0);
  for (std::size_t k = 0; k < at.size(); ++k) {
    double mean = 0;
    for (std::size_t t = 0; t < smooth.size(); ++t) mean += secret.prior[t] * smooth[t][k];
    for (std::size_t t = 0; t < smooth.size(); ++t) {
      if (smooth[t][k] > 0) at[k] += secret.prior[t] * smooth[t][k] * std::log(smooth[t][k] / mean);
    }
  }
  return OverAllOutputs(at, scale);
}

}  // namespace

Worst LargestRatio(const Secret& secret, double scale) {
  double least = 0;
  return Spread(LogLaws(secret, scale), least);
}

Result<ExactAudit> ExactAudit::Make(const FiniteLaw& law, const Additive& question) {
  auto answers = AnswersOf(law, question);
  if (!answers) return answers.error();
  ExactAudit audit;
  audit.answers_ = std::move(*answers);
  audit.has_priors_ = law.has_priors;
  audit.nothing_underflows_ = NothingUnderflows(law);
  audit.sensitivity_ = static_cast<double>(question.Sensitivity());
  for (std::size_t i = 0; i < law.records(); ++i) {
    audit.sensitivities_.push_back(static_cast<double>(question.Range(i)));
  }
  return audit;
}

Result<void> ExactAudit::CheckScale(double scale) const {
  if (scale > 0 && std::isfinite(scale)) return {};
  return InvalidArgument("a noise scale is a positive, finite number", "scale", "state a number such as 2.5");
}

Result<Worst> ExactAudit::Loss(double scale) const {
  if (auto ok = CheckScale(scale); !ok) return ok.error();
  Worst worst;
  double least = 0;
  for (const RecordAnswers& about : answers_) {
    const Worst found = Spread(LogLaws(about.secret, scale), least);
    if (found.loss <= worst.loss) continue;
    worst = {found.loss, about.secret.record, about.values[found.high], about.values[found.low], found.answer};
  }
  if (!nothing_underflows_ && least < kLeastLog) {
    return InvalidArgument("with this little noise, the result would depend on probabilities too small to compute with",
                           "scale", "audit a larger scale, or fewer records");
  }
  return worst;
}

Result<double> ExactAudit::Scale(double epsilon) const {
  if (!(epsilon > 0 && std::isfinite(epsilon))) {
    return InvalidArgument("epsilon must be a positive, finite number", "epsilon", "state a number such as 0.5");
  }
  // Every record's loss falls with the scale, so the answer is the largest scale that a record needs: start with the
  // floor, and serve the worst record.
  double scale = sensitivity_ / epsilon;
  if (scale == 0) return 0.0;
  for (std::size_t round = 0; round <= answers_.size(); ++round) {
    const auto worst = Loss(scale);
    if (!worst) return worst.error();
    if (worst->loss <= epsilon * (1 + 1e-13)) return scale;
    const auto about = std::find_if(answers_.begin(), answers_.end(),
                                    [&](const RecordAnswers& a) { return a.secret.record == worst->record; });
    scale = std::max(scale * (1 + 1e-15), published::CalibratedScale({&about->secret, 1}, epsilon, sensitivity_));
  }
  return scale;
}

Result<double> ExactAudit::Delta(double scale, double epsilon, Noise noise) const {
  if (auto ok = CheckScale(scale); !ok) return ok.error();
  if (!(epsilon >= 0)) return InvalidArgument("epsilon must not be negative", "epsilon", "state a number such as 0.5");
  if (noise == Noise::kContinuous) return published::ExactDelta(Secrets(), scale, epsilon);
  double worst = 0;
  constexpr double kWidest = 1e4;  // standard deviations in steps: what is added up stays small
  if (noise == Noise::kNormal && scale > kWidest) {
    return InvalidArgument("normal noise is audited up to a standard deviation of 10,000", "scale",
                           "audit less noise, or a coarser question");
  }
  for (const RecordAnswers& about : answers_) {
    worst = std::max(worst, noise == Noise::kNormal ? NormalDelta(about.secret, scale, epsilon)
                                                    : DiscreteDelta(about.secret, scale, epsilon));
  }
  return worst;
}

std::optional<ExactAudit::Information> ExactAudit::InformationAt(double scale) const {
  if (!has_priors_ || answers_.empty()) return {};
  Information most;
  for (const RecordAnswers& about : answers_) {
    const double mutual = DiscreteInformation(about.secret, scale);
    if (mutual <= most.mutual && &about != &answers_.front()) continue;
    most = {about.secret.record, mutual, published::LargestDivergence(about.secret, scale),
            published::InformationBound(LargestRatio(about.secret, scale).loss)};
  }
  return most;
}

std::vector<Secret> ExactAudit::Secrets() const {
  std::vector<Secret> secrets;
  for (const RecordAnswers& about : answers_) secrets.push_back(about.secret);
  return secrets;
}

}  // namespace kith::audit

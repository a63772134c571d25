#include "transfer/gaussian/gaussian.h"

#include <algorithm>
#include <cmath>

#include "transfer/gaussian/probit.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

using namespace rounding;

constexpr double kMostLoss = 700;  // e^loss stays a number

double Expm1Down(double x) { return x == 0 ? 0 : Narrow(std::expm1(x), kLibraryUlps); }

Result<void> CheckTarget(double epsilon) {
  if (epsilon > 0 && epsilon <= kMostLoss) return {};
  return InvalidArgument("a dependent loss beside a delta must lie between 0 and 700", "epsilon",
                         "state a number such as 1");
}

Result<void> CheckMu(double mu) {
  if (mu >= 0 && std::isfinite(mu)) return {};
  return InvalidArgument("a Gaussian loss must be a finite number that is not negative", "mu",
                         "state a number such as 0.2");
}

Result<void> CheckNotMetric(const Transfer& transfer) {
  if (!std::holds_alternative<Lipschitz>(transfer.model())) return {};
  return InvalidArgument("a loss per unit of distance has no delta under dependence", "delta",
                         "use a pure loss, or a dependence model that is not metric");
}

// Adding the same constant to a kernel makes it obey a loss that it broke by delta; see the source.
bool Obeys(const PrivacyProfile& profile, double c, double loss) {
  const double delta = profile.Delta(loss);
  return delta == 0 || delta <= Narrow(c * Expm1Down(loss), 1);
}

}  // namespace

Result<double> OffsetLoss(const PrivacyProfile& profile, double c) {
  if (Obeys(profile, c, 0)) return 0;
  double low = 0, high = 1;
  while (high < kMostLoss && !Obeys(profile, c, high)) high *= 2;
  high = std::min(high, kMostLoss);
  if (!Obeys(profile, c, high)) {
    return InvalidArgument("this profile promises nothing beyond its delta", "delta", "use more noise");
  }
  while (high - low > high * 0x1p-50) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (Obeys(profile, c, middle) ? high : low) = middle;
  }
  return high;
}

Result<double> OffsetDelta(const Transfer& transfer, std::span<const PrivacyProfile* const> profiles, double epsilon,
                           std::size_t of_class) {
  if (auto ok = CheckNotMetric(transfer); !ok) return ok.error();
  if (auto ok = CheckTarget(epsilon); !ok) return ok.error();
  const bool one = profiles.size() == 1;
  if (!one && (profiles.empty() || profiles.size() != transfer.records())) {
    return InvalidArgument("there must be one profile, or one for each record", "profiles",
                           "give as many as the model has records");
  }
  if (one) {
    // The largest plain loss that the target allows is the cheapest place to read the profile: c falls with it.
    const auto plain = transfer.PlainBudget(epsilon, of_class);
    if (!plain) return plain.error();
    const double delta = profiles[0]->Delta(std::min(*plain, kMostLoss));
    if (delta == 0) return 0;
    const double room = Expm1Down(std::min(*plain, kMostLoss));
    return room == 0 ? 1 : std::min(1.0, MulUp(DivUp(delta, room), Expm1Up(epsilon)));
  }
  const auto fits = [&](double c) -> Result<bool> {
    std::vector<double> losses;
    for (const auto* profile : profiles) {
      const auto loss = OffsetLoss(*profile, c);
      if (!loss) return false;
      losses.push_back(*loss);
    }
    const auto at = transfer.LossPerRecord(losses, of_class);
    if (!at) return at.error();
    return at->dependent <= epsilon;
  };
  double high = 1 / Expm1Down(epsilon);  // delta = 1
  double low = high * 1e-300;
  const auto most = fits(high);
  if (!most) return most.error();
  if (!*most) return 1;
  while (high > low * (1 + 1e-9)) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    if (!(middle > low && middle < high)) break;
    const auto enough = fits(middle);
    if (!enough) return enough.error();
    (*enough ? high : low) = middle;
  }
  return std::min(1.0, MulUp(high, Expm1Up(epsilon)));
}

Result<GaussianTransfer> GaussianTransfer::Make(const Transfer& transfer) {
  if (auto ok = CheckNotMetric(transfer); !ok) return ok.error();
  return GaussianTransfer(transfer.UnderDelta(), MakeGaussianMessages(transfer.model(), transfer.known()));
}

Result<std::optional<double>> GaussianTransfer::Mu(double mu, std::size_t of_class) const {
  if (auto ok = CheckMu(mu); !ok) return ok.error();
  if (!messages_) return std::optional<double>();
  const std::vector<double> each = messages_->Mu(PlainLosses::All(mu), of_class);
  return std::optional<double>(*std::max_element(each.begin(), each.end()));
}

Result<GaussianLoss> GaussianTransfer::Delta(double mu, double epsilon, std::size_t of_class) const {
  GaussianLoss loss;
  const auto dependent = Mu(mu, of_class);
  if (!dependent) return dependent.error();
  const GaussianProfile profile(mu);
  const PrivacyProfile* const profiles[] = {&profile};
  const auto offset = OffsetDelta(transfer_, profiles, epsilon, of_class);
  if (!offset) return offset.error();
  loss.offset = loss.delta = *offset;
  loss.by = "offset";
  loss.mu = *dependent;
  if (!loss.mu) return loss;
  loss.messages = DeltaOfMu(*loss.mu, epsilon);
  if (*loss.messages >= loss.delta) return loss;
  loss.delta = *loss.messages;
  loss.by = "messages";
  return loss;
}

Result<GaussianBudget> GaussianTransfer::Budget(double epsilon, double delta, std::size_t of_class) const {
  if (auto ok = CheckTarget(epsilon); !ok) return ok.error();
  if (!(delta > 0 && delta < 1)) {
    return InvalidArgument("delta must lie between 0 and 1", "delta", "state a number such as 1e-6");
  }
  GaussianBudget budget;
  const auto plain = transfer_.PlainBudget(epsilon, of_class);
  if (!plain) return plain.error();
  budget.plain_epsilon = std::min(*plain, kMostLoss);
  const double room = Narrow(Expm1Down(budget.plain_epsilon) / Expm1Up(epsilon), 1);
  budget.plain_delta = std::min(delta, Narrow(delta * room, 1));
  budget.mu = budget.offset = LargestMu(budget.plain_epsilon, budget.plain_delta);
  budget.by = "offset";
  if (!messages_) return budget;
  const double dependent = LargestMu(epsilon, delta);
  const auto at = [&](double mu) { return *Mu(mu, of_class).value(); };
  double low = 0, high = dependent;  // at(mu) >= mu
  double at_low = 0, at_high = at(high);
  if (at_high <= dependent) {
    low = high;
  } else {
    // Secant steps from a concave curve's chord, with a bisection where they are slow.
    for (int round = 0; round < 80 && high - low > high * 0x1p-44; ++round) {
      double next = low + (dependent - at_low) / (at_high - at_low) * (high - low);
      if (round % 3 == 2 || !(next > low && next < high)) next = low + (high - low) / 2;
      const double at_next = at(next);
      (at_next <= dependent ? low : high) = next;
      (at_next <= dependent ? at_low : at_high) = at_next;
    }
  }
  budget.messages = low;
  if (low <= budget.mu) return budget;
  budget.mu = low;
  budget.by = "messages";
  return budget;
}

}  // namespace kith

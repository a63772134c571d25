#include "analysis/learn/terms.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "transfer/rounding.h"

namespace kith::learn {
namespace {

using rounding::AddUp;
using rounding::DivUp;
using rounding::MulUp;

constexpr std::int64_t kFinishPart = 100;  // one in a hundred of the price hides what the solver left
// One part in this many pays for curvature, unless the pull is chosen. Either way the pull comes to about 8 for each
// attribute, over the price: noise alone then moves the weight of a rare category by a third or so, and no more for a
// small price.
constexpr std::int64_t CurvaturePart(Loss loss) { return loss == Loss::kHinge ? 8 : 32; }
constexpr double kSpread = 1.0 / 3;  // an attribute with c weights gets a share of the noise like c^kSpread
constexpr int kPushExponent = -24, kStepExponent = -30;
constexpr double kSlack = 0x1p-16;

// ln(1 + curvature * terms / pull) for one row, rounded up.
double CostOfCurvature(double pull, double bend) { return rounding::Log1pUp(DivUp(bend, pull)); }

// The smallest pull, up to rounding, whose cost for all rows of a unit is within the share: ln(1 + bend / pull) <= x
// holds if pull >= bend / (x + x^2/2 + x^3/6), since e^x - 1 is at least that.
double PullFor(PlainUnits share, double bend, std::int64_t max_rows) {
  const double x = rounding::Narrow(share.epsilon() / static_cast<double>(max_rows), 4);
  return DivUp(bend, rounding::Narrow(x * (1 + x * (0.5 + x / 6)), 16));
}

Error TooLittle() {
  return InvalidArgument("the price is too small to fit a classifier", {},
                         "offer more epsilon, or name fewer features");
}

// Shares of the attributes, in proportion to (weights)^kSpread, rounded down.
Result<std::vector<std::int64_t>> Split(std::int64_t units, const Shape& shape) {
  double all = 0;
  for (const Attribute& a : shape.attributes()) all += std::pow(static_cast<double>(a.weights()), kSpread);
  std::vector<std::int64_t> parts;
  std::int64_t used = 0;
  for (const Attribute& a : shape.attributes()) {
    const double part = std::pow(static_cast<double>(a.weights()), kSpread) / all;
    parts.push_back(static_cast<std::int64_t>(std::floor(part * static_cast<double>(units) * (1 - 1e-12))));
    used += parts.back();
    if (parts.back() < 1) return TooLittle();
  }
  if (used > units) return InternalError("shares of noise exceed the price");
  return parts;
}

}  // namespace

Result<Terms> TermsFor(PlainUnits price, const Shape& shape, Loss loss, std::int64_t max_rows,
                       std::optional<double> pull) {
  const auto attributes = static_cast<double>(shape.attributes().size());
  const double bend = CurvatureOf(loss) * attributes;
  if (pull && !(*pull > 0 && *pull <= 1e12))
    return InvalidArgument("the regularisation must be a positive number up to 1e12", {}, "leave it out: kith chooses");
  const std::int64_t finish = price.count() / kFinishPart;
  std::int64_t curvature = price.count() / CurvaturePart(loss);
  if (finish < 1 || curvature < 1) return TooLittle();
  if (pull) {
    const double cost = MulUp(static_cast<double>(max_rows), CostOfCurvature(*pull, bend));
    if (!(cost < price.epsilon() / 2)) {
      return InvalidArgument("this regularisation is too weak: it alone would use more than half of the price", {},
                             fmt::format("choose at least {:.4g}, or leave it out",
                                         PullFor(PlainUnits::Of(price.count() / 2), bend, max_rows) * 1.001));
    }
    curvature = static_cast<std::int64_t>(std::ceil(MulUp(cost, static_cast<double>(PlainUnits::kOne))));
  } else {
    pull = PullFor(PlainUnits::Of(curvature), bend, max_rows);
  }
  const std::int64_t push = price.count() - finish - curvature;
  const auto parts = Split(push, shape);
  if (!parts) return parts.error();

  // A step of the pushes grows with the rows of a unit, as their scale does.
  const auto grown = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(max_rows) - 1));  // max_rows <= 2^grown
  const int push_exponent = kPushExponent + grown;
  if (grown > 24) return InvalidArgument("max_rows is too large to fit a classifier", {}, "declare a smaller one");
  std::vector<LaplaceFloor> pushes;
  for (const std::int64_t part : *parts) {
    // The scale is 2 * max_rows / (part * 2^-32); in steps, 2^(33 - push_exponent) * max_rows / part.
    auto law = LaplaceFloor::Make(static_cast<std::uint64_t>(max_rows) << (33 - push_exponent),
                                  static_cast<std::uint64_t>(part));
    if (!law) return law.error();
    pushes.push_back(*law);
  }
  // Two minima may be at most 2^31 steps of 2^-30 apart, and are taken to be 2 * 2^-16 / pull apart: so no pull is
  // below 2^-16.
  const double root = rounding::NextUp(std::sqrt(static_cast<double>(shape.weights())));
  const double radius = DivUp(AddUp(kSlack, MulUp(std::ldexp(1, push_exponent), root)), *pull);
  const double apart =
      std::ceil(std::ldexp(MulUp(MulUp(2, radius), root), -kStepExponent)) + static_cast<double>(shape.weights());
  if (!(apart <= static_cast<double>(Sensitivity::kMax)))
    return InvalidArgument("this regularisation is too weak for this many features", {}, "choose a larger one");
  const auto change = Sensitivities::OfL1(static_cast<std::int64_t>(apart));
  if (!change) return change.error();
  auto hide = Noise::For(*change, PlainUnits::Of(finish));
  if (!hide) return hide.error();
  return Terms{*pull,
               push_exponent,
               std::move(pushes),
               kSlack,
               kStepExponent,
               *hide,
               PlainUnits::Of(push),
               PlainUnits::Of(curvature),
               PlainUnits::Of(finish)};
}

}  // namespace kith::learn

#include "transfer/chain/region_messages.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "transfer/rounding.h"

namespace kith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A few dozen operations on positive numbers, each wrong by half an ulp: this covers them.
constexpr double kStep = 1 + 0x1p-46;
/// A written probability is within this part of the one that is meant.
constexpr double kTableError = 0x1p-49;
constexpr double kMostExcess = 1e280;

/// x tie / (1 + x below), rounded up, also for infinite x.
double Through(double x, double tie, double below) {
  if (x == 0 || tie < -kTableError) return 0;
  return std::min(1.0, std::max(0.0, tie) + kTableError) / (1 / x + below * (1 - 4 * kTableError)) * kStep;
}

using Row = StepRegion::Row;

/// How a record sees a neighbour: the neighbour's law given the record's yes and no.
struct Sight {
  Row given_no, given_yes;
  double more = 0;  // how much more likely the neighbour's yes is given yes than given no, without cancellation
};

/// The neighbour comes after: its laws are the rows themselves.
Sight After(const Row& given_no, const Row& given_yes) { return {given_no, given_yes, given_yes.yes - given_no.yes}; }

/// The neighbour comes before, with the odds in `law` at which the loss is largest when its kernel is `ratio` times
/// larger for yes. In the odds the loss has one stationary point; at 0 and infinity it vanishes.
Sight Before(const Row& given_no, const Row& given_yes, const OddsInterval& law, double ratio) {
  const double stationary =
      std::sqrt(given_no.yes / given_yes.yes * given_no.no / given_yes.no / ratio);  // NaN: 0/0, a value is impossible
  const double odds = std::isnan(stationary) ? law.low : std::clamp(stationary, law.low, law.high);
  const auto given = [&](double of_no, double of_yes) -> Row {  // at the ends of all odds: the limit from inside
    if (of_no == 0) return of_yes > 0 ? Row{0, 1} : Row{1, 0};
    if (of_yes == 0 || odds == 0) return {1, 0};
    if (std::isinf(odds)) return {0, 1};
    const double all = of_no + odds * of_yes;
    return {of_no / all, odds * of_yes / all};
  };
  Sight sight{given(given_no.no, given_yes.no), given(given_no.yes, given_yes.yes), 0};
  const double yes = given_no.yes + odds * given_yes.yes, no = given_no.no + odds * given_yes.no;
  if (odds > 0 && std::isfinite(yes) && std::isfinite(no) && yes > 0 && no > 0) {
    const double tie = given_yes.yes * given_no.no - given_no.yes * given_yes.no;
    sight.more = odds / yes * (tie / no);
  } else {
    sight.more = sight.given_yes.yes - sight.given_no.yes;
  }
  return sight;
}

/// `see(given_no, given_yes, ratio)` says how the neighbour looks through two rows. Probabilities in the numerator grow
/// with the more likely row, those in the denominator fall with the less likely one, so the ends of the intervals are
/// the worst: which ends, depends on whether the neighbour's kernel is larger for yes or for no.
template <class See>
Excess Seen(const Excess& from, const StepRegion& step, const See& see) {
  if (std::max(from.yes, from.no) > kMostExcess) return {kInfinity, kInfinity};
  const Sight like_yes = see(step.given_no.least, step.given_yes.most, 1 + from.yes);
  const Sight like_no = see(step.given_no.most, step.given_yes.least, 1 / (1 + from.no));
  const Sight unlike_yes = see(step.given_no.most, step.given_yes.least, 1 + from.yes);
  const Sight unlike_no = see(step.given_no.least, step.given_yes.most, 1 / (1 + from.no));
  return {std::max(Through(from.yes, like_yes.more, like_yes.given_no.yes),
                   Through(from.no, -like_no.more, like_no.given_no.no)),
          std::max(Through(from.yes, -unlike_yes.more, unlike_yes.given_yes.yes),
                   Through(from.no, unlike_no.more, unlike_no.given_yes.no))};
}

}  // namespace

double JoinedExcess(double x, double y) {
  const double both = (x * (1 + y) + y) * kStep;
  return both < kMostExcess ? both : kInfinity;  // also where it is not a number
}
Excess Joined(const Excess& x, const Excess& y) { return {JoinedExcess(x.yes, y.yes), JoinedExcess(x.no, y.no)}; }

// Not below 1e-290, so that one over it is finite.
double ExcessOf(double loss) {
  if (loss == 0) return 0;
  const double excess = rounding::Expm1Up(loss);
  return excess < kMostExcess ? std::max(1e-290, excess) : kInfinity;
}

double LossOf(double excess) { return std::isinf(excess) ? kInfinity : rounding::Log1pUp(excess); }

StepRegion StepOf(const TableRegion& table) {
  const auto ends = [&](std::size_t a) {
    return StepRegion::Ends{{table.low[a][0], table.high[a][1]}, {table.high[a][0], table.low[a][1]}};
  };
  return {ends(0), ends(1)};
}

OddsInterval OddsOf(const TableRegion& law) {
  const auto odds = [](double no, double yes) { return yes == 0 ? 0 : no == 0 ? kInfinity : yes / no; };
  return {odds(law.high[0][0], law.low[0][1]) / kStep, odds(law.low[0][0], law.high[0][1]) * kStep};
}

Excess SeenAfter(const Excess& next, const StepRegion& step) {
  return Seen(next, step, [](const Row& given_no, const Row& given_yes, double) { return After(given_no, given_yes); });
}

Excess SeenBefore(const Excess& before, const StepRegion& step, const OddsInterval& law) {
  if (!law.both()) return {};
  return Seen(before, step, [&](const Row& given_no, const Row& given_yes, double ratio) {
    return Before(given_no, given_yes, law, ratio);
  });
}

OddsInterval NextLaw(const OddsInterval& law, const StepRegion& step) {
  const auto odds = [](const Row& given_no, const Row& given_yes, double at) {
    const double yes = std::isinf(at) ? given_yes.yes : given_no.yes + at * given_yes.yes;
    const double no = std::isinf(at) ? given_yes.no : given_no.no + at * given_yes.no;
    return yes == 0 ? 0 : no == 0 ? kInfinity : yes / no;
  };
  const auto& [given_no, given_yes] = step;
  return {
      std::min(odds(given_no.least, given_yes.least, law.low), odds(given_no.least, given_yes.least, law.high)) / kStep,
      std::max(odds(given_no.most, given_yes.most, law.low), odds(given_no.most, given_yes.most, law.high)) * kStep};
}

}  // namespace kith

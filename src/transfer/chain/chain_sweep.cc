#include "transfer/chain/chain_sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/meter.h"
#include "dependence/check.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

/// e^T - 1 for both orders of the two values: `yes` bounds K(1)/K(0), `no` bounds K(0)/K(1). Kept as an excess over 1,
/// because most are just above it; infinity is allowed.
struct Excess {
  double yes = 0;
  double no = 0;
};

/// A dozen operations, each wrong by half an ulp, on positive numbers: this covers them.
constexpr double kStep = 1 + 0x1p-48;
/// A table's probabilities are within this part of those that are meant; laws in extended precision come closer.
constexpr double kTableError = 0x1p-50;

/// How a record sees its neighbour: `tie` = |P(1|1) - P(1|0)|, and the probabilities in the denominator.
struct Link {
  double tie = 0;
  bool same = true;  // yes favours yes
  double below_yes = 0;
  double below_no = 0;
};

/// r_T for two values as an excess: x tie / (1 + x q), written so that it also holds for infinite x.
double Through(double x, double tie, double q) { return tie / (1 / x + q); }

Excess See(const Excess& from, const Link& link) {
  const double up = link.same ? from.yes : from.no;
  const double down = link.same ? from.no : from.yes;
  Excess seen;
  seen.yes = up == 0 ? 0 : Through(up, link.tie, link.below_yes) * kStep;
  seen.no = down == 0 ? 0 : Through(down, link.tie, link.below_no) * kStep;
  return seen;
}

/// (1 + x)(1 + own) - 1, rounded up.
double Join(double x, double own) {
  return own < 1e300 ? (x * (1 + own) + own) * kStep : std::numeric_limits<double>::infinity();
}
Excess Join(const Excess& x, double own) { return {Join(x.yes, own), Join(x.no, own)}; }

/// rows[a][x] = P(neighbour = x | record = a); difference = P(1|1) - P(1|0), which may be known better than its two
/// parts. `error` bounds what is wrong with any of them, relative to 1 for the difference and to themselves for the
/// others.
Link MakeLink(double difference, double p00, double p01, double p10, double p11, double error) {
  Link link;
  link.same = difference >= 0;
  link.tie = std::min(1.0, std::abs(difference) + error);
  // Probabilities below the line are rounded down. Which they are: see `spread.cc`, the closed form for two values.
  link.below_yes = (link.same ? p01 : p00) * (1 - error);
  link.below_no = (link.same ? p10 : p11) * (1 - error);
  return link;
}

/// Tables read backwards, record by record.
class Backward {
 public:
  explicit Backward(const Chain& chain) {
    for (int a = 0; a < 2; ++a) {
      const auto& row = chain.transition[static_cast<std::size_t>(a)];
      for (int x = 0; x < 2; ++x)
        table_[a][x] = row[static_cast<std::size_t>(x)] / (static_cast<long double>(row[0]) + row[1]);
    }
    const long double sum = static_cast<long double>(chain.start[0]) + chain.start[1];
    law_[0] = chain.start[0] / sum;
    law_[1] = chain.start[1] / sum;
    determinant_ = table_[0][0] * table_[1][1] - table_[0][1] * table_[1][0];
  }

  bool both_possible() const { return law_[0] > 0 && law_[1] > 0; }

  /// How the next record sees this one; then moves on. The law approaches its limit by a factor `determinant` each
  /// step: once what is left of the way is below the precision, the link stays the same.
  const Link& Next() {
    if (fixed_) return link_;
    const long double no = law_[0] * table_[0][0] + law_[1] * table_[1][0];
    const long double yes = law_[0] * table_[0][1] + law_[1] * table_[1][1];
    if (law_[0] == 0 || law_[1] == 0 || no == 0 || yes == 0) {
      link_ = Link{};  // one of the two has a single possible value: they reveal nothing about each other
    } else {
      const long double difference = law_[0] * law_[1] * determinant_ / (no * yes);
      const auto given = [&](int u, int x) {
        return static_cast<double>(law_[u] * table_[u][x] / (x == 1 ? yes : no));
      };
      link_ = MakeLink(static_cast<double>(difference), given(0, 0), given(1, 0), given(0, 1), given(1, 1),
                       kTableError + 4 * error_);
    }
    error_ += 8 * static_cast<double>(std::numeric_limits<long double>::epsilon());
    const long double sum = no + yes;
    const long double moved = std::abs(yes / sum - law_[1]);
    const long double way = moved / (1 - std::min(1.0L, std::abs(determinant_)));
    law_[0] = no / sum;
    law_[1] = yes / sum;
    fixed_ = moved == 0 || (std::abs(determinant_) < 1 && way < 0x1p-60L * std::min(law_[0], law_[1]));
    return link_;
  }

 private:
  long double table_[2][2];
  long double law_[2];
  long double determinant_;
  double error_ = 0;  // of the law, relative
  Link link_;
  bool fixed_ = false;
};

}  // namespace

SweptChain SweepChain(const Chain& chain, const PlainLosses& plain, bool each) {
  KITH_CHECK(chain.start.size() == 2);
  const auto n = static_cast<std::size_t>(chain.length);
  const LawTable t = {Normalised(chain.transition[0]), Normalised(chain.transition[1])};
  const Link forward = MakeLink(t[1][1] - t[0][1], t[0][0], t[0][1], t[1][0], t[1][1], kTableError);
  // Not below 1e-290, so that one over it is finite.
  const auto excess = [](double loss) { return loss == 0 ? 0 : std::max(1e-290, rounding::Expm1Up(loss)); };
  const double same_own = excess(plain[0]);
  const auto own = [&](std::size_t i) { return plain.uniform() ? same_own : excess(plain[i]); };

  std::vector<Excess> right(n);  // what record i sees to its right
  for (std::size_t i = n - 1; i > 0; --i) right[i - 1] = See(Join(right[i], own(i)), forward);

  SweptChain swept;
  double worst = 0;
  Backward backward(chain);
  Excess left;
  for (std::size_t i = 0; i < n; ++i) {
    Meter::Look();
    const double mine = own(i);
    const Excess from_left = Join(left, mine);
    double all = mine;
    if (backward.both_possible()) {
      const double yes = Join(from_left.yes, right[i].yes);
      const double no = Join(from_left.no, right[i].no);
      all = std::max(yes, no);
    }
    worst = std::max(worst, all);
    if (each) swept.losses.push_back(std::isinf(all) ? all : rounding::Log1pUp(all));
    left = See(from_left, backward.Next());
  }
  swept.worst = std::isinf(worst) ? worst : rounding::Log1pUp(worst);
  return swept;
}

}  // namespace kith

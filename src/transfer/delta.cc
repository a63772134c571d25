#include "transfer/delta.h"

#include <algorithm>
#include <cmath>

#include "transfer/rounding.h"

namespace kith {

using namespace rounding;

// With c = max delta_j / (e^{plain_j} - 1) the kernel K + c obeys the plain losses without any delta, so the transfer
// function applies to it; c is subtracted afterwards.
Result<double> DependentDelta(std::span<const double> plain, std::span<const double> delta, double dependent) {
  if (plain.empty() || plain.size() != delta.size()) {
    return InvalidArgument("there must be one delta for each plain loss", "delta",
                           "give as many deltas as plain losses");
  }
  if (!(dependent >= 0 && std::isfinite(dependent))) {
    return InvalidArgument("a dependent loss must be a finite number that is not negative", "dependent", "correct it");
  }
  double c = 0;
  for (std::size_t j = 0; j < plain.size(); ++j) {
    if (!(plain[j] >= 0 && std::isfinite(plain[j]))) {
      return InvalidArgument("a plain loss must be a finite number that is not negative", "plain", "correct it");
    }
    if (!(delta[j] >= 0 && delta[j] <= 1)) {
      return InvalidArgument("delta must be a probability", "delta", "state a number such as 1e-9");
    }
    if (delta[j] == 0) continue;
    const double room = plain[j] == 0 ? 0 : Narrow(std::expm1(plain[j]), kLibraryUlps);
    if (room == 0) return 1;  // no finite c makes the kernel obey a plain loss of 0
    c = std::max(c, DivUp(delta[j], room));
  }
  if (c == 0) return 0;
  return std::min(1.0, MulUp(c, Expm1Up(dependent)));
}

Result<double> DependentDelta(const Transfer& transfer, double plain, double delta, std::size_t of_class) {
  if (std::holds_alternative<Lipschitz>(transfer.model())) {
    return InvalidArgument("a loss per unit of distance has no delta under dependence", "delta",
                           "use delta = 0, or a dependence model that is not metric");
  }
  const auto loss = transfer.UnderDelta().Loss(plain, of_class);
  if (!loss) return loss.error();
  return DependentDelta(std::span(&plain, 1), std::span(&delta, 1), loss->dependent);
}

}  // namespace kith

// What a price buys of objective perturbation: how strongly weights are pulled to zero, how much noise pushes them, and
// what hides that a computer does not find the exact minimum. Public: only from the price and declared facts.
// Claims: claims/learn.md
#pragma once
#include <optional>
#include <vector>

#include "analysis/learn/examples.h"
#include "analysis/learn/loss_shape.h"
#include "base/result.h"
#include "loss/loss.h"
#include "mechanism/laplace_floor.h"
#include "mechanism/noise.h"

namespace kith::learn {

struct Terms {
  double pull = 0;                   // of the objective
  int push_exponent = 0;             // pushes are whole multiples of 2^push_exponent
  std::vector<LaplaceFloor> pushes;  // for the weights of each attribute
  double slack = 0;                  // of the minimum: Minimise proves it
  int step_exponent = 0;             // weights are released in steps of 2^step_exponent
  Noise finish;                      // hides how far apart two minima of one objective may be, in these steps

  PlainUnits push_share, curvature_share, finish_share;  // what each takes of the price
};

/// The terms for rows of this shape.
/// Requires: max_rows >= 1.
/// Fails: kInvalidArgument if the price is too small, or the chosen pull is too small for it or not a positive number.
/// Ensures [LEARN-1]: if every unit has at most max_rows rows, the weights that Release() makes of all rows have a
/// plain loss of at most the price.
Result<Terms> TermsFor(PlainUnits price, const Shape& shape, Loss loss, std::int64_t max_rows,
                       std::optional<double> pull);

}  // namespace kith::learn

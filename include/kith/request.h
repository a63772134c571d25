// What can be asked for, what is offered for it, and what travels with the call.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kith/statistic.h"

namespace kith::v1 {

/// A question in SQL.
struct Question {
  std::string sql;
};

using Request = std::variant<Question, Statistic>;

/// What the analyst offers: a share of the budget, or the precision that is needed.
struct Price {
  std::optional<double> epsilon = {};  // buys the fraction epsilon / epsilon of the policy of the plain budget
  std::optional<double> error = {};  // the largest 95 % error bar accepted for any noisy number; the cost is solved for
  std::vector<double> split = {};    // one weight for each noisy statistic; empty: equal shares
};

}  // namespace kith::v1

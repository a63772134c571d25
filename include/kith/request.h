// What can be asked for, what is offered for it, and what travels with the call.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kith/guarantee.h"
#include "kith/statistic.h"

namespace kith::v1 {

/// A question in SQL.
struct Question {
  std::string sql;
  Unit unit = Unit::kPerson;
};

using Request = std::variant<Question, Statistic>;

/// What the analyst offers: a share of the budget, or the precision that is needed.
struct Price {
  std::optional<double> epsilon;  // buys the fraction epsilon / epsilon of the policy of the plain budget
  std::optional<double> error;    // the largest 95 % error bar accepted for any noisy number; the cost is solved for
  std::vector<double> split;      // one weight for each noisy statistic; empty: chosen by kith
  bool intervals = true;          // false: none are bought for quantiles, whose values have their whole shares
};

/// Who asks. Written into the ledger with the charge; decides nothing.
struct Caller {
  std::string name;  // empty: not named
};

/// A flag that one thread sets and the work of another looks at. Copies are the same flag.
class CancelFlag {
 public:
  CancelFlag();
  void Cancel();
  bool cancelled() const;

  struct Inside;
  const Inside& inside() const { return *inside_; }

 private:
  std::shared_ptr<Inside> inside_;
};

/// What travels with a call: how it is stopped, and who is told how it is going. None of it changes the answer.
struct Call {
  CancelFlag cancel = {};
  std::optional<std::chrono::steady_clock::time_point> deadline;  // stops by itself: kCancelled
  std::function<void(double)> progress = {};                      // in [0,1]; called from the working thread
  std::function<void(const std::string&)> notice = {};            // sentences for people about what is happening
};

}  // namespace kith::v1

// The checker beside the planner: counts what it certifies, and why it refuses the rest.
#pragma once
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "sql/dialect.h"
#include "tests/kernel_check/plan_claims.h"

namespace kith::testing {

class Shadow {
 public:
  void See(const std::string& question, const Policy& policy, const Plan& plan) {
    const auto facts = check::FactsOf(policy);
    for (const Claimed& claimed : ClaimsOf(plan, policy.unit.level == UnitLevel::kHousehold)) {
      ++statements_;
      const auto checked =
          facts ? check::Check(claimed.statement, *facts, claimed.claim) : std::unexpected(facts.error());
      if (checked) {
        ++certified_;
        continue;
      }
      const std::string why = checked.error().what + ": " + checked.error().where;
      if (++reasons_[why] <= show_) Show(why, question, claimed, facts);
    }
  }

  void Report(const std::string& of) const {
    std::cout << of << ": " << statements_ << " statements, " << certified_ << " certified\n";
    for (const auto& [why, times] : reasons_) std::cout << "  " << times << " x " << why << "\n";
  }
  int statements() const { return statements_; }
  int certified() const { return certified_; }

 private:
  void Show(const std::string& why, const std::string& question, const Claimed& claimed,
            const Result<check::Facts>& facts) const {
    std::cout << "--- " << why << "\n"
              << question << "\n"
              << claimed.about << "\n"
              << sql::DuckDb().Write(claimed.statement) << "\n";
    const auto found =
        facts ? check::FindChange(claimed.statement, *facts, claimed.claim) : std::unexpected(facts.error());
    if (!found) return;
    for (std::size_t k = 0; k < found->numbers.size(); ++k) {
      const auto text = [](const check::Moved& m) {
        return ToText(m.l1) + " " + ToText(m.l2_squared) + " " + ToText(m.groups);
      };
      const ClaimedNumber& c = claimed.claim.numbers[k];
      std::cout << "  claimed " << c.change.l1().steps() << " " << c.change.l2_squared() << " " << c.change.groups()
                << " found " << text(found->numbers[k].change) << " presence "
                << (c.presence ? c.presence->l1().steps() : -1) << " found " << text(found->numbers[k].presence)
                << "\n";
    }
    std::cout << "  rows " << claimed.claim.rows << " found " << ToText(found->rows) << " charged ";
    for (const bool cell : claimed.claim.charged) std::cout << cell;
    std::cout << " found ";
    for (const bool cell : found->charged) std::cout << cell;
    std::cout << "\n";
  }

  using ClaimedNumber = check::ClaimedNumber;
  int statements_ = 0, certified_ = 0;
  const int show_ = std::getenv("KITH_SHOW") ? std::atoi(std::getenv("KITH_SHOW")) : 0;
  std::map<std::string, int> reasons_;
};

}  // namespace kith::testing

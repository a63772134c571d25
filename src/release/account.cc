#include "release/account.h"

#include <algorithm>

namespace kith {

Result<Account> Account::Make(const Policy& policy) {
  auto transfer = Transfer::Make(policy.dependence.model);
  if (!transfer) return transfer.error();
  std::vector<PlainUnits> by_class;
  for (std::size_t k = 0; k < transfer->classes(); ++k) {
    const auto plain = transfer->PlainBudget(policy.epsilon_total, k);
    if (!plain) return plain.error();
    const auto units = PlainUnits::Floor(*plain);
    if (!units) return units.error();
    by_class.push_back(*units);
  }
  std::vector<std::size_t> classes;
  std::vector<PlainUnits> limits;
  for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) {
    classes.push_back(policy.ClassOf(cell));
    limits.push_back(by_class.at(classes.back()));
  }
  return Account(std::move(*transfer), std::move(classes), std::move(limits));
}

PlainUnits Account::Budget(const std::vector<bool>& charged) const {
  PlainUnits smallest = PlainUnits::Of(PlainUnits::kMax);
  for (std::size_t cell = 0; cell < charged.size(); ++cell) {
    if (charged[cell]) smallest = std::min(smallest, limits_.at(cell));
  }
  return smallest;
}

Result<Transferred> Account::Dependent(const std::vector<PlainUnits>& spent) const {
  std::vector<PlainUnits> by_class(transfer_.classes());
  for (std::size_t cell = 0; cell < spent.size(); ++cell) {
    auto& largest = by_class.at(classes_.at(cell));
    largest = std::max(largest, spent[cell]);
  }
  Result<Transferred> worst = transfer_.Loss(by_class[0].epsilon(), 0);
  for (std::size_t k = 1; worst && k < by_class.size(); ++k) {
    auto other = transfer_.Loss(by_class[k].epsilon(), k);
    if (!other) return other;
    if (other->dependent > worst->dependent) worst = std::move(other);
  }
  return worst;
}

Result<Transferred> Account::DependentOf(std::size_t cell, PlainUnits spent) const {
  return transfer_.Loss(spent.epsilon(), classes_.at(cell));
}

}  // namespace kith

#include "release/account.h"

#include <algorithm>

namespace kith {

Result<Account> Account::Make(const Policy& policy, Curve curve) {
  std::vector<PlainUnits> by_class;
  for (std::size_t k = 0; k < curve.classes(); ++k) {
    const auto plain = curve.Budget(k);
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
  return Account(std::move(curve), std::move(classes), std::move(limits));
}

PlainUnits Account::Budget(const std::vector<bool>& charged) const {
  PlainUnits smallest = PlainUnits::Of(PlainUnits::kMax);
  for (std::size_t cell = 0; cell < charged.size(); ++cell) {
    if (charged[cell]) smallest = std::min(smallest, limits_.at(cell));
  }
  return smallest;
}

Result<Transferred> Account::Dependent(const std::vector<PlainUnits>& spent) const {
  std::vector<PlainUnits> by_class(curve_.classes());
  for (std::size_t cell = 0; cell < spent.size(); ++cell) {
    auto& largest = by_class.at(classes_.at(cell));
    largest = std::max(largest, spent[cell]);
  }
  Result<Transferred> worst = curve_.Loss(by_class[0].epsilon(), 0);
  if (!worst) return worst;
  std::string assumes = worst->assumes;  // the total rests on what is declared of every class, not of the worst alone
  for (std::size_t k = 1; k < by_class.size(); ++k) {
    auto other = curve_.Loss(by_class[k].epsilon(), k);
    if (!other) return other;
    if (assumes.find(other->assumes) == std::string::npos) assumes += "; " + other->assumes;
    if (other->dependent > worst->dependent) worst = std::move(other);
  }
  worst->assumes = std::move(assumes);
  return worst;
}

Result<Transferred> Account::DependentOf(std::size_t cell, const std::vector<PlainUnits>& spent) const {
  PlainUnits largest;
  for (std::size_t other = 0; other < spent.size(); ++other) {
    if (classes_.at(other) == classes_.at(cell)) largest = std::max(largest, spent[other]);
  }
  return curve_.Loss(largest.epsilon(), classes_.at(cell));
}

}  // namespace kith

// How the values of release.h are copied, moved and destroyed: once here, instead of in every file that has one.
#include "release/release.h"

namespace kith {

Explanation::Explanation() = default;
Explanation::Explanation(const Explanation&) = default;
Explanation::Explanation(Explanation&&) noexcept = default;
Explanation& Explanation::operator=(const Explanation&) = default;
Explanation& Explanation::operator=(Explanation&&) noexcept = default;
Explanation::~Explanation() = default;

Answer::Answer() = default;
Answer::Answer(const Answer&) = default;
Answer::Answer(Answer&&) noexcept = default;
Answer& Answer::operator=(const Answer&) = default;
Answer& Answer::operator=(Answer&&) noexcept = default;
Answer::~Answer() = default;

BudgetReport::BudgetReport() = default;
BudgetReport::BudgetReport(const BudgetReport&) = default;
BudgetReport::BudgetReport(BudgetReport&&) noexcept = default;
BudgetReport& BudgetReport::operator=(const BudgetReport&) = default;
BudgetReport& BudgetReport::operator=(BudgetReport&&) noexcept = default;
BudgetReport::~BudgetReport() = default;

}  // namespace kith

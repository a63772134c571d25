#include "release/accountant.h"

#include <algorithm>
#include <sstream>

#include "policy/per_row.h"

namespace kith {
namespace {

// Words; a comma or semicolon at the end of a word is a separate word.
std::vector<std::string> WordsOf(const std::string& sentence) {
  std::vector<std::string> words;
  std::istringstream in(sentence);
  std::string word;
  while (in >> word) {
    const bool marked = word.size() > 1 && (word.back() == ',' || word.back() == ';');
    words.push_back(marked ? word.substr(0, word.size() - 1) : word);
    if (marked) words.emplace_back(1, word.back());
  }
  return words;
}

std::string Sentence(const std::vector<std::string>& words, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i)
    text += (text.empty() || words[i] == "," || words[i] == ";" ? "" : " ") + words[i];
  return text;
}

}  // namespace

std::string OneSentence(const std::vector<std::string>& sentences) {
  std::vector<std::vector<std::string>> all;
  for (const auto& sentence : sentences) {
    auto words = WordsOf(sentence);
    if (std::find(all.begin(), all.end(), words) == all.end()) all.push_back(std::move(words));
  }
  if (all.empty()) return "";
  std::size_t shortest = all[0].size(), start = 0, end = 0;
  for (const auto& words : all) shortest = std::min(shortest, words.size());
  const auto agree = [&](auto word) {
    return std::all_of(all.begin(), all.end(), [&](const auto& words) { return word(words) == word(all[0]); });
  };
  while (start < shortest && agree([&](const auto& words) { return words[start]; })) ++start;
  while (start + end < shortest && agree([&](const auto& words) { return words[words.size() - 1 - end]; })) ++end;
  std::string text = Sentence(all[0], 0, start);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string middle = Sentence(all[i], start, all[i].size() - end);
    if (!middle.empty()) text += (i == 0 ? (text.empty() ? "" : " ") : i + 1 < all.size() ? ", " : " and ") + middle;
  }
  const std::string rest = Sentence(all[0], all[0].size() - end, all[0].size());
  if (rest.empty()) return text;
  return text + (rest[0] == ',' || rest[0] == ';' ? "" : " ") + rest;
}

const std::vector<PlainUnits>& Totals::OfPresence() const { return presence.empty() ? spent : presence; }

bool Totals::CountsMu() const { return gaussian && !gaussian->open; }

Accountant::Accountant(BudgetCurve curve, std::vector<std::size_t> classes, std::vector<PlainUnits> limits)
    : curve_(std::move(curve)), classes_(std::move(classes)), limits_(std::move(limits)) {}

std::vector<PlainUnits> Accountant::Limits(const Totals& totals) const {
  return Limits(totals.moved || (totals.gaussian && totals.gaussian->open && !fixed_cells_));
}

const std::vector<PlainUnits>& Accountant::Counted(const Totals& totals) const {
  return counts_presence_ ? totals.OfPresence() : totals.spent;
}

bool Accountant::with_delta() const { return with_delta_.has_value(); }

Result<Accountant> Accountant::Make(const Policy& policy, BudgetCurve curve) {
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
  Accountant account(std::move(curve), std::move(classes), std::move(limits));
  account.counts_presence_ = policy.counts_presence;
  account.several_cells_ = RowsArePublic(policy);
  if (policy.unit.within) account.Nest(policy);
  if (auto added = account.AddDelta(policy); !added) return added.error();
  return account;
}

// Floors: a limit may be too small, never too large.
void Accountant::Nest(const Policy& policy) {
  nested_ = NestedLimits{.size = policy.unit.size};
  const PlainUnits whole = PlainUnits::Floor(policy.epsilon_total).value();  // the policy checked it
  if (policy.dependence.of_households) {
    // Households lose g(size * a + b), and a person no more than the household: one limit for all.
    nesting_ = Nesting::kBetween;
    nested_->limit = of_households_ = *std::min_element(limits_.begin(), limits_.end());
    limits_.assign(limits_.size(), nested_->limit);
    return;
  }
  nesting_ = std::holds_alternative<Independent>(policy.dependence.model) ? Nesting::kApart : Nesting::kInside;
  if (policy.household_epsilon) nested_->limit = PlainUnits::Floor(*policy.household_epsilon).value();
  if (nesting_ == Nesting::kInside) nested_->enough = whole;
  of_households_ = whole;
}

bool Accountant::Fits(const Totals& totals) const {
  if (nested_) {
    const PlainUnits loss = HouseholdLoss(totals.spent, totals.household, nested_->size);
    if (loss > nested_->limit) return false;
    if (nested_->enough && loss <= *nested_->enough) return true;
  }
  const auto limits = Limits(totals);
  for (std::size_t cell = 0; cell < limits.size(); ++cell) {
    if (Counted(totals).at(cell) > limits[cell]) return false;
  }
  return true;
}

std::vector<PlainUnits> Accountant::Allowed(const Totals& totals) const {
  std::vector<PlainUnits> allowed = Limits(totals);
  if (!nested_) return allowed;
  PlainUnits outer;
  for (const PlainUnits part : totals.household) outer = std::max(outer, part);
  // The largest a with size * a + b within a limit of households.
  const auto person = [&](PlainUnits limit) {
    return limit < outer ? 0 : (limit.count() - outer.count()) / nested_->size;
  };
  for (std::size_t cell = 0; cell < allowed.size(); ++cell) {
    const std::int64_t spent = Counted(totals).at(cell).count();
    const std::int64_t part = cell < totals.household.size() ? totals.household[cell].count() : 0;
    std::int64_t most = allowed[cell].count();
    if (nested_->enough) most = std::max(most, person(*nested_->enough) + part);
    most = std::min({most, person(nested_->limit) + part, PlainUnits::kMax});
    allowed[cell] = PlainUnits::Of(std::max(most, spent));
  }
  return allowed;
}

PlainUnits Accountant::Budget(const std::vector<bool>& charged, UnitLevel level) const {
  if (level == UnitLevel::kHousehold) return of_households_;
  // A person's share of what the household may lose.
  if (nesting_ == Nesting::kBetween) return PlainUnits::Of(nested_->limit.count() / nested_->size);
  PlainUnits smallest = PlainUnits::Of(PlainUnits::kMax);
  for (std::size_t cell = 0; cell < charged.size(); ++cell) {
    if (charged[cell]) smallest = std::min(smallest, limits_.at(cell));
  }
  return smallest;
}

std::vector<PlainUnits> Accountant::Limits(bool moved) const {
  if (!moved) return limits_;
  return std::vector<PlainUnits>(limits_.size(), *std::min_element(limits_.begin(), limits_.end()));
}

// What g makes of a household's plain loss: the worst class, since its households may be in any.
Result<Transferred> Accountant::Between(const Totals& totals) const {
  const double plain = HouseholdLoss(totals.spent, totals.household, nested_->size).epsilon();
  Result<Transferred> worst = curve_.Loss(plain, 0);
  std::vector<std::string> assumes;
  for (std::size_t k = 0; k < curve_.classes(); ++k) {
    auto other = curve_.Loss(plain, k);
    if (!other) return other;
    assumes.push_back(other->assumption);
    if (other->dependent > worst->dependent) worst = std::move(other);
  }
  worst->assumption = OneSentence(assumes);
  return worst;
}

// Persons who depend only on others of their household lose no more than the whole household does.
Result<Transferred> Accountant::AtMostTheHousehold(Result<Transferred> of_person, const Totals& totals) const {
  if (!of_person || nesting_ != Nesting::kInside) return of_person;
  const double whole = HouseholdLoss(totals.spent, totals.household, nested_->size).epsilon();
  if (whole >= of_person->dependent) return of_person;
  of_person->dependent = whole;
  of_person->bound = "household";
  return of_person;
}

Result<Transferred> Accountant::Dependent(const Totals& totals) const {
  if (nesting_ == Nesting::kBetween) return Between(totals);
  return AtMostTheHousehold(OfPersons(totals), totals);
}

Result<Transferred> Accountant::DependentOf(std::size_t cell, const Totals& totals) const {
  if (nesting_ == Nesting::kBetween) return Between(totals);
  return AtMostTheHousehold(OfPersonsIn(cell, totals), totals);
}

Result<std::optional<HouseholdLosses>> Accountant::Households(const Totals& totals) const {
  if (!nested_) return std::optional<HouseholdLosses>();
  HouseholdLosses losses{HouseholdLoss(totals.spent, totals.household, nested_->size)};
  losses.dependent = losses.plain.epsilon();
  if (nesting_ == Nesting::kBetween) {
    const auto worst = Between(totals);
    if (!worst) return worst.error();
    losses.dependent = worst->dependent;
  }
  return std::optional(losses);
}

Result<Transferred> Accountant::OfPersons(const Totals& totals) const {
  std::vector<PlainUnits> by_class(curve_.classes());
  for (std::size_t cell = 0; cell < totals.spent.size(); ++cell) {
    auto& largest = by_class.at(classes_.at(cell));
    largest = std::max(largest, totals.spent[cell]);
  }
  if (totals.moved) by_class.assign(by_class.size(), *std::max_element(by_class.begin(), by_class.end()));
  Result<Transferred> worst = curve_.Loss(by_class[0].epsilon(), 0);
  if (!worst) return worst;
  std::vector<std::string> assumes = {worst->assumption};  // the total rests on every class, not only on the worst
  for (std::size_t k = 1; k < by_class.size(); ++k) {
    auto other = curve_.Loss(by_class[k].epsilon(), k);
    if (!other) return other;
    assumes.push_back(other->assumption);
    if (other->dependent > worst->dependent) worst = std::move(other);
  }
  worst->assumption = OneSentence(assumes);
  return worst;
}

Result<Transferred> Accountant::OfPersonsIn(std::size_t cell, const Totals& totals) const {
  PlainUnits largest;
  for (std::size_t other = 0; other < totals.spent.size(); ++other) {
    if (classes_.at(other) == classes_.at(cell)) largest = std::max(largest, totals.spent[other]);
  }
  if (!totals.moved) {
    const PlainUnits own = several_cells_ ? largest : totals.spent.at(cell);
    return curve_.LossBeside(own.epsilon(), largest.epsilon(), classes_.at(cell));
  }
  // Its units, and those that depend on them, may have been in any class, each with the total of any other cell before;
  // cells were raised to the largest total then, so the total of this class is what they lost.
  Result<Transferred> worst = curve_.Loss(largest.epsilon(), 0);
  for (std::size_t k = 1; worst && k < curve_.classes(); ++k) {
    auto other = curve_.Loss(largest.epsilon(), k);
    if (!other || other->dependent > worst->dependent) worst = std::move(other);
  }
  return worst;
}

}  // namespace kith

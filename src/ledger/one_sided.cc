#include "ledger/one_sided.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace kith::ledger {
namespace {

constexpr std::string_view kMark = "one-sided ";

std::optional<std::int64_t> TakeNumber(std::string_view& text, char end) {
  std::int64_t number = 0;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || stop == text.data() + text.size() || *stop != end || number < 0) return std::nullopt;
  if (text.front() == '0' && stop != text.data() + 1) return std::nullopt;  // one spelling for each number
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
  return number;
}

std::optional<std::string_view> TakeText(std::string_view& text) {
  const auto size = TakeNumber(text, ':');
  if (!size || static_cast<std::uint64_t>(*size) > text.size()) return std::nullopt;
  const std::string_view taken = text.substr(0, static_cast<std::size_t>(*size));
  text.remove_prefix(taken.size());
  return taken;
}

bool TakeSign(std::string_view& text, std::string_view sign) {
  if (!text.starts_with(sign)) return false;
  text.remove_prefix(sign.size());
  return true;
}

}  // namespace

std::string WithOneSided(const OneSidedCharge& charge, std::string_view question) {
  return fmt::format("{}{} {}:{} {}:{}; {}", kMark, charge.units.count(), charge.account.size(), charge.account,
                     charge.rule.size(), charge.rule, question);
}

bool ClaimsOneSided(std::string_view text) { return text.starts_with(kMark); }

std::optional<OneSidedPart> ReadOneSided(std::string_view text) {
  if (!TakeSign(text, kMark)) return std::nullopt;
  OneSidedPart part;
  const auto units = TakeNumber(text, ' ');
  if (!units || *units == 0 || *units > PlainUnits::kMax) return std::nullopt;
  const auto account = TakeText(text);
  if (!account || !TakeSign(text, " ")) return std::nullopt;
  const auto rule = TakeText(text);
  if (!rule || !TakeSign(text, "; ")) return std::nullopt;
  return OneSidedPart{*units, *account, *rule, text};
}

bool OneSidedTotals::Add(const OneSidedPart& part) {
  auto found = std::find_if(accounts_.begin(), accounts_.end(),
                            [&](const OneSidedAccount& account) { return account.name == part.account; });
  const std::int64_t before = found == accounts_.end() ? 0 : found->spent.count();
  if (before > PlainUnits::kMax - part.units) return false;
  if (found == accounts_.end()) found = accounts_.insert(found, {std::string(part.account), PlainUnits(), {}});
  found->spent = PlainUnits::Of(before + part.units);
  if (std::find(found->rules.begin(), found->rules.end(), part.rule) == found->rules.end())
    found->rules.emplace_back(part.rule);
  return true;
}

std::int64_t OneSidedTotals::Of(std::string_view account) const {
  for (const OneSidedAccount& other : accounts_) {
    if (other.name == account) return other.spent.count();
  }
  return 0;
}

}  // namespace kith::ledger

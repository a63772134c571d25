#include "document/codes.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace kith::document {
namespace {

struct Row {
  Code code;
  std::string_view name;
  int exit_code;
  int http_status;
  std::string_view sqlstate;
};

constexpr std::array<Row, 6> kCodes = {{
    {Code::kInvalidArgument, "invalid_argument", 2, 400, "22023"},
    {Code::kBudgetExhausted, "budget_exhausted", 3, 403, "53400"},
    {Code::kUnsupportedQuery, "unsupported_query", 4, 422, "0A000"},
    {Code::kStorage, "storage", 5, 503, "58030"},
    {Code::kCancelled, "cancelled", 130, 499, "57014"},
    {Code::kInternal, "internal", 6, 500, "XX000"},
}};

const Row& RowOf(Code code) {
  const auto* row = std::find_if(kCodes.begin(), kCodes.end(), [&](const Row& each) { return each.code == code; });
  KITH_CHECK(row != kCodes.end());
  return *row;
}

}  // namespace

std::string_view NameOf(Charged charged) {
  return charged == Charged::kNo ? "no" : charged == Charged::kYes ? "yes" : "maybe";
}
Charged ChargedNamed(std::string_view name) {
  return name == "no" ? Charged::kNo : name == "yes" ? Charged::kYes : Charged::kMaybe;
}

std::string_view NameOf(Code code) { return RowOf(code).name; }
int ExitCodeOf(Code code) { return RowOf(code).exit_code; }
int HttpStatusOf(Code code) { return RowOf(code).http_status; }
std::string_view SqlStateOf(Code code) { return RowOf(code).sqlstate; }

std::optional<Code> CodeNamed(std::string_view name) {
  const auto* row = std::find_if(kCodes.begin(), kCodes.end(), [&](const Row& each) { return each.name == name; });
  if (row == kCodes.end()) return std::nullopt;
  return row->code;
}

}  // namespace kith::document

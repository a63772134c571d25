#include "base/note.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace kith {
namespace {

constexpr std::array<std::pair<NoteKind, std::string_view>, 12> kNames = {{
    {NoteKind::kCut, "clamped"},
    {NoteKind::kRowLimit, "row_limit"},
    {NoteKind::kLeftOut, "left_out"},
    {NoteKind::kSlip, "slip"},
    {NoteKind::kMethod, "method"},
    {NoteKind::kAccuracy, "accuracy"},
    {NoteKind::kFinding, "finding"},
    {NoteKind::kProtects, "protects"},
    {NoteKind::kRefused, "refused"},
    {NoteKind::kExceeded, "exceeded"},
    {NoteKind::kNotKept, "not_kept"},
    {NoteKind::kOther, "other"},
}};

}  // namespace

std::string_view NameOf(NoteKind kind) {
  const auto* found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& each) { return each.first == kind; });
  KITH_CHECK(found != kNames.end());
  return found->second;
}

std::optional<NoteKind> NoteKindNamed(std::string_view name) {
  const auto* found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& each) { return each.second == name; });
  if (found == kNames.end()) return std::nullopt;
  return found->first;
}

}  // namespace kith

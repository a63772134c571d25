// [budget] neighbours: which of its two amounts of loss an answer is counted by.
#include <fmt/format.h>

#include "policy/per_row.h"
#include "policy/sections/section.h"
#include "policy/sections/sections.h"

namespace kith {
namespace {

// Where every answer is charged only for replacement: the choice would change nothing.
const char* OnlyReplaced(const Policy& policy) {
  if (policy.stream) return "the steps of a stream are";
  if (policy.unit.distance) return "moves over a distance are";
  if (policy.unit.other_key) return "rows that name two people are";
  return RowsArePublic(policy) ? "rows that everybody knows are" : nullptr;
}

}  // namespace

Result<void> ReadNeighbours(const Section& section, Policy& policy) {
  const Member* member = section.Find("neighbours");
  if (member == nullptr) return {};
  const auto text = section.Text(*member);
  if (!text) return text.error();
  if (*text == "replace") return {};
  const auto refuse = [&](const std::string& what, const std::string& next) {
    return section.At(member->line, what, next);
  };
  if (*text != "add-or-remove") {
    return refuse(fmt::format("neighbours cannot be {}", Quote(*text)),
                  "write neighbours = \"add-or-remove\" if epsilon shall limit what tells whether somebody is in the "
                  "table, or neighbours = \"replace\" if it shall limit what any change of a record tells");
  }
  const std::string without = "remove neighbours: epsilon then limits what any change of a record tells";
  if (policy.unit.presence != Presence::kSecret) {
    return refuse("neighbours cannot be \"add-or-remove\" where presence is public: everybody knows who is there",
                  without + "; or write presence = \"secret\" in [unit]");
  }
  const auto kind = Kind(policy.dependence.model);
  if (kind != "independent" || policy.dependence.known) {
    return refuse(
        fmt::format(
            "neighbours cannot be \"add-or-remove\" where {}: what somebody learns by it is bounded for "
            "changes of a record, not for somebody who comes or goes",
            policy.dependence.known ? "totals are known" : fmt::format("records depend on each other ({})", kind)),
        without);
  }
  if (const char* what = OnlyReplaced(policy)) {
    return refuse(fmt::format("neighbours cannot be \"add-or-remove\" here: {} charged for a record that is replaced, "
                              "and it would change nothing",
                              what),
                  without);
  }
  policy.counts_presence = true;
  return {};
}

}  // namespace kith

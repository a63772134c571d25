// [server]: what a server shows to whom, and when.
#include <fmt/format.h>

#include "base/duration.h"
#include "policy/sections/sections.h"

namespace kith {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;

Result<milliseconds> ReadDuration(const Section& section, const Member& member, milliseconds least, milliseconds most,
                                  const std::string& example) {
  auto text = section.Text(member);
  if (!text) return text.error();
  const auto length = DurationOf(*text);
  if (!length || *length < least || *length > most)
    return section.At(member.line, fmt::format("{} is no length of time that {} can be", Quote(*text), member.key),
                      example);
  return *length;
}

}  // namespace

Result<void> ReadServing(const Section& section, Policy& policy) {
  if (auto ok = section.AllowOnly("server"); !ok) return ok;
  Serving& serving = policy.serving;
  const auto shared = section.Flag("shared_history");
  if (!shared) return shared.error();
  serving.shared_history = *shared;
  if (const Member* member = section.Find("tick")) {
    const auto tick = ReadDuration(section, *member, milliseconds(0), seconds(10),
                                   "write tick = \"100ms\"; at most 10 seconds, \"0ms\" for none");
    if (!tick) return tick.error();
    serving.tick = *tick;
  }
  if (const Member* member = section.Find("approve_above")) {
    const std::string example = "write approve_above = 0.2: the plain price above which a curator decides";
    const auto price = section.Number(*member);
    if (!price) return price.error();
    const auto units = PlainUnits::Floor(*price);
    if (!units) return section.At(member->line, "approve_above is no plain loss", example);
    // Rounded up, so that it reads as it was written; prices are rounded down.
    serving.approve_above = PlainUnits::Of(units->count() + (units->epsilon() < *price ? 1 : 0));
  }
  if (const Member* member = section.Find("approval_expires")) {
    const auto expires = ReadDuration(section, *member, seconds(60), std::chrono::hours(24 * 365),
                                      "write approval_expires = \"7d\"; from a minute to a year");
    if (!expires) return expires.error();
    serving.approval_expires = duration_cast<seconds>(*expires);
  }
  return {};
}

}  // namespace kith

#include "policy/renamed_keys.h"

#include <fmt/format.h>

#include <array>

namespace kith {
namespace {

struct RenamedKey {
  std::string_view section, old, now;
};
constexpr auto kRenamed =
    std::to_array<RenamedKey>({{"[one_sided]", "law", "model"}, {"[server]", "approval_lapses", "approval_expires"}});

}  // namespace

std::string_view PresentName(std::string_view section, std::string_view key) {
  for (const RenamedKey& each : kRenamed) {
    if (each.section == section && each.old == key) return each.now;
  }
  return key;
}

std::vector<std::string> OldNamesIn(const Document& document) {
  std::vector<std::string> sentences;
  for (const Member& part : document.root.members) {
    const std::string section = fmt::format("[{}]", part.key);
    for (const Member& member : part.value.members) {
      const std::string_view now = PresentName(section, member.key);
      if (now != member.key)
        sentences.push_back(
            fmt::format("line {} of the policy: {} of {} is called {} now; the next version of kith "
                        "does not know the old name",
                        member.line, member.key, section, now));
    }
  }
  return sentences;
}

}  // namespace kith

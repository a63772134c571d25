// The text that a policy's digests are made of: every part is preceded by its length, so that no two policies have the
// same text.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace kith {

class Canonical {
 public:
  explicit Canonical(std::string_view purpose) { Add(purpose); }
  Canonical& Add(std::string_view part) {
    text_ += fmt::format("{}:{};", part.size(), part);
    return *this;
  }
  Canonical& Add(std::int64_t number) { return Add(std::string_view(fmt::format("{}", number))); }
  Canonical& Add(double number) {
    return Add(std::string_view(fmt::format("{}", number)));
  }  // shortest text that reads back exactly
  Canonical& Add(bool flag) { return Add(std::string_view(flag ? "true" : "false")); }
  Canonical& Add(const char* part) { return Add(std::string_view(part)); }
  Canonical& Add(const std::string& part) { return Add(std::string_view(part)); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// In the order of their names.
template <class T>
std::vector<const T*> ByName(const std::vector<T>& items) {
  std::vector<const T*> sorted;
  for (const auto& item : items) sorted.push_back(&item);
  std::sort(sorted.begin(), sorted.end(), [](const T* a, const T* b) { return a->name < b->name; });
  return sorted;
}

/// Columns that say who a unit is, or what everybody knows of it: another way of reading them makes other units, groups
/// or cells. Public tables are public from end to end.
bool IsIdentity(const Policy& policy, const Table& table, const Column& column);

/// What a charge means depends on it: a ledger's losses are for these moves and no others.
void AddDistance(Canonical& out, const Distance& distance);

/// A lipschitz model transfers only losses by distance, so a ledger that holds other charges cannot serve it.
bool ByDistance(const Policy& policy);

}  // namespace kith

// Gives names the numbers 0, 1, 2, … in the order in which they appear.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kith {

/// Names that are integers: an open table with twelve bytes for each place and at most two thirds of them taken.
class IntegerNames {
 public:
  IntegerNames() : names_(kSmallest), numbers_(kSmallest, kFree) {}

  std::uint32_t Number(std::int64_t name) {
    if (3 * std::size_t{count_} >= 2 * names_.size()) Grow();
    const std::size_t at = Find(name);
    if (numbers_[at] == kFree) {
      names_[at] = name;
      numbers_[at] = count_++;
    }
    return numbers_[at];
  }
  std::uint32_t count() const { return count_; }

 private:
  static constexpr std::size_t kSmallest = 1024;       // a power of two, as is every later size
  static constexpr std::uint32_t kFree = 0xFFFFFFFFU;  // more than the largest graph has

  std::size_t Find(std::int64_t name) const {
    // The finaliser of SplitMix64: neighbouring names land far apart.
    auto mixed = static_cast<std::uint64_t>(name);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    std::size_t at = (mixed ^ (mixed >> 31)) & (names_.size() - 1);
    while (numbers_[at] != kFree && names_[at] != name) at = (at + 1) & (names_.size() - 1);
    return at;
  }
  void Grow() {
    IntegerNames larger;
    larger.names_.assign(2 * names_.size(), 0);
    larger.numbers_.assign(2 * names_.size(), kFree);
    larger.count_ = count_;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (numbers_[i] == kFree) continue;
      const std::size_t at = larger.Find(names_[i]);
      larger.names_[at] = names_[i];
      larger.numbers_[at] = numbers_[i];
    }
    *this = std::move(larger);
  }

  std::vector<std::int64_t> names_;
  std::vector<std::uint32_t> numbers_;
  std::uint32_t count_ = 0;
};

/// Names that are strings.
class TextNames {
 public:
  std::uint32_t Number(std::string_view name) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    return numbers_.emplace(std::string(name), count()).first->second;
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(numbers_.size()); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
};

}  // namespace kith

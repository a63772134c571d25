// Exact integers that no code outside the kernel can read, print, compare or copy.  Claims: claims/kernel.md
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "loss/loss.h"
#include "query/plan.h"

namespace kith {

struct Exact;  // defined for the kernel alone (opening.h)

/// The numbers of a statement that was run, with what was claimed of it. Made only by the vault, opened only by it.
class Sealed {
 public:
  Sealed(Sealed&&) noexcept = default;
  Sealed& operator=(Sealed&&) noexcept = default;
  Sealed(const Sealed&) = delete;
  Sealed& operator=(const Sealed&) = delete;

 private:
  friend class Vault;
  Sealed(std::shared_ptr<const Plan> plan, std::shared_ptr<const Exact> exact)
      : plan_(std::move(plan)), exact_(std::move(exact)) {}
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<const Exact> exact_;
};

/// What a fold added up, with how far one unit can move each of its parts.
class SealedSums {
 public:
  SealedSums(SealedSums&&) noexcept = default;
  SealedSums& operator=(SealedSums&&) noexcept = default;
  SealedSums(const SealedSums&) = delete;
  SealedSums& operator=(const SealedSums&) = delete;

 private:
  friend class Vault;
  struct Part {
    std::size_t first = 0, size = 0;
    Sensitivities change = Sensitivities::None();
  };
  SealedSums(std::vector<Int128> sums, std::vector<Part> parts, std::vector<bool> charged)
      : sums_(std::move(sums)), parts_(std::move(parts)), charged_(std::move(charged)) {}
  std::vector<Int128> sums_;
  std::vector<Part> parts_;
  std::vector<bool> charged_;
};

}  // namespace kith

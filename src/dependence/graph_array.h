// Memory for arrays of gigabytes: huge pages where the system has them, and no first write of zeros over all of it.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace kith {

/// `resize` leaves new numbers unset: they cost no write before they are used.
template <class T>
class BigArrayAllocator {
 public:
  using value_type = T;
  BigArrayAllocator() = default;
  template <class U>
  BigArrayAllocator(const BigArrayAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    const std::size_t alignment = count * sizeof(T) >= kHugePage ? kHugePage : kCacheLine;
    const std::size_t bytes = (count * sizeof(T) + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, bytes);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    // Only speed depends on this, so a refusal does not matter.
    if (alignment == kHugePage) (void)::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
  bool operator==(const BigArrayAllocator&) const { return true; }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  static constexpr std::size_t kCacheLine = 64;
};

template <class T>
using BigArray = std::vector<T, BigArrayAllocator<T>>;

}  // namespace kith

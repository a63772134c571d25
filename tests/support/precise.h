// Numbers of fifty decimal digits, to check exact arithmetic against. Boost's, compiled once: its header takes a test
// two seconds longer.
#pragma once
#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <type_traits>

namespace kith::testing {

class Precise {
 public:
  Precise() : Precise(std::int64_t{0}) {}
  template <std::integral T>
  Precise(T value) : Precise(Wide<T>(value)) {}  // NOLINT(google-explicit-constructor): as boost's
  Precise(std::int64_t value);                   // NOLINT(google-explicit-constructor)
  Precise(std::uint64_t value);                  // NOLINT(google-explicit-constructor)
  explicit Precise(const char* decimal);
  /// Towards zero.
  explicit operator std::uint64_t() const;

  friend Precise operator+(const Precise& a, const Precise& b);
  friend Precise operator-(const Precise& a, const Precise& b);
  friend Precise operator*(const Precise& a, const Precise& b);
  friend Precise operator/(const Precise& a, const Precise& b);
  friend Precise operator-(const Precise& a);
  friend bool operator==(const Precise& a, const Precise& b);
  friend std::partial_ordering operator<=>(const Precise& a, const Precise& b);
  friend std::ostream& operator<<(std::ostream& out, const Precise& value);

  friend Precise abs(const Precise& a);
  friend Precise floor(const Precise& a);
  friend Precise exp(const Precise& a);
  friend Precise log(const Precise& a);
  friend Precise ldexp(const Precise& a, int exponent);

 private:
  template <class T>
  using Wide = std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>;
  struct Number;
  explicit Precise(const Number& number);

  std::shared_ptr<const Number> number_;  // never changes
};

}  // namespace kith::testing

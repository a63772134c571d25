#include "tests/support/precise.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <ostream>

namespace kith::testing {

namespace multi = boost::multiprecision;

struct Precise::Number {
  multi::cpp_bin_float_50 is;
};

Precise::Precise(const Number& number) : number_(std::make_shared<const Number>(number)) {}
Precise::Precise(std::int64_t value) : Precise(Number{value}) {}
Precise::Precise(std::uint64_t value) : Precise(Number{value}) {}
Precise::Precise(const char* decimal) : Precise(Number{multi::cpp_bin_float_50(decimal)}) {}
Precise::operator std::uint64_t() const { return static_cast<std::uint64_t>(number_->is); }

Precise operator+(const Precise& a, const Precise& b) {
  return Precise(Precise::Number{a.number_->is + b.number_->is});
}
Precise operator-(const Precise& a, const Precise& b) {
  return Precise(Precise::Number{a.number_->is - b.number_->is});
}
Precise operator*(const Precise& a, const Precise& b) {
  return Precise(Precise::Number{a.number_->is * b.number_->is});
}
Precise operator/(const Precise& a, const Precise& b) {
  return Precise(Precise::Number{a.number_->is / b.number_->is});
}
Precise operator-(const Precise& a) { return Precise(Precise::Number{-a.number_->is}); }
bool operator==(const Precise& a, const Precise& b) { return a.number_->is == b.number_->is; }
std::partial_ordering operator<=>(const Precise& a, const Precise& b) {
  if (a.number_->is < b.number_->is) return std::partial_ordering::less;
  if (a.number_->is > b.number_->is) return std::partial_ordering::greater;
  return a == b ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
}
std::ostream& operator<<(std::ostream& out, const Precise& value) { return out << value.number_->is.str(); }

Precise abs(const Precise& a) { return Precise(Precise::Number{multi::abs(a.number_->is)}); }
Precise floor(const Precise& a) { return Precise(Precise::Number{multi::floor(a.number_->is)}); }
Precise exp(const Precise& a) { return Precise(Precise::Number{multi::exp(a.number_->is)}); }
Precise log(const Precise& a) { return Precise(Precise::Number{multi::log(a.number_->is)}); }
Precise ldexp(const Precise& a, int exponent) {
  return Precise(Precise::Number{multi::ldexp(a.number_->is, exponent)});
}

}  // namespace kith::testing

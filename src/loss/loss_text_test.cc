// Printed losses: never below the loss, never more than one digit above.
#include "loss/loss_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>

#include "tests/support/stat.h"

namespace kith {
namespace {

double Read(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

/// One unit of the last of this many significant digits of `value`, or of ten times that where a carry adds a digit.
double LastDigit(double value, int digits) {
  return std::pow(10, std::floor(std::log10(std::fabs(value))) + 1 - digits);
}

constexpr int kLosses = 40'000;

using Printer = std::function<std::string(double)>;

/// How many of many random losses are printed too small, or more than a digit too large.
int Wrong(const Printer& print, int digits, bool up) {
  std::mt19937_64 random(20261115);
  std::uniform_real_distribution<double> exponent(-9, 9), mantissa(1, 10);
  int wrong = 0;
  for (int i = 0, losses = static_cast<int>(stat::Runs(kLosses)); i < losses; ++i) {
    double value = mantissa(random) * std::pow(10, std::floor(exponent(random)));
    if (i % 3 == 1) value = Read(fmt::format("{:.{}g}", value, digits));  // a decimal of few digits
    if (i % 3 == 2)                                                       // or the next number to one
      value = std::nextafter(Read(fmt::format("{:.{}g}", value, digits)), i % 2 == 0 ? 0.0 : 1e300);
    const double read = Read(print(value));
    const double off = up ? read - value : value - read;
    wrong += off < 0 || off > LastDigit(value, digits) * (1 + 1e-9) ? 1 : 0;
  }
  return wrong;
}

TEST(LossText, IsNeverBelowTheLossAndAtMostADigitAbove_LOSSTEXT1) {
  for (const int digits : {2, 4, 6}) {
    EXPECT_EQ(Wrong([&](double loss) { return LossText(loss, digits); }, digits, true), 0) << digits;
    EXPECT_EQ(Wrong([&](double loss) { return LeftText(loss, digits); }, digits, false), 0) << digits;
  }
}

// The planted fault: the nearest decimal, which is too small for half of all losses.
TEST(LossText, TheCheckAboveSeesTheNearestDecimal) {
  const Printer nearest = [](double loss) { return fmt::format("{:.4g}", loss); };
  EXPECT_GT(Wrong(nearest, 4, true), kLosses / 4);
  EXPECT_GT(Wrong(nearest, 4, false), kLosses / 4);
  EXPECT_GT(Wrong([](double loss) { return LossText(2 * loss); }, 4, true),
            kLosses / 4);  // and one that is far too large
}

TEST(LossText, AsPeopleReadIt) {
  EXPECT_EQ(LossText(0), "0");
  EXPECT_EQ(LossText(1), "1");
  EXPECT_EQ(LossText(0.1), "0.1");  // the very double that 0.1 is read as
  EXPECT_EQ(LossText(0.03516157762519), "0.03517");
  EXPECT_EQ(LossText(0.9999999), "1");
  EXPECT_EQ(LossText(std::nextafter(1.0, 2.0)), "1.001");
  EXPECT_EQ(LossText(9999.5), "10000");
  EXPECT_EQ(LossText(20463.7), "20470");
  EXPECT_EQ(LossText(123456789), "123500000");
  EXPECT_EQ(LossText(1.50001e12), "1.501e+12");
  EXPECT_EQ(LossText(1.23456e-7), "1.235e-07");
  EXPECT_EQ(LossText(0.0123, 2), "0.013");
  EXPECT_EQ(LossText(-0.12345), "-0.1234");
  EXPECT_EQ(LossText(INFINITY), "∞");
  EXPECT_EQ(LossText(std::numeric_limits<double>::max()), "∞");  // no decimal of four digits is that large
  EXPECT_GT(Read(LossText(5e-324)), 0);
  EXPECT_EQ(LeftText(0.2003019393), "0.2003");
  EXPECT_EQ(LeftText(0.0879999), "0.08799");
  EXPECT_EQ(LeftText(0.9999999), "0.9999");
  EXPECT_EQ(LeftText(10000), "10000");
  EXPECT_EQ(LeftText(19999.9), "19990");
  EXPECT_EQ(LeftText(-0.12345), "-0.1235");
  EXPECT_EQ(LeftText(2.718281828, 6), "2.71828");
  EXPECT_EQ(LeftText(INFINITY), "∞");
}

}  // namespace
}  // namespace kith

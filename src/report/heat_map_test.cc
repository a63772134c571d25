#include <gtest/gtest.h>

#include <cmath>

#include "report/chart.h"
#include "tests/support/xml.h"

namespace kith::report {
namespace {

HeatMap Hill() {
  HeatMap map;
  map.title = "Where <people> & friends are";
  map.x_label = "lon";
  map.y_label = "lat";
  map.value_label = "points in a cell";
  map.columns = map.rows = 9;
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < 9; ++b) map.values.push_back(100 * std::exp(-0.3 * ((a - 6) * (a - 6) + (b - 2) * (b - 2))));
  map.error_95 = 7;
  map.marks = {{0.5, 0.1, 0.9, 0.4, "412 ± 9"}, {3, 3, 4, 4, "outside"}};
  map.footer = "Noise for a loss of 1.";
  return map;
}

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

TEST(HeatMap, IsAPictureWithLegendAndMarks) {
  const std::string svg = Svg(Hill());
  test::ExpectWellFormed(svg);
  EXPECT_NE(svg.find("&lt;people&gt; &amp; friends"), std::string::npos);
  EXPECT_NE(svg.find("412 ± 9"), std::string::npos);
  EXPECT_EQ(svg.find("outside"), std::string::npos);
  EXPECT_NE(svg.find("noise, ±7"), std::string::npos);
  for (const char* tick : {">2<", ">10<", ">20<", ">50<", ">100<"})
    EXPECT_NE(svg.find(tick), std::string::npos) << tick;
  EXPECT_GT(Count(svg, "<path fill="), 20U);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

// What noise alone could produce is dimmed: with a larger bar fewer colours are left.
TEST(HeatMap, DimsWhatNoiseCouldBe) {
  HeatMap map = Hill();
  map.error_95 = 0;
  const std::size_t all = Svg(map).size();
  map.error_95 = 80;
  EXPECT_LT(Svg(map).size(), all);
}

TEST(HeatMap, BearsWhatCannotBeDrawn) {
  for (const double odd : {std::nan(""), static_cast<double>(INFINITY), -5.0}) {
    HeatMap map = Hill();
    map.values[40] = odd;
    test::ExpectWellFormed(Svg(map));
  }
  HeatMap empty;
  test::ExpectWellFormed(Svg(empty));
  HeatMap flat = Hill();
  flat.values.assign(81, 0);
  test::ExpectWellFormed(Svg(flat));
}

}  // namespace
}  // namespace kith::report

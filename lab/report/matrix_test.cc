#include "report/matrix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/xml.h"

namespace kith::report {
namespace {

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

TEST(Matrix, IsASquareForEachNumber) {
  MatrixChart chart{"rho <of> pairs", "i", "j", {"left", "right"}, {{std::nan(""), 0.25}, {0.75, std::nan("")}}};
  const std::string svg = Svg(chart);
  test::ExpectWellFormed(svg);
  EXPECT_EQ(Count(svg, "<rect x="), 3U);  // and the frame
  EXPECT_NE(svg.find("0.25"), std::string::npos);
  EXPECT_NE(svg.find("&lt;of&gt;"), std::string::npos);
  chart.values.assign(200, std::vector<double>(200, 1));
  chart.names.clear();
  test::ExpectWellFormed(Svg(chart));
  test::ExpectWellFormed(Svg(MatrixChart()));
}

}  // namespace
}  // namespace kith::report

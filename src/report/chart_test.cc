#include "report/chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>

#include "report/axis.h"
#include "report/markup.h"
#include "tests/support/xml.h"

namespace kith::report {
namespace {

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

Series Straight(const std::string& name, int points, double slope) {
  Series s;
  s.name = name;
  for (int i = 0; i < points; ++i) {
    s.x.push_back(i);
    s.y.push_back(slope * i);
  }
  return s;
}

// Every number that an attribute holds is a finite, sane number of pixels.
void ExpectSaneNumbers(const std::string& svg) {
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf\""), std::string::npos);
  EXPECT_FALSE(std::regex_search(svg, std::regex("[^#0-9][0-9]{6}"))) << svg;
}

TEST(Escaped, LeavesNoMarkupAndNoForbiddenCharacter) {
  EXPECT_EQ(Escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(Escaped("ε ≤ 1"), "ε ≤ 1");
  EXPECT_EQ(Escaped(std::string("\0", 1) + "\x1b\x7f"), "���");
  EXPECT_EQ(Escaped("\xff\xc0\xaf"), "���");  // not UTF-8, and an overlong slash
  EXPECT_EQ(Escaped("\xed\xa0\x80"), "���");  // a surrogate
  EXPECT_EQ(Escaped("x\xe2\x82"), "x��");     // cut in the middle
  EXPECT_EQ(Escaped("\xef\xbf\xbf"), "���");  // U+FFFF
}

TEST(Lines, BreakAtSpacesAndCutLongWords) {
  EXPECT_EQ(Lines("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(Lines("εεεεεεεε", 4), (std::vector<std::string>{"εεε…"}));
  EXPECT_EQ(Lines("", 4), (std::vector<std::string>{""}));
}

TEST(Axis, TicksAreRoundAndInside) {
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{
           {0, 1}, {-3, 7}, {0.002, 0.0031}, {5, 5}, {1e-12, 4e9}, {-1e300, 1e300}}) {
    for (const bool log : {false, true}) {
      const Axis axis = Axis::Over({low, high}, log);
      const auto ticks = axis.Ticks();
      EXPECT_GE(ticks.size(), 2u) << low << " " << high << " " << log;
      EXPECT_LE(ticks.size(), 13u) << low << " " << high << " " << log;
      for (const Tick& tick : ticks) {
        EXPECT_GE(axis.Place(tick.value), -1e-6);
        EXPECT_LE(axis.Place(tick.value), 1 + 1e-6);
      }
    }
  }
  const auto ticks = Axis::Over({0, 10}, false).Ticks();
  EXPECT_EQ(ticks[1].label, "2");
  EXPECT_EQ(Axis::Over({1e-9, 1}, true).Ticks()[0].label, "10⁻⁹");
  const auto close = Axis::Over({1.23989, 1.23991}, false).Ticks();  // as many digits as distinguish them
  for (std::size_t k = 1; k < close.size(); ++k) EXPECT_NE(close[k].label, close[k - 1].label);
  EXPECT_EQ(close[0].label, "1.239890");
}

TEST(Axis, NumbersForReaders) {
  EXPECT_EQ(NumberText(0.30000000000000004), "0.3");
  EXPECT_EQ(NumberText(-2.5), "−2.5");
  EXPECT_EQ(NumberText(123456), "123456");
  EXPECT_EQ(NumberText(2.5e-7), "2.5·10⁻⁷");
  EXPECT_EQ(NumberText(9.9999e9), "10¹⁰");
  EXPECT_EQ(NumberText(INFINITY), "∞");
  EXPECT_EQ(NumberText(NAN), "no value");
  EXPECT_FALSE(NumberText(5e-324).empty());
}

TEST(LineChart, ShowsEveryLineItsNameAndItsAxes) {
  LineChart chart{"Title <1>", "x & y", "loss", false, false, {Straight("first", 5, 1), Straight("second", 60, 0.5)}};
  const std::string svg = Svg(chart);
  test::ExpectWellFormed(svg);
  ExpectSaneNumbers(svg);
  for (const char* text : {">Title &lt;1&gt;<", ">x &amp; y<", ">loss<", ">first<", ">second<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(svg.find("not drawn"), std::string::npos);
  EXPECT_EQ(Count(svg, "<script"), 0u);
}

TEST(LineChart, LeavesOutWhatIsNotFiniteAndSaysSo) {
  Series s = Straight("line", 6, 1);
  s.y[1] = NAN;
  s.y[2] = INFINITY;
  s.x[4] = -INFINITY;
  s.low = s.high = {0, NAN, 1, 1e308, -1e308, 2};
  const std::string svg = Svg(LineChart{"t", "x", "y", false, false, {s}});
  test::ExpectWellFormed(svg);
  ExpectSaneNumbers(svg);
  EXPECT_NE(svg.find("3 of 6 points are not drawn: no finite value"), std::string::npos);
}

TEST(LineChart, LogAxesLeaveOutZeroAndSaySo) {
  Series s = Straight("line", 4, 1);  // starts at (0, 0)
  const std::string svg = Svg(LineChart{"t", "x", "y", true, true, {s}});
  test::ExpectWellFormed(svg);
  ExpectSaneNumbers(svg);
  EXPECT_NE(svg.find("1 of 4 points are not drawn: no finite, positive value"), std::string::npos);
}

TEST(LineChart, NothingAtAllIsAChartToo) {
  for (const LineChart& chart : {LineChart{}, LineChart{"t", "x", "y", true, true, {Series{}}}}) {
    test::ExpectWellFormed(Svg(chart));
    ExpectSaneNumbers(Svg(chart));
  }
  EXPECT_NE(Svg(LineChart{}).find("no data"), std::string::npos);
}

TEST(LineChart, StrongLineDecidesTheHeightAndOthersGetAnArrow) {
  Series strong = Straight("strong", 5, 1);
  strong.strong = true;
  const std::string svg = Svg(LineChart{"t", "x", "y", false, false, {strong, Straight("steep", 5, 1e200)}});
  ExpectSaneNumbers(svg);
  EXPECT_NE(svg.find(">steep ↑<"), std::string::npos);
  EXPECT_NE(svg.find("continues above the chart"), std::string::npos);
}

TEST(LineChart, LinesDifferWithoutColour) {
  LineChart chart{"t", "x", "y", false, false, {}};
  for (int i = 0; i < 7; ++i) chart.series.push_back(Straight("line " + std::to_string(i), 3, i));
  const std::string svg = Svg(chart);
  std::set<std::string> shapes;
  const std::regex shape("d=\"([^\"]*)\" transform");
  for (std::sregex_iterator it(svg.begin(), svg.end(), shape), end; it != end; ++it) shapes.insert((*it)[1]);
  EXPECT_EQ(shapes.size(), 7u);
}

TEST(LineChart, TwentyLinesDiffer) {
  LineChart chart{"t", "x", "y", false, false, {}};
  for (int i = 0; i < 20; ++i) chart.series.push_back(Straight("line " + std::to_string(i), 3, i));
  const std::string svg = Svg(chart);
  std::set<std::string> looks;
  const std::regex curve("(stroke=\"[^\"]*\") stroke-width=\"1.5\" fill=\"none\" stroke-linejoin=\"round\"([^/]*)/>");
  for (std::sregex_iterator it(svg.begin(), svg.end(), curve), end; it != end; ++it)
    looks.insert((*it)[1].str() + (*it)[2].str());
  EXPECT_EQ(looks.size(), 20u);
}

TEST(LineChart, LabelsDoNotCoverEachOther) {
  LineChart chart{"t", "x", "y", false, false, {}};
  for (int i = 0; i < 30; ++i) chart.series.push_back(Straight("equal " + std::to_string(i), 3, 1));
  const std::string svg = Svg(chart);
  std::set<int> heights;
  const std::regex label("y=\"([0-9.]+)\" fill=\"#[0-9a-f]{6}\">equal");
  for (std::sregex_iterator it(svg.begin(), svg.end(), label), end; it != end; ++it)
    heights.insert(std::stoi((*it)[1]));
  ASSERT_EQ(heights.size(), 30u);
  for (auto it = std::next(heights.begin()); it != heights.end(); ++it) EXPECT_GE(*it - *std::prev(it), 15);
}

TEST(BarChart, ShowsNamesValuesWhiskersAndTheMark) {
  BarChart chart{"Loss",
                 "epsilon",
                 {{"plain & simple", 1.5, 1.2, 1.9},
                  {"endless", INFINITY, {}, {}},
                  {"none", NAN, {}, {}},
                  {"below", -0.25, {}, {}}},
                 1.0,
                 "claimed"};
  const std::string svg = Svg(chart);
  test::ExpectWellFormed(svg);
  ExpectSaneNumbers(svg);
  for (const char* text : {">plain &amp; simple<", ">1.5<", ">∞<", ">no value<", ">−0.25<", ">claimed 1<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  test::ExpectWellFormed(Svg(BarChart{}));
}

}  // namespace
}  // namespace kith::report

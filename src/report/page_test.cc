#include "report/page.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "report/chart.h"
#include "tests/support/xml.h"

namespace kith::report {
namespace {

Page Sample() {
  Page page;
  page.title = "Title <script>alert(1)</script>";
  page.question = "Does & it hold?";
  page.verdict = "No: \"1.9\" > 1.";
  page.tone = Page::Tone::kBad;
  Section section{"Heading", {"A paragraph."}, {Svg(BarChart{"Bars", "loss", {{"a", 1, {}, {}}}, {}, ""})}, {}};
  section.tables.push_back({"Figures <b>", {"name", "loss"}, {{"first", "1.5"}, {"second", "−2"}, {"third", "∞"}}});
  page.sections.assign(4, section);
  page.assumptions = {"fresh noise & nothing else"};
  page.reproduce = {"kith probe --left 'a' > x"};
  return page;
}

TEST(Page, IsWellFormedAndSelfContained) {
  const std::string html = Html(Sample());
  test::ExpectWellFormed(html);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  // The only address is the name space of SVG, which nothing fetches.
  const std::string without = std::regex_replace(html, std::regex("xmlns=\"http://www.w3.org/2000/svg\""), "");
  EXPECT_EQ(without.find("://"), std::string::npos);
  EXPECT_FALSE(std::regex_search(without, std::regex("(src|href)=\"[^#]")));
  EXPECT_FALSE(std::regex_search(without, std::regex("url\\(|@import")));
}

TEST(Page, SaysEverythingOnceAndEscaped) {
  const std::string html = Html(Sample());
  for (const char* text :
       {"<h1>Title &lt;script&gt;", "Does &amp; it hold?", "class=\"verdict bad\"", "✕ Problem",
        "No: &quot;1.9&quot; &gt; 1.", "<caption>Figures &lt;b&gt;</caption>", "<th scope=\"row\">first</th>",
        "<td class=\"number\">1.5</td>", "<td class=\"number\">−2</td>", "fresh noise &amp; nothing else",
        "kith probe --left &#39;a&#39; &gt; x", "<a href=\"#s4\">", "<h2 id=\"s4\">"}) {
    EXPECT_NE(html.find(text), std::string::npos) << text;
  }
}

TEST(Page, NamesAreUnique) {
  const std::string html = Html(Sample());
  std::set<std::string> seen;
  const std::regex id(" id=\"([^\"]*)\"");
  for (std::sregex_iterator it(html.begin(), html.end(), id), end; it != end; ++it)
    EXPECT_TRUE(seen.insert((*it)[1]).second);
  EXPECT_EQ(seen.size(), 6u);
}

TEST(Page, AnEmptyOneAndRowsOfAnyLengthAreWellFormed) {
  test::ExpectWellFormed(Html(Page{}));
  Page page;
  page.sections.push_back({"h", {}, {}, {{"c", {"a"}, {{}, {"1", "2", "3"}}}}});
  test::ExpectWellFormed(Html(page));
}

}  // namespace
}  // namespace kith::report

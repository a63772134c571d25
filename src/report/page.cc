#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/markup.h"

namespace kith::report {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #111; font: 16px/1.5 "DejaVu Sans", Verdana, Arial, sans-serif; }
main { max-width: 50rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .5rem; border-bottom: 1px solid #999; padding-bottom: .2rem; }
p { margin: .6rem 0; }
.question { font-size: 1.1rem; color: #333; }
.verdict { border: 2px solid; border-left-width: .6rem; padding: .7rem 1rem; margin: 1.2rem 0; font-size: 1.1rem; }
.verdict b { display: block; font-size: .85rem; letter-spacing: .06em; text-transform: uppercase; }
.good { border-color: #2f6b12; background: #f3f9ee; } .good b { color: #2f6b12; }
.warning { border-color: #8a5a00; background: #fdf7e8; } .warning b { color: #8a5a00; }
.bad { border-color: #a11414; background: #fdf1f0; } .bad b { color: #a11414; }
figure { margin: 1.2rem 0; }
figure svg { display: block; max-width: 100%; height: auto; }
.table { overflow-x: auto; margin: 1.2rem 0; }
table { border-collapse: collapse; font-size: .9rem; }
caption { text-align: left; font-weight: bold; padding-bottom: .4rem; }
th, td { padding: .3rem .9rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid #ccc; }
th[scope=row] { font-weight: normal; }
thead th { border-bottom: 2px solid #111; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
pre { background: #f4f4f4; border: 1px solid #ccc; padding: .6rem .8rem; white-space: pre-wrap; overflow-wrap: anywhere;
  font: .85rem/1.5 "DejaVu Sans Mono", Consolas, monospace; }
footer { margin-top: 2.5rem; font-size: .85rem; color: #555; }
@page { margin: 18mm 16mm; }
@media print {
  body { font-size: 10.5pt; } main { max-width: none; padding: 0; }
  figure, tr, .verdict, pre { break-inside: avoid; } h2 { break-after: avoid; } thead { display: table-header-group; }
  .table { overflow: visible; } nav { display: none; }
  .verdict, pre { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)";

struct ToneText {
  const char* css;
  const char* word;
};
ToneText Of(Page::Tone tone) {
  switch (tone) {
    case Page::Tone::kGood:
      return {"good", "✓ In order"};
    case Page::Tone::kWarning:
      return {"warning", "! Take care"};
    case Page::Tone::kBad:
      return {"bad", "✕ Problem"};
  }
  return {"warning", "! Take care"};
}

// Digits with a sign, a point, a unit or an error bar after them.
bool LooksLikeANumber(const std::string& cell) {
  std::size_t i = cell.rfind("−", 0) == 0 ? std::string("−").size() : cell.find_first_not_of("-+<>≤≥~± ");
  if (cell == "∞" || cell == "−∞") return true;
  return i < cell.size() && cell[i] >= '0' && cell[i] <= '9' &&
         cell.find_first_of("abcdfghijklmnopqrstuvwyzABCDFGHIJKLMNOPQRSTUVWXYZ_/:") == std::string::npos;
}

std::string Paragraphs(const std::vector<std::string>& paragraphs) {
  std::string out;
  for (const auto& text : paragraphs) out += "<p>" + Escaped(text) + "</p>\n";
  return out;
}

std::string Markup(const Table& table) {
  std::vector<bool> number(table.head.size(), !table.rows.empty());
  for (const auto& row : table.rows) {
    for (std::size_t k = 0; k < std::min(row.size(), number.size()); ++k) {
      if (!row[k].empty() && !LooksLikeANumber(row[k])) number[k] = false;
    }
  }
  const auto set = [&](std::size_t k) { return k < number.size() && number[k] ? " class=\"number\"" : ""; };
  std::string out = fmt::format(
      "<div class=\"table\" role=\"region\" tabindex=\"0\" "
      "aria-label=\"{0}\">\n<table>\n<caption>{0}</caption>\n<thead><tr>",
      Escaped(table.caption));
  for (std::size_t k = 0; k < table.head.size(); ++k)
    out += fmt::format("<th scope=\"col\"{}>{}</th>", set(k), Escaped(table.head[k]));
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t k = 0; k < row.size(); ++k) {
      out += k == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", set(k), Escaped(row[k]))
                    : fmt::format("<td{}>{}</td>", set(k), Escaped(row[k]));
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n</div>\n";
}

std::string Markup(const Section& section, const std::string& id) {
  std::string out =
      fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n", id, Escaped(section.heading));
  out += Paragraphs(section.paragraphs);
  for (const auto& svg : section.svgs) out += "<figure>\n" + svg + "</figure>\n";
  for (const auto& table : section.tables) out += Markup(table);
  return out + "</section>\n";
}

std::string Contents(const Page& page) {
  if (page.sections.size() < 4) return "";
  std::string out = "<nav aria-label=\"Contents\">\n<ol>\n";
  for (std::size_t k = 0; k < page.sections.size(); ++k) {
    out += fmt::format("<li><a href=\"#s{}\">{}</a></li>\n", k + 1, Escaped(page.sections[k].heading));
  }
  return out + "</ol>\n</nav>\n";
}

}  // namespace

std::string Html(const Page& page) {
  const ToneText tone = Of(page.tone);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"/>\n<title>{0}</title>\n<style>{1}</style>\n"
      "</head>\n<body>\n<main>\n<header>\n<h1>{0}</h1>\n<p class=\"question\">{2}</p>\n</header>\n"
      "<section class=\"verdict {3}\" aria-label=\"Verdict\"><b>{4}</b> {5}</section>\n",
      Escaped(page.title), kStyle, Escaped(page.question), tone.css, tone.word, Escaped(page.verdict));
  out += Contents(page);
  for (std::size_t k = 0; k < page.sections.size(); ++k) out += Markup(page.sections[k], fmt::format("s{}", k + 1));
  if (!page.assumptions.empty()) {
    out += "<section aria-labelledby=\"assumptions\">\n<h2 id=\"assumptions\">Assumptions</h2>\n<ul>\n";
    for (const auto& text : page.assumptions) out += "<li>" + Escaped(text) + "</li>\n";
    out += "</ul>\n</section>\n";
  }
  if (!page.reproduce.empty()) {
    out += "<section aria-labelledby=\"reproduce\">\n<h2 id=\"reproduce\">How to reproduce this</h2>\n<pre>";
    for (const auto& command : page.reproduce) out += Escaped(command) + "\n";
    out += "</pre>\n</section>\n";
  }
  return out +
         "<footer>Made by kith. This page is one file: it runs no script and loads "
         "nothing.</footer>\n</main>\n</body>\n</html>\n";
}

}  // namespace kith::report

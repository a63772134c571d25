// A report as one self-contained HTML file: no script, nothing loaded from elsewhere, prints well. It is well-formed
// XML too, so that strict tools can read it.
#pragma once
#include <string>
#include <vector>

namespace kith::report {

/// Every row should have as many cells as the head. Cells that are numbers are right-aligned.
struct Table {
  std::string caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

struct Section {
  std::string heading;
  std::vector<std::string> paragraphs;
  std::vector<std::string> svgs;  // from chart.h; put in as they are
  std::vector<Table> tables;
};

struct Page {
  enum class Tone { kGood, kWarning, kBad };

  std::string title, question, verdict;
  Tone tone = Tone::kWarning;
  std::vector<Section> sections;
  std::vector<std::string> assumptions;
  std::vector<std::string> reproduce;  // commands
};

/// All text is escaped; only svgs are trusted.
std::string Html(const Page& page);

}  // namespace kith::report

#include "app/cli/text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>

#include "app/cli/visible.h"
#include "base/utf8.h"

namespace kith::cli {
namespace {

bool LooksNumeric(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.+-e, ±%∞") == std::string::npos &&
         cell.find_first_of("0123456789∞") != std::string::npos;
}

std::string Cut(const std::string& cell, std::size_t width) {
  if (DisplayWidth(cell) <= width) return cell;
  std::string kept;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < cell.size() && shown + 1 < width;) {
    std::size_t end = i + 1;
    while (end < cell.size() && (static_cast<unsigned char>(cell[end]) & 0xC0) == 0x80) ++end;
    kept.append(cell, i, end - i);
    ++shown;
    i = end;
  }
  return kept + "…";
}

std::string Pad(const std::string& cell, std::size_t width, bool right) {
  const std::size_t shown = DisplayWidth(cell);
  const std::string space(shown < width ? width - shown : 0, ' ');
  return right ? space + cell : cell + space;
}

}  // namespace

std::string Visible(const std::string& text) {
  const auto code_at = [&](std::size_t at, std::size_t length) {
    std::uint32_t code = static_cast<unsigned char>(text[at]);
    if (length > 1) code &= 0xFFU >> (length + 1);
    for (std::size_t k = 1; k < length; ++k) code = (code << 6) | (static_cast<unsigned char>(text[at + k]) & 0x3FU);
    return code;
  };
  const auto steers = [](std::uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || (code >= 0x200E && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  };
  std::string seen;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = Utf8Length(std::string_view(text).substr(at));
    const std::uint32_t code = length == 0 ? static_cast<unsigned char>(text[at]) : code_at(at, length);
    if (length > 0 && !steers(code))
      seen.append(text, at, length);
    else if (code == '\n' || code == '\t' || code == '\r')
      seen += code == '\n' ? "\\n" : code == '\t' ? "\\t" : "\\r";
    else
      seen += code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
    at += std::max<std::size_t>(length, 1);
  }
  return seen;
}

std::size_t DisplayWidth(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

TextTable::TextTable(std::vector<std::string> header) : header_(std::move(header)) {}

void TextTable::Add(std::vector<std::string> row) {
  row.resize(header_.size());
  for (std::string& cell : row) cell = Visible(cell);
  rows_.push_back(std::move(row));
}

std::string TextTable::Render(std::size_t width) const {
  std::vector<std::size_t> widths;
  std::vector<bool> numeric(header_.size(), !rows_.empty());
  for (const auto& name : header_) widths.push_back(DisplayWidth(name));
  for (const auto& row : rows_) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      widths[k] = std::max(widths[k], DisplayWidth(row[k]));
      if (!row[k].empty() && !LooksNumeric(row[k])) numeric[k] = false;
    }
  }
  // Take from the widest column until the line fits. Numbers stay whole: a part of one would be read as another.
  std::size_t gap = 2;
  const auto total = [&] {
    std::size_t sum = gap * (widths.empty() ? 0 : widths.size() - 1);
    for (const auto w : widths) sum += w;
    return sum;
  };
  std::vector<std::size_t> least;
  for (std::size_t k = 0; k < header_.size(); ++k) {
    std::size_t needs = numeric[k] ? std::min<std::size_t>(8, DisplayWidth(header_[k])) : 6;
    for (const auto& row : rows_) needs = std::max(needs, numeric[k] ? DisplayWidth(row[k]) : 0);
    least.push_back(needs);
  }
  while (total() > width) {
    std::optional<std::size_t> widest;
    for (std::size_t k = 0; k < widths.size(); ++k) {
      if (widths[k] > least[k] && (!widest || widths[k] > widths[*widest])) widest = k;
    }
    if (!widest) break;
    --widths[*widest];
  }
  if (total() > width) gap = 1;
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (k > 0) text.append(gap, ' ');
      text += Pad(Cut(cells[k], widths[k]), widths[k], numeric[k]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line(header_);
  std::vector<std::string> rule;
  for (const auto w : widths) {
    std::string dashes;
    for (std::size_t i = 0; i < w; ++i) dashes += "─";
    rule.push_back(dashes);
  }
  line(rule);
  for (const auto& row : rows_) line(row);
  return out;
}

bool OnTerminal() { return isatty(STDOUT_FILENO) == 1; }

std::size_t TerminalWidth() {
  winsize size{};
  if (OnTerminal() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::max<std::size_t>(40, size.ws_col);
  }
  // Into a file or a pipe: as its reader asks for.
  const char* columns = std::getenv("COLUMNS");
  const unsigned long asked = columns ? std::strtoul(columns, nullptr, 10) : 0;
  return asked >= 40 && asked <= 10000 ? asked : 80;
}

std::string Wrap(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream words(text);
  std::string word, out, current;
  const std::string margin(indent, ' ');
  while (words >> word) {
    if (!current.empty() && indent + DisplayWidth(current) + 1 + DisplayWidth(word) > width) {
      out += current + "\n" + margin;
      current.clear();
    }
    if (!current.empty()) current += ' ';
    current += word;
  }
  return out + current;
}

std::string Labelled(const std::string& label, const std::string& text, std::size_t width) {
  constexpr std::size_t kLabel = 12;
  // A long label has its own line.
  const std::string beside =
      DisplayWidth(label) < kLabel ? Pad(label, kLabel, false) : label + "\n" + Pad("", kLabel, false);
  return beside + Wrap(text, width, kLabel) + "\n";
}

std::string Bar(double value, double largest) {
  constexpr double kBlocks = 24;
  if (!(value > 0) || !(largest > 0)) return {};
  const auto eighths = static_cast<int>(std::min(1.0, value / largest) * kBlocks * 8 + 0.5);
  static const char* const kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string bar;
  for (int i = 0; i < eighths / 8; ++i) bar += "█";
  return bar + kParts[eighths % 8];
}

}  // namespace kith::cli

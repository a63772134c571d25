// What a person sees in a terminal: tables that fit 80 columns, wrapped sentences, numbers with as many digits as they
// deserve.
#pragma once
#include <string>
#include <vector>

#include "document/words.h"

namespace kith::cli {

/// Columns of text; numbers are set to the right. Text that does not fit is shortened with an ellipsis so that no line
/// exceeds `width`; numbers are shown whole, even if a line is then too long.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);
  void Add(std::vector<std::string> row);
  std::string Render(std::size_t width) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// The width of the terminal on standard output, at least 40; 80 when it is not a terminal.
std::size_t TerminalWidth();

/// Is standard output a terminal?
bool OnTerminal();

/// Wraps at spaces; continuation lines start with `indent` spaces.
std::string Wrap(const std::string& text, std::size_t width, std::size_t indent);

/// "label   text", the text wrapped next to the label.
std::string Labelled(const std::string& label, const std::string& text, std::size_t width);

using document::Short;
using document::WithError;

/// A bar of up to 24 blocks, to the eighth of a block; empty for numbers that are not positive.
std::string Bar(double value, double largest);

/// Number of characters a terminal shows for UTF-8 text.
std::size_t DisplayWidth(const std::string& text);

}  // namespace kith::cli

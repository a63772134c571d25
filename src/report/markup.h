// Text inside SVG and HTML: escaped so that nothing in it can be read as markup, and broken into lines by hand, since
// SVG does not do it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kith::report {

/// Safe between tags and inside quoted attributes, in XML and in HTML. Bytes that are not UTF-8 and characters that XML
/// forbids become U+FFFD.
std::string Escaped(std::string_view text);

/// How wide a line of 13-pixel sans-serif text is, on the safe side.
double TextWidth(std::string_view text);

/// Lines of at most about `width` characters; a longer word is cut with an ellipsis.
std::vector<std::string> Lines(const std::string& text, std::size_t width);

}  // namespace kith::report

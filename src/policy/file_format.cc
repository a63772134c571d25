#include "policy/file_format.h"

#include <algorithm>
#include <array>
#include <utility>

#include "policy/sections/section.h"

namespace kith {

const std::vector<std::string>& Encodings() {
  static const std::vector<std::string> kNames = {"utf-8",        "latin-1",    "windows-1252",
                                                  "iso-8859-15",  "iso-8859-2", "windows-1250",
                                                  "windows-1251", "utf-16",     "utf-16be"};
  return kNames;
}

std::string EncodingOf(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 21> kSpellings = {{
      {"utf8", "utf-8"},
      {"latin1", "latin-1"},
      {"iso88591", "latin-1"},
      {"windows1252", "windows-1252"},
      {"cp1252", "windows-1252"},
      {"win1252", "windows-1252"},
      {"ansi", "windows-1252"},
      {"iso885915", "iso-8859-15"},
      {"latin9", "iso-8859-15"},
      {"iso88592", "iso-8859-2"},
      {"latin2", "iso-8859-2"},
      {"windows1250", "windows-1250"},
      {"cp1250", "windows-1250"},
      {"win1250", "windows-1250"},
      {"windows1251", "windows-1251"},
      {"cp1251", "windows-1251"},
      {"win1251", "windows-1251"},
      {"utf16", "utf-16"},
      {"utf16le", "utf-16"},
      {"utf16be", "utf-16be"},
      {"utf8sig", "utf-8"},
  }};
  std::string plain;
  for (const char c : FoldName(name)) {
    if (c != '-' && c != '_' && c != ' ') plain.push_back(c);
  }
  for (const auto& [spelling, encoding] : kSpellings) {
    if (plain == spelling) return std::string(encoding);
  }
  return {};
}

bool IsSeparator(char c) { return c == ',' || c == ';' || c == '\t' || c == '|' || c == ' '; }

std::string DateFormatProblem(std::string_view format) {
  constexpr std::string_view kKnown = "dmYybBHIMSfpj";
  constexpr std::size_t kLongest = 60;
  if (format.size() > kLongest) return "is too long";
  std::string seen;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F)
      return "holds a character that is not plain";
    if (c != '%') continue;
    if (++i == format.size()) return "ends with %";
    if (kKnown.find(format[i]) == std::string_view::npos) return "holds a part that is not known";
    if (seen.find(format[i]) != std::string::npos) return "names a part twice";
    seen.push_back(format[i]);
  }
  const auto has = [&seen](std::string_view any) { return seen.find_first_of(any) != std::string::npos; };
  if (!has("Yy")) return "names no year (%Y)";
  if (!has("j") && !(has("mbB") && has("d"))) return "names no month (%m) or no day (%d)";
  if (has("I") != has("p")) return "needs both %I and %p for hours of a half day";
  return {};
}

bool HasTimeOfDay(std::string_view format) {
  return format.find("%H") != std::string_view::npos || format.find("%I") != std::string_view::npos;
}

bool IsCsvName(std::string_view source) {
  const std::string lower = FoldName(source);
  std::string_view plain = lower;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (!plain.ends_with(packed)) continue;
    plain.remove_suffix(packed.size());
    break;
  }
  return plain.ends_with(".csv") || plain.ends_with(".tsv");
}

bool IsPattern(std::string_view source) { return source.find_first_of("*?") != std::string_view::npos; }

}  // namespace kith

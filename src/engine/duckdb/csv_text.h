// The text of CSV files that are not UTF-8, converted to it. Every byte and every pair of bytes has one meaning,
// whatever is around it; one that has none becomes a byte that is not UTF-8, so that its field is read as NULL.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace kith {

/// The characters of the bytes 128 to 255 of an encoding that is ASCII below; 0: none.
using UpperCharacters = std::array<std::uint16_t, 128>;

/// Nothing for encodings that do not map bytes one by one (UTF-8, UTF-16). Requires: one of Encodings().
const UpperCharacters* UpperCharactersOf(std::string_view encoding);

/// Appends the text in UTF-8.
void AppendDecoded(std::string_view bytes, const UpperCharacters& upper, std::string* text);

/// UTF-16 piece by piece.
class Utf16Decoder {
 public:
  explicit Utf16Decoder(bool big_endian) : big_endian_(big_endian) {}
  void Append(std::string_view bytes, std::string* text);
  /// What is left at the end of the file.
  void Finish(std::string* text);

 private:
  void Unit(std::uint16_t unit, std::string* text);
  bool big_endian_;
  int half_ = -1;           // the first byte of a unit
  std::uint16_t high_ = 0;  // the first unit of a pair
};

}  // namespace kith

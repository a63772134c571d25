// Messages of the PostgreSQL protocol, version 3, as bytes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kith::pgwire {

inline constexpr std::uint32_t kVersion3 = 196608, kSslRequest = 80877103, kGssRequest = 80877104,
                               kCancelRequest = 80877102;

/// A message on its way out. Its length is put in by Done.
class Message {
 public:
  explicit Message(char type) : bytes_(1, type) { bytes_.append(4, '\0'); }
  Message& Byte(char byte) {
    bytes_ += byte;
    return *this;
  }
  Message& Int16(std::int16_t number);
  Message& Int32(std::int32_t number);
  /// With the zero that ends it; what follows a zero in it is left out.
  Message& Text(std::string_view text);
  Message& Bytes(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  std::string Done() &&;

 private:
  std::string bytes_;
};

/// Of a message that came in. Once something is missing, everything after it is missing too.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  char Byte();
  std::int16_t Int16();
  std::int32_t Int32();
  std::string Text();
  std::string_view Bytes(std::size_t count);
  std::string_view rest() const { return rest_; }
  /// Everything that was read was there.
  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

/// What clients show about something that went wrong or that they should know.
struct Remark {
  std::string severity = "ERROR";  // ERROR, FATAL, WARNING or NOTICE
  std::string sqlstate = "XX000";
  std::string message, detail, hint;
  std::optional<int> position = {};     // in characters, from 1
  std::optional<Charged> charged = {};  // of errors: in the field for the routine, which only programs look at
};
/// An ErrorResponse, or a NoticeResponse.
std::string Bytes(const Remark& remark);

std::string ReadyForQuery(char status);
std::string CommandComplete(std::string_view tag);
std::string ParameterStatus(std::string_view name, std::string_view value);

}  // namespace kith::pgwire

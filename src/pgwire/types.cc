#include "pgwire/types.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "base/utf8.h"
#include "pgwire/wire.h"
#include "sql/quote.h"

namespace kith::pgwire {
namespace {

std::int16_t FormatOf(const Formats& formats, std::size_t field) {
  if (formats.empty()) return 0;
  return formats.size() == 1 ? formats[0] : formats[field];
}

std::int16_t SizeOf(Oid type) {
  switch (type) {
    case kBool:
      return 1;
    case kInt8:
    case kFloat8:
      return 8;
    default:
      return -1;
  }
}

std::string BigEndian(std::uint64_t bits, int bytes) {
  std::string out;
  for (int k = bytes - 1; k >= 0; --k) out += static_cast<char>((bits >> (8 * k)) & 0xff);
  return out;
}
std::uint64_t FromBigEndian(std::string_view bytes) {
  std::uint64_t bits = 0;
  for (const char c : bytes) bits = (bits << 8) | static_cast<unsigned char>(c);
  return bits;
}

std::string TextOf(const Value& value) {
  if (const auto* yes = std::get_if<bool>(&value)) return *yes ? "t" : "f";
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  return ToText(value);
}

std::string BinaryOf(Oid type, const Value& value) {
  switch (type) {
    case kBool:
      if (const auto* yes = std::get_if<bool>(&value)) return std::string(1, *yes ? '\1' : '\0');
      break;
    case kInt8:
      if (const auto* whole = std::get_if<std::int64_t>(&value))
        return BigEndian(static_cast<std::uint64_t>(*whole), 8);
      break;
    case kFloat8:
      if (const auto number = NumberIn(value)) return BigEndian(std::bit_cast<std::uint64_t>(*number), 8);
      break;
    default:
      break;
  }
  return TextOf(value);
}

// A value as its field's type has it. Types are known before the answer is; an answer that does not fit is not a
// number.
Value AsType(Oid type, const Value& value) {
  const bool none = std::holds_alternative<Null>(value);
  const auto number = NumberIn(value);
  switch (type) {
    case kBool:
      return std::holds_alternative<bool>(value) ? value : Value(Null{});
    case kInt8:
      if (number && std::holds_alternative<double>(value) && std::fabs(*number) < 0x1p62)
        return static_cast<std::int64_t>(std::llround(*number));
      return std::holds_alternative<std::int64_t>(value) ? value : Value(Null{});
    case kFloat8:
      return number ? Value(*number) : Value(Null{});
    default:
      return none || std::holds_alternative<std::string>(value) ? value : Value(TextOf(value));
  }
}

bool IsDecimal(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const std::size_t dot = text.find('.');
  const auto digits = [](std::string_view part) {
    return part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::string_view whole = text.substr(0, dot);
  const std::string_view part = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  return text.size() <= 400 && !(whole.empty() && part.empty()) && digits(whole) && digits(part);
}

template <class T>
std::optional<T> Parsed(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What could follow a sign elsewhere must not become part of it.
std::string Signed(std::string text) { return text.starts_with('-') ? fmt::format("({})", text) : text; }

std::string RealText(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return Signed(text);
}

Error NoValue(const char* what) {
  return InvalidArgument(fmt::format("a parameter is not {}", what), {}, "look at the values that were bound")
      .For("question");
}

Result<std::string> WholeLiteral(const std::string& bytes, std::int16_t format, std::size_t size) {
  if (format == 0) {
    const auto whole = Parsed<std::int64_t>(bytes);
    return whole ? Result<std::string>(Signed(std::to_string(*whole))) : NoValue("a whole number");
  }
  if (bytes.size() != size) return NoValue("a whole number");
  const std::uint64_t bits = FromBigEndian(bytes);
  const auto whole = size == 2   ? static_cast<std::int64_t>(static_cast<std::int16_t>(bits))
                     : size == 4 ? static_cast<std::int64_t>(static_cast<std::int32_t>(bits))
                                 : static_cast<std::int64_t>(bits);
  return Signed(std::to_string(whole));
}

Result<std::string> RealLiteral(const std::string& bytes, std::int16_t format, std::size_t size) {
  std::optional<double> real;
  if (format == 0) {
    real = Parsed<double>(bytes);
  } else if (bytes.size() == size) {
    const std::uint64_t bits = FromBigEndian(bytes);
    real = size == 4 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                     : std::bit_cast<double>(bits);
  }
  if (!real || !std::isfinite(*real)) return NoValue("a finite number");
  return RealText(*real);
}

Result<std::string> TruthLiteral(const std::string& bytes, std::int16_t format) {
  if (format == 1) {
    if (bytes.size() != 1) return NoValue("a truth value");
    return std::string(bytes[0] != 0 ? "true" : "false");
  }
  for (const char* yes : {"t", "true", "on", "yes", "1"}) {
    if (bytes == yes) return std::string("true");
  }
  for (const char* no : {"f", "false", "off", "no", "0"}) {
    if (bytes == no) return std::string("false");
  }
  return NoValue("a truth value");
}

bool IsTime(std::string_view text) {
  return !text.empty() && text.size() <= 40 && text.find_first_not_of("0123456789-:. +TZ") == std::string_view::npos;
}

}  // namespace

Oid TypeOf(ScratchType type) {
  switch (type) {
    case ScratchType::kWhole:
      return kInt8;
    case ScratchType::kReal:
      return kFloat8;
    case ScratchType::kTruth:
      return kBool;
    case ScratchType::kText:
      break;
  }
  return kText;
}

Result<void> CheckFormats(const Formats& formats, std::size_t fields) {
  for (const std::int16_t format : formats) {
    if (format != 0 && format != 1) return InvalidArgument("a format is neither text nor binary", {}, "send 0 or 1");
  }
  if (formats.size() > 1 && formats.size() != fields)
    return InvalidArgument("there are not as many formats as columns", {}, "send one for each, or one for all");
  return {};
}

std::string RowDescription(const std::vector<Field>& fields, const Formats& formats) {
  Message message('T');
  message.Int16(static_cast<std::int16_t>(fields.size()));
  for (std::size_t k = 0; k < fields.size(); ++k) {
    message.Text(fields[k].name).Int32(0).Int16(0).Int32(static_cast<std::int32_t>(fields[k].type));
    message.Int16(SizeOf(fields[k].type)).Int32(-1).Int16(FormatOf(formats, k));
  }
  return std::move(message).Done();
}

std::string DataRow(const std::vector<Field>& fields, const std::vector<Value>& row, const Formats& formats) {
  Message message('D');
  message.Int16(static_cast<std::int16_t>(fields.size()));
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const Value value = AsType(fields[k].type, row[k]);
    if (std::holds_alternative<Null>(value)) {
      message.Int32(-1);
      continue;
    }
    const std::string bytes = FormatOf(formats, k) == 1 ? BinaryOf(fields[k].type, value) : TextOf(value);
    message.Int32(static_cast<std::int32_t>(bytes.size())).Bytes(bytes);
  }
  return std::move(message).Done();
}

Result<std::string> LiteralOf(Oid type, std::int16_t format, const std::optional<std::string>& bytes) {
  if (!bytes) return std::string("NULL");
  switch (type) {
    case kInt2:
      return WholeLiteral(*bytes, format, 2);
    case kInt4:
    case kOidType:
      return WholeLiteral(*bytes, format, 4);
    case kInt8:
      return WholeLiteral(*bytes, format, 8);
    case kFloat4:
      return RealLiteral(*bytes, format, 4);
    case kFloat8:
      return RealLiteral(*bytes, format, 8);
    case kBool:
      return TruthLiteral(*bytes, format);
    case kNumeric:
      if (format != 0 || !IsDecimal(*bytes)) return NoValue("a decimal number, sent as text");
      return Signed(*bytes);
    case kDate:
    case kTimestamp:
    case kTimestamptz:
      if (format != 0 || !IsTime(*bytes)) return NoValue("a date or time, sent as text");
      return QuotedText(*bytes);
    case 0:
    case 19:  // name
    case kText:
    case kUnknown:
    case kBpchar:
    case kVarchar:
      if (!IsUtf8(*bytes) || bytes->find('\0') != std::string::npos) return NoValue("a text in UTF-8");
      return QuotedText(*bytes);
    default:
      return Unsupported(fmt::format("parameters of the type {} are not known here", type), {},
                         "send a number, a truth value or a text")
          .For("question");
  }
}

std::string ExampleOf(Oid type) {
  switch (type) {
    case kInt2:
    case kInt4:
    case kOidType:
    case kInt8:
      return "1";
    case kFloat4:
    case kFloat8:
    case kNumeric:
      return "1.0";
    case kBool:
      return "true";
    case kDate:
    case kTimestamp:
    case kTimestamptz:
      return "'2000-01-01'";
    default:
      return "''";
  }
}

}  // namespace kith::pgwire

// Names and strings inside SQL. The only place that puts quotes around anything.
#pragma once
#include <string>
#include <string_view>

namespace kith {

/// "name", with quotes doubled. No name holds a zero byte.
std::string QuotedName(std::string_view name);
/// 'it''s', with quotes doubled and nothing else changed: backslashes stand for themselves.
std::string QuotedText(std::string_view text);
/// An identifier as SQL would need it: quoted only if it must be.
std::string IdentifierText(const std::string& name);

}  // namespace kith

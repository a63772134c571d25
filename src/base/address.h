// Addresses of machines, as text.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kith {

/// An IP address in its one spelling (::ffff:192.0.2.1 is 192.0.2.1); nothing for any other text.
std::optional<std::string> IpAddressOf(std::string_view text);

/// What one person usually has: an address of version 4, or the first half of one of version 6. Other text stays as it
/// is.
std::string NetworkOf(std::string_view address);

}  // namespace kith

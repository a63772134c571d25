// SHA-256, for fingerprints of policies and the ledger's hash chain.
#pragma once
#include <string>
#include <string_view>

namespace kith {

/// Lower-case hexadecimal, 64 characters.
std::string Sha256(std::string_view bytes);
/// HMAC-SHA-256 (RFC 2104) under a secret key; as Sha256. Nobody can compute or test it without the key.
std::string HmacSha256(std::string_view key, std::string_view bytes);

}  // namespace kith

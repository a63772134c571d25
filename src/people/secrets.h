// What is stored and compared of tokens, passwords and sessions. Everything here is bytes unless it says hexadecimal.
#pragma once
#include <string>
#include <string_view>

namespace kith::people {

std::string Sha256Bytes(std::string_view bytes);
std::string HmacBytes(std::string_view key, std::string_view bytes);
/// This many bytes of the operating system's entropy.
std::string RandomBytes(std::size_t count);

/// Lower-case hexadecimal, and back (empty if it is not that).
std::string Hex(std::string_view bytes);
std::string Unhex(std::string_view text);

/// A password as it is stored: "scrypt$15$<salt>$<hash>", with N = 2^15, r = 8, p = 1; hexadecimal.
std::string HashPassword(std::string_view password, std::string_view salt, int log_n);
/// Whether it is the password of a stored text; false for any other text. Takes as long as HashPassword.
bool IsPassword(std::string_view password, std::string_view stored);

/// What a SCRAM-SHA-256 server keeps of a password (RFC 5802).
struct ScramKeys {
  std::string stored_key, server_key;
};
ScramKeys ScramKeysOf(std::string_view password, std::string_view salt, int iterations);
/// Whether a client that sent this proof knew the password.
bool Proves(std::string_view stored_key, std::string_view auth_message, std::string_view proof);

}  // namespace kith::people

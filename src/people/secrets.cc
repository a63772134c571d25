#include "people/secrets.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <charconv>

#include "base/check.h"
#include "base/entropy.h"
#include "people/people.h"

namespace kith::people {
namespace {

constexpr std::size_t kBytes = 32;  // of every key and hash
using Block = std::array<unsigned char, kBytes>;

const unsigned char* Raw(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }
std::string Text(const Block& block) { return {reinterpret_cast<const char*>(block.data()), block.size()}; }

std::string Scrypt(std::string_view password, std::string_view salt, int log_n) {
  constexpr std::uint64_t kR = 8, kP = 1;
  const std::uint64_t n = std::uint64_t{1} << log_n;
  Block out{};
  const std::uint64_t memory = 128 * kR * (n + kP + 2) + (1U << 20);
  KITH_CHECK(EVP_PBE_scrypt(password.data(), password.size(), Raw(salt), salt.size(), n, kR, kP, memory, out.data(),
                            out.size()) == 1);
  return Text(out);
}

}  // namespace

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string Unhex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned byte = 0;
    if (std::from_chars(text.data() + i, text.data() + i + 2, byte, 16).ptr != text.data() + i + 2) return {};
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

bool SameSecret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string Sha256Bytes(std::string_view bytes) {
  Block out{};
  KITH_CHECK(EVP_Digest(bytes.data(), bytes.size(), out.data(), nullptr, EVP_sha256(), nullptr) == 1);
  return Text(out);
}

std::string HmacBytes(std::string_view key, std::string_view bytes) {
  Block out{};
  KITH_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), Raw(bytes), bytes.size(), out.data(),
                  nullptr) != nullptr);
  return Text(out);
}

std::string RandomBytes(std::size_t count) { return Unhex(RandomHex(count)); }

std::string HashPassword(std::string_view password, std::string_view salt, int log_n) {
  return fmt::format("scrypt${}${}${}", log_n, Hex(salt), Hex(Scrypt(password, salt, log_n)));
}

bool IsPassword(std::string_view password, std::string_view stored) {
  constexpr std::string_view kMark = "scrypt$";
  if (!stored.starts_with(kMark)) return false;
  const auto salt_at = stored.find('$', kMark.size());
  const auto hash_at = salt_at == std::string_view::npos ? salt_at : stored.find('$', salt_at + 1);
  if (hash_at == std::string_view::npos) return false;
  int log_n = 0;
  std::from_chars(stored.data() + kMark.size(), stored.data() + salt_at, log_n);
  if (log_n < 1 || log_n > 20) return false;
  const std::string salt = Unhex(stored.substr(salt_at + 1, hash_at - salt_at - 1));
  return SameSecret(HashPassword(password, salt, log_n), stored);
}

ScramKeys ScramKeysOf(std::string_view password, std::string_view salt, int iterations) {
  Block salted{};
  KITH_CHECK(PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), Raw(salt),
                               static_cast<int>(salt.size()), iterations, EVP_sha256(), static_cast<int>(salted.size()),
                               salted.data()) == 1);
  const std::string key = Text(salted);
  return {Sha256Bytes(HmacBytes(key, "Client Key")), HmacBytes(key, "Server Key")};
}

bool Proves(std::string_view stored_key, std::string_view auth_message, std::string_view proof) {
  std::string client_key = HmacBytes(stored_key, auth_message);
  if (proof.size() != client_key.size()) return false;
  for (std::size_t i = 0; i < proof.size(); ++i) client_key[i] = static_cast<char>(client_key[i] ^ proof[i]);
  return SameSecret(Sha256Bytes(client_key), stored_key);
}

}  // namespace kith::people

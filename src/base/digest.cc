#include "base/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <span>

#include "base/check.h"

namespace kith {
namespace {

using Digest = std::array<unsigned char, EVP_MAX_MD_SIZE>;

std::string Hex(std::span<const unsigned char> bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text.push_back(kHex[byte >> 4]);
    text.push_back(kHex[byte & 15]);
  }
  return text;
}

}  // namespace

std::string Sha256(std::string_view bytes) {
  Digest digest{};
  unsigned int size = 0;
  KITH_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1);
  return Hex(std::span(digest).first(size));
}

std::string HmacSha256(std::string_view key, std::string_view bytes) {
  Digest digest{};
  unsigned int size = 0;
  KITH_CHECK(key.size() <= 4096);  // the length is an int there
  const char* secret = key.empty() ? "" : key.data();
  KITH_CHECK(HMAC(EVP_sha256(), secret, static_cast<int>(key.size()),
                  reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(), &size) != nullptr);
  return Hex(std::span(digest).first(size));
}

}  // namespace kith

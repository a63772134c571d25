#include "base/digest.h"

#include <openssl/evp.h>

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

// Looked up once: OpenSSL would look for an implementation at every digest, which takes longer than a short one. Never
// freed: threads may use it until the process ends.
const EVP_MD* TheSha256() {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return found != nullptr ? found : EVP_sha256();
}

std::span<const unsigned char> Hash(std::string_view bytes, Digest& digest) {
  unsigned int size = 0;
  KITH_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, TheSha256(), nullptr) == 1);
  return std::span(digest).first(size);
}

std::string_view AsText(std::span<const unsigned char> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string Sha256(std::string_view bytes) {
  Digest digest{};
  return Hex(Hash(bytes, digest));
}

// By hand: OpenSSL's own takes longer to set up than both digests take.
std::string HmacSha256(std::string_view key, std::string_view bytes) {
  constexpr std::size_t kBlock = 64;
  Digest digest{};
  std::string block(key.size() > kBlock ? AsText(Hash(key, digest)) : key);
  block.resize(kBlock, '\0');
  const auto masked = [&](char mask, std::string_view rest) {
    std::string text;
    text.reserve(kBlock + rest.size());
    for (const char each : block) text.push_back(static_cast<char>(each ^ mask));
    return text.append(rest);
  };
  const std::string inner = masked(0x36, bytes);
  const std::string outer = masked(0x5c, AsText(Hash(inner, digest)));
  return Hex(Hash(outer, digest));
}

}  // namespace kith

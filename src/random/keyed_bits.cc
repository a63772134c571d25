#include "random/keyed_bits.h"

#include <openssl/evp.h>

#include <bit>

#include "base/check.h"

namespace kith {

StreamKey NewStreamKey(SystemBits& bits) {
  StreamKey key;
  for (unsigned char& byte : key) byte = static_cast<unsigned char>(bits.Bits(8));
  return key;
}

struct KeyedWords::Cipher {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  ~Cipher() { EVP_CIPHER_CTX_free(context); }
};

KeyedWords::KeyedWords(const StreamKey& key, std::uint32_t part, std::uint64_t stream)
    : cipher_(std::make_unique<Cipher>()) {
  static_assert(std::endian::native == std::endian::little);
  std::array<unsigned char, 16> start{};  // the number of the first block, then the nonce
  for (std::size_t k = 0; k < 4; ++k) start[4 + k] = static_cast<unsigned char>(part >> (8 * k));
  for (std::size_t k = 0; k < 8; ++k) start[8 + k] = static_cast<unsigned char>(stream >> (8 * k));
  KITH_CHECK(cipher_->context != nullptr &&
             EVP_EncryptInit_ex(cipher_->context, EVP_chacha20(), nullptr, key.data(), start.data()) == 1);
}

KeyedWords::~KeyedWords() = default;

void KeyedWords::Refill() {
  static constexpr std::array<unsigned char, sizeof(words_)> kZeros{};
  int written = 0;
  KITH_CHECK(EVP_EncryptUpdate(cipher_->context, reinterpret_cast<unsigned char*>(words_.data()), &written,
                               kZeros.data(), static_cast<int>(kZeros.size())) == 1 &&
             written == static_cast<int>(kZeros.size()));
  at_ = 0;
}

}  // namespace kith

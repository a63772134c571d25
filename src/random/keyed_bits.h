// A long stream of bits from a short key, which others can draw again when they are told the key. For public
// simulations that somebody repeats, never for noise: noise has no key (bits.h).
#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include "random/bits.h"

namespace kith {

using StreamKey = std::array<unsigned char, 32>;

/// From the operating system: nobody chooses it.
StreamKey NewStreamKey(SystemBits& bits);

/// ChaCha20 (RFC 8439) under the key, from block 0: words of the key stream, low byte first. The nonce is `part` (four
/// bytes) and `stream` (eight), low byte first, so that streams of one key are independent to whoever lacks the key.
/// Not a BitSource, so that no noise can be drawn from it by mistake.
class KeyedWords {
 public:
  KeyedWords(const StreamKey& key, std::uint32_t part, std::uint64_t stream);
  KeyedWords(const KeyedWords&) = delete;
  KeyedWords& operator=(const KeyedWords&) = delete;
  ~KeyedWords();

  std::uint32_t Next() {
    if (at_ == kWords) Refill();
    return words_[at_++];
  }

 private:
  static constexpr std::size_t kWords = 2048;
  struct Cipher;
  void Refill();

  std::unique_ptr<Cipher> cipher_;
  std::size_t at_ = kWords;
  std::array<std::uint32_t, kWords> words_;
};

}  // namespace kith

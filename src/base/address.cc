#include "base/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace kith {
namespace {

using Bytes = std::array<unsigned char, 16>;

std::string TextOf(int family, const unsigned char* bytes) {
  char text[INET6_ADDRSTRLEN] = {};
  return inet_ntop(family, bytes, text, sizeof text) == nullptr ? std::string() : std::string(text);
}

}  // namespace

std::optional<std::string> IpAddressOf(std::string_view text) {
  const std::string whole(text);
  Bytes bytes{};
  if (whole.find('\0') != std::string::npos) return std::nullopt;
  if (inet_pton(AF_INET, whole.c_str(), bytes.data()) == 1) return TextOf(AF_INET, bytes.data());
  if (inet_pton(AF_INET6, whole.c_str(), bytes.data()) != 1) return std::nullopt;
  constexpr std::array<unsigned char, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(kMapped.begin(), kMapped.end(), bytes.begin())) return TextOf(AF_INET, bytes.data() + kMapped.size());
  return TextOf(AF_INET6, bytes.data());
}

std::string NetworkOf(std::string_view address) {
  const auto known = IpAddressOf(address);
  Bytes bytes{};
  if (!known || inet_pton(AF_INET6, known->c_str(), bytes.data()) != 1) return known.value_or(std::string(address));
  std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  return TextOf(AF_INET6, bytes.data());
}

}  // namespace kith

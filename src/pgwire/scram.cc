#include "pgwire/scram.h"

#include <fmt/format.h>

namespace kith::pgwire {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

Error NoMessage() { return InvalidArgument("this is no message of SCRAM-SHA-256", {}, "use a client that speaks it"); }

// "r=...": the value of the attribute that the text begins with; the text continues after the comma.
Result<std::string_view> Take(std::string_view& text, char name) {
  if (text.size() < 2 || text[0] != name || text[1] != '=') return NoMessage();
  const std::size_t end = std::min(text.find(','), text.size());
  const std::string_view value = text.substr(2, end - 2);
  text.remove_prefix(std::min(end + 1, text.size()));
  return value;
}

}  // namespace

std::string Base64(std::string_view bytes) {
  std::string out;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = (bits << 8) | (k + i < bytes.size() ? static_cast<unsigned char>(bytes[k + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) out += i > bytes.size() - k ? '=' : kDigits[(bits >> (18 - 6 * i)) & 63];
  }
  return out;
}

Result<std::string> FromBase64(std::string_view text) {
  if (text.size() % 4 != 0) return NoMessage();
  std::string out;
  for (std::size_t k = 0; k < text.size(); k += 4) {
    std::uint32_t bits = 0;
    std::size_t padding = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const char c = text[k + i];
      const bool last = k + 4 == text.size();
      const std::size_t digit = kDigits.find(c);
      if (c == '=' && last && i >= 2) {
        ++padding;
      } else if (digit == std::string_view::npos || padding > 0) {
        return NoMessage();
      }
      bits = (bits << 6) | static_cast<std::uint32_t>(c == '=' ? 0 : digit);
    }
    for (std::size_t i = 0; i + padding < 3; ++i) out += static_cast<char>((bits >> (16 - 8 * i)) & 0xff);
  }
  return out;
}

Result<std::string> Scram::First(std::string_view message, const std::string& nonce) {
  // "n,,": the client binds no channel; "y,,": it could, and thinks that the server cannot, which is true.
  if (!message.starts_with("n,,") && !message.starts_with("y,,")) return NoMessage();
  header_ = message.substr(0, 3);
  first_bare_ = message.substr(3);
  std::string_view rest = first_bare_;
  if (const auto name = Take(rest, 'n'); !name) return name.error();
  const auto theirs = Take(rest, 'r');
  if (!theirs) return theirs.error();
  if (theirs->empty() || theirs->size() > 256) return NoMessage();
  nonce_ = std::string(*theirs) + nonce;
  const people::ScramChallenge challenge = people_.Challenge(name_);
  server_first_ = fmt::format("r={},s={},i={}", nonce_, Base64(challenge.salt), challenge.iterations);
  return server_first_;
}

Result<people::ScramAccepted> Scram::Final(std::string_view message, std::string_view address) const {
  const std::size_t proof_at = message.rfind(",p=");
  if (proof_at == std::string_view::npos) return NoMessage();
  const std::string_view without_proof = message.substr(0, proof_at);
  std::string_view rest = without_proof;
  const auto channel = Take(rest, 'c');
  if (!channel) return channel.error();
  const auto nonce = Take(rest, 'r');
  if (!nonce) return nonce.error();
  const auto proof = FromBase64(message.substr(proof_at + 3));
  if (!proof) return proof.error();
  if (*channel != Base64(header_) || *nonce != nonce_ || !rest.empty() || proof->size() != 32) return NoMessage();
  const std::string auth = fmt::format("{},{},{}", first_bare_, server_first_, without_proof);
  return people_.ByScram(name_, auth, *proof, address);
}

}  // namespace kith::pgwire

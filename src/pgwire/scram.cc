#include "pgwire/scram.h"

#include <fmt/format.h>
#include <openssl/evp.h>

namespace kith::pgwire {
namespace {

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
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // and a zero
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

Result<std::string> FromBase64(std::string_view text) {
  std::string out(3 * (text.size() / 4), '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  const auto padding = static_cast<std::size_t>(std::count(text.begin(), text.end(), '='));
  if (text.size() % 4 != 0 || size < 0 || padding > 2) return NoMessage();
  out.resize(static_cast<std::size_t>(size) - std::min<std::size_t>(padding, static_cast<std::size_t>(size)));
  if (Base64(out) != text) return NoMessage();  // one text for the same bytes, without blanks
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

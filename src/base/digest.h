// SHA-256, for fingerprints of policies, data versions and the ledger's hash chain.
#pragma once
#include <string>
#include <string_view>

namespace kith {

/// Lower-case hexadecimal, 64 characters.
std::string Sha256(std::string_view bytes);

}  // namespace kith

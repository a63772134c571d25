// [data]: where an engine's server is. Whichever it is, the rows that are read there are those that are protected.
#pragma once
#include <string>
#include <string_view>

#include "policy/sections/sections.h"

namespace kith {

inline constexpr char kSecrets[] =
    "remove it and put it in the environment (PGPASSWORD; of Trino KITH_TRINO_PASSWORD or KITH_TRINO_TOKEN), in a "
    "password file (~/.pgpass) or in a service file";

/// Percent-decoding as libpq does it, so that no spelling of "password" slips through.
std::string Decoded(std::string_view text);

Result<void> ReadPostgreSqlAddress(const Section& section, Server& server);
Result<void> ReadTrinoAddress(const Section& section, Server& server);

}  // namespace kith

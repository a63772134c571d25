// Where a policy's Trino server is, with the secrets that the environment has for it.
#pragma once
#include "base/result.h"
#include "engine/trino/client.h"
#include "policy/policy.h"

namespace kith::trino {

/// A password or a token comes from KITH_TRINO_PASSWORD or KITH_TRINO_TOKEN, or from the first line of a file that
/// KITH_TRINO_PASSWORD_FILE or KITH_TRINO_TOKEN_FILE names and that nobody else can read. KITH_TRINO_CERTIFICATES names
/// a file of certificates to trust instead of the system's.
/// Fails: kInvalidArgument (a file that others can read, both kinds of secret, a secret without HTTPS), kStorage.
Result<Server> LoginOf(const kith::Server& server);

}  // namespace kith::trino

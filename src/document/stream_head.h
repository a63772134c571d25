// What is said about a stream before its first step, from the stream itself.
#pragma once
#include "document/to_json.h"
#include "release/stream/stream.h"

namespace kith::document {

StreamHead HeadOf(const StreamRelease& stream, const Policy& policy);

}  // namespace kith::document

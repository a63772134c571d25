#include "document/stream_head.h"

namespace kith::document {

StreamHead HeadOf(const StreamRelease& stream, const Policy& policy) {
  return {stream.normalised(), stream.columns(), policy.stream->StepText(0), stream.guarantee()};
}

}  // namespace kith::document

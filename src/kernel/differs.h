// Whether something changed since it was published: one private bit of many numbers.  Claims: claims/stream.md
#pragma once
#include <span>

#include "base/int128.h"
#include "base/result.h"
#include "loss/loss.h"
#include "random/bits.h"

namespace kith {

/// The private test of a step: is the distance to what was published last larger than the error that a publication
/// would have? Sum of |exact - last| over the groups plus noise for `test`, compared with groups * sensitivity /
/// publication, in whole numbers. Requires: as many exact as last numbers; test and publication above 0. Ensures
/// [STREAM-5]: the result has plain loss at most `test`, whatever `last` is. Fails: kInvalidArgument if no noise can be
/// made.
Result<bool> Differs(std::span<const Int128> exact, std::span<const Int128> last, Sensitivity sensitivity,
                     PlainUnits test, PlainUnits publication, BitSource& bits);

}  // namespace kith

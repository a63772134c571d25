// Runs a program over the rows of a frame. Internal to engine.
#pragma once
#include "base/cancel.h"
#include "engine/memory/block.h"
#include "engine/memory/program.h"
#include "engine/session.h"

namespace kith::memory {

/// What the statement that the program was made from gives, from the sums of a Machine (block.h) that has seen all
/// rows.
IntegerTable TableOf(const Program& program, const std::vector<Int128>& sums);

/// What the statement that the program was made from gives, its groups in no particular order. `threads`: at most this
/// many.
/// Fails: kCancelled.
kith::Result<IntegerTable> Run(const Program& program, const Frame& frame, int threads, const CancelFlag& cancel,
                               Lane lane = Lane::kWidest);

}  // namespace kith::memory

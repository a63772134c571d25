// A session that computes each statement once and answers it from memory afterwards: for experiments and tests that ask
// thousands of times about one table, where only the noise is new. Never for a release: it does not see changed files.
#pragma once
#include <memory>

#include "engine/engine.h"

namespace kith {

/// For one thread. Keeps a few dozen results, and starts over when there are more.
std::unique_ptr<Session> ReadOnce(std::unique_ptr<Session> inner);

}  // namespace kith

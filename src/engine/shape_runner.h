// Sessions that keep plans of statements by their shape (sql/shape.h).
#pragma once
#include "engine/session.h"

namespace kith {

class ShapeRunner {
 public:
  virtual ~ShapeRunner() = default;
  /// As Session::Run. A plan is kept for statements that differ only in what columns are compared with.
  virtual Result<IntegerTable> RunShape(const sql::Statement& statement, const CancelFlag& cancel) const = 0;
};

/// By its shape where the session does that.
inline Result<IntegerTable> RunByShape(const Session& session, const sql::Statement& statement,
                                       const CancelFlag& cancel) {
  const auto* runner = dynamic_cast<const ShapeRunner*>(&session);
  return runner != nullptr ? runner->RunShape(statement, cancel) : session.Run(statement, cancel);
}

}  // namespace kith

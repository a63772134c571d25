// A policy as a program that contains kith (the Python module) uses it: what is asked comes as the bodies of requests
// that a server takes, and what is answered leaves as the documents that the command line prints with --json.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/call.h"
#include "base/result.h"
#include "engine/engine.h"

namespace kith {
class Curator;
}

namespace kith::python {

/// Thread-safe. After a fork, open it again in the child.
class Local {
 public:
  /// `options.engine`: empty, or DuckDB with frames. Fails: as Curator::Open; kInvalidArgument if the policy names an
  /// engine other than the one that frames need. `remembered`: as Curator::Open.
  static Result<std::shared_ptr<const Local>> Open(const std::string& policy, const EngineOptions& options,
                                                   const Call& call, bool remembered = true);

  /// `what`: columns, explain, release, plan/explain, plan/release, analyses/explain, analyses, budget, audit, answer
  /// or import. Fails: as what is asked; kInvalidArgument for anything else.
  Result<std::string> Ask(std::string_view what, const std::string& body, const Call& call) const;

 private:
  explicit Local(std::shared_ptr<const Curator> curator, std::string file)
      : curator_(std::move(curator)), file_(std::move(file)) {}
  std::shared_ptr<const Curator> curator_;
  std::string file_;
};

/// What needs no policy: transfer, transfer/file, compare, estimate or estimate/options. Fails: as Local::Ask.
Result<std::string> Compute(std::string_view what, const std::string& body, const Call& call);

/// Any failure as a document.
std::string Document(const Error& error);

}  // namespace kith::python

// The front door: an open policy with its data and its ledger.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>

#include "kith/answer.h"
#include "kith/request.h"
#include "kith/result.h"

namespace kith::v1 {

/// How much of the machine to use.
struct Resources {
  int threads = 0;                // 0: all cores
  std::int64_t memory_bytes = 0;  // 0: 60 % of the machine
};

/// Safe to use from several threads. After a fork, open it again in the child.
class Curator {
 public:
  /// Reads the policy and inverts its transfer function. Touches neither data nor ledger: both are opened when first
  /// needed. A graph in a file may take minutes the first time: the call is told and can be stopped.
  static Result<Curator> Open(const std::filesystem::path& policy, const Resources& resources = {},
                              const Call& call = {});

  /// What a request would cost and give. Touches no data; reads the ledger if there is one.
  Result<Explanation> Explain(const Request& request, const Price& price, const Call& call = {}) const;

  /// The plain cost is durably charged before data are read; what leaves is computed only from noisy integers; an
  /// error after the charge is an output that costs the same and carries no value. Fails: kUnsupportedQuery and
  /// kInvalidArgument (nothing charged, no data touched), kBudgetExhausted (nothing charged), kStorage, kCancelled (the
  /// error says whether it was charged).
  Result<Answer> Release(const Request& request, const Price& price, const Caller& caller = {},
                         const Call& call = {}) const;

  /// `caller`: who looks; everybody sees everything.
  Result<BudgetReport> Budget(const Caller& caller = {}) const;

  Curator(Curator&&) noexcept;
  Curator& operator=(Curator&&) noexcept;
  ~Curator();

 private:
  struct State;
  explicit Curator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith::v1

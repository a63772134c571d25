// What was read stays sealed: it cannot be looked into.
#include "kernel/vault.h"

void Use(const kith::Vault& vault, const kith::CheckedPlan& plan, kith::Paid& paid) {
  const auto sealed = vault.Run(plan);
#ifdef MISUSE
  (void)sealed->exact_;
#else
  const std::vector<kith::PlainUnits> shares(1);
  (void)vault.Open(*sealed, paid, {.shares = shares});
#endif
}

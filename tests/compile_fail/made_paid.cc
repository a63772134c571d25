// Nobody pays but the ledger.
#include "kernel/paid.h"

kith::Result<kith::Paid> Use(kith::Ledger& book, const kith::ChargeRequest& request) {
#ifdef MISUSE
  return kith::Paid::For(request);
#else
  return kith::Paid::Charge(book, request);
#endif
}

// The types of the public interface (kith::v1, include/kith), made from the library's.
#pragma once
#include <kith/answer.h>
#include <kith/request.h>
#include <kith/result.h>

#include "release/release.h"

namespace kith::v1 {

struct CancelFlag::Inside {
  kith::CancelFlag flag;
};

}  // namespace kith::v1

namespace kith::api {

v1::Error ToPublic(const Error& error);
v1::Explanation ToPublic(const Explanation& explanation);
v1::Answer ToPublic(const Answer& answer);
v1::BudgetReport ToPublic(const BudgetReport& report);

Price ToInternal(const v1::Price& price);
Call ToInternal(const v1::Call& call);
/// Fails: as OwnStatistic::Make.
Result<Request> ToInternal(const v1::Request& request, const Policy& policy);

}  // namespace kith::api

// kith: private answers about dependent data. Everything a program needs, as kith::Curator, kith::Price, ...
//
//   const auto curator = kith::Curator::Open("policy.toml");
//   if (!curator) return Fail(curator.error());
//   const auto answer = curator->Release(kith::Question{"SELECT count(*) FROM people WHERE ill"}, {.epsilon = 0.1});
//
// The names live in kith::v1, so that a program built against one version of the interface is never linked to another
// by mistake. The other headers can be included separately; then the names are kith::v1::Curator, ...
#pragma once
#include "kith/answer.h"
#include "kith/curator.h"
#include "kith/guarantee.h"
#include "kith/request.h"
#include "kith/result.h"
#include "kith/statistic.h"
#include "kith/version.h"

namespace kith {
using namespace v1;
}  // namespace kith

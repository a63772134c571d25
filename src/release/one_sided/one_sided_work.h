// What is known of a one-sided release before anything is charged.
#pragma once
#include "query/one_sided_rows.h"
#include "release/curator_state.h"
#include "release/one_sided/one_sided.h"

namespace kith {

struct Curator::State::OneSidedWork {
  const OneSidedAttribute* attribute = nullptr;
  Records records;
  PlainUnits units, limit;

  OneSidedCharge Charge() const { return {attribute->name, records.rule, units, limit}; }
};

}  // namespace kith

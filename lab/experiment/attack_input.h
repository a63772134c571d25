// Reads who was where and who knows whom, for the inference attack: CSV, TSV (packed with gzip or not) or Parquet.
#pragma once
#include <string>

#include "attack/places.h"
#include "base/cancel.h"
#include "base/result.h"

namespace kith::cli {

struct AttackFiles {
  std::string visits;   // user, lat, lon; place and time if present
  std::string friends;  // two columns that name users; further ones are ignored
  std::string columns;  // names of the columns of `visits`, separated by commas, if it has no header
};

struct AttackInput {
  attack::Visits visits;
  attack::Friends friends;
  std::size_t check_ins = 0;
  std::size_t friendships = 0;
  std::size_t left_out_visits = 0;  // without user or coordinates
  std::size_t left_out_edges = 0;   // somebody without a visit, or a user with themselves; a header counts here too
};

/// Users and places are numbered in the order of their ids: as numbers where they are numbers. Without a column
/// `place`, every pair of coordinates is a place. Columns may be called user, uid, user_id; lat, latitude; lon, lng,
/// longitude; place, vid, venue, location, location_id.
/// Fails: kInvalidArgument (an unknown kind of file, a column that is missing, nobody left), kStorage, kCancelled.
Result<AttackInput> ReadAttackInput(const AttackFiles& files, const CancelFlag& cancel);

}  // namespace kith::cli

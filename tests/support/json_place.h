// A part of a JSON value, by the names on the way to it.
#pragma once
#include <string>

#include "base/json.h"

namespace kith::test {

/// `place` as in "/law/rows/0/p"; its last name is made if it is not there.
inline Json& PlaceIn(Json& whole, const std::string& place) {
  Json* at = &whole;
  for (std::size_t begin = 1; begin < place.size();) {
    const std::size_t end = std::min(place.find('/', begin), place.size());
    const std::string name = place.substr(begin, end - begin);
    at = at->is_array() ? &at->at(std::stoul(name)) : &(*at)[name];
    begin = end + 1;
  }
  return *at;
}

}  // namespace kith::test

// A user as a whole: with grants and a first token, or not at all.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "people/people.h"

namespace kith::people {

/// How long a token lasts if nobody says otherwise.
inline constexpr char kUsualLife[] = "90d";
/// "90d", "12h"; "never": nothing. Fails: kInvalidArgument.
Result<std::optional<std::chrono::seconds>> LifeOf(const std::string& text);

struct WantedGrant {
  std::string dataset;
  std::optional<double> epsilon;  // an analyst needs one; meaningless for others
};

struct NewUser {
  std::string name;
  Role role = Role::kAnalyst;
  std::vector<WantedGrant> grants;
  std::string token = "first";                // its name
  std::optional<std::chrono::seconds> lasts;  // nothing: it does not end
};

/// Fails: as People::Add, Grant and People::AddToken; then there is no such user, unless there was before.
Result<NewToken> Enrol(People& people, const NewUser& wanted);

/// As People::SetGrant, with the allowance as a person writes it. Fails: kInvalidArgument also for an analyst without
/// one.
Result<void> SetGrant(People& people, const std::string& name, const WantedGrant& wanted);

}  // namespace kith::people

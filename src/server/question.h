// A question or a plan on its way to the account, with what a curator may have to grant first: the same for every
// protocol.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/json.h"
#include "people/people.h"
#include "release/release.h"
#include "server/api.h"

namespace kith::server {

/// Anything that may need approval.
struct Wanted {
  std::string what;  // for those who look at jobs
  std::function<Result<Explanation>(const Curator&, const Caller&, const Call&)> explain;
  std::function<Result<Answer>(const Curator&, const Caller&, const Call&)> release;
  std::optional<std::size_t> approval;  // a curator's, by number
  std::string text;                     // all of it but the approval, in one form however it was written
  bool always_job = false;
};

/// A question, or a plan of many.
struct WantedQuestion {
  Request request;
  UnitLevel unit = UnitLevel::kPerson;
  Price price;
  std::optional<std::size_t> approval;
  std::string text;
};
Wanted AsWanted(const std::string& what, const WantedQuestion& question);

/// "person" or "household". Fails: kInvalidArgument.
Result<UnitLevel> UnitNamed(const std::string& name);

/// What an approval is about: two requests that mean the same have one text (1 and 1.0, a unit that is left out).
/// `asked`: what is asked, without its price.
std::string TextOf(const WantedQuestion& wanted, Json asked);
/// The same for one question. Requires: it is one.
std::string QuestionText(const WantedQuestion& wanted);

/// The caller with what an approval allows, for the data that it was about, if one is named: it is then used up.
/// `people` may be null. Fails: kInvalidArgument, with the parameter kNotApproved where it was not granted.
Result<Caller> WithApproval(const people::People* people, const std::string& dataset, const Wanted& wanted,
                            Caller caller);

/// Asks. What needs approval is left to a curator, and the error (parameter kNotApproved) says how to ask again, in the
/// words of `how` about its number. Requires: `caller` is from WithApproval. Fails: as Curator::Release.
Result<Answer> AskFor(const Curator& curator, const people::People* people, const std::string& dataset,
                      const Wanted& wanted, const Caller& caller, const Call& call,
                      const std::function<std::string(std::int64_t number)>& how);

/// A price that needs approval, where nobody can be asked for it: the request stays refused.
Error NobodyApproves(Error refused, const char* why);

}  // namespace kith::server

#include "people/enrol.h"

#include "base/duration.h"

namespace kith::people {

Result<std::optional<std::chrono::seconds>> LifeOf(const std::string& text) {
  if (text == "never") return std::optional<std::chrono::seconds>();
  const auto lasts = DurationOf(text);
  if (!lasts || *lasts < std::chrono::seconds(1))
    return InvalidArgument("this is no length of time", {}, "write 90d, 12h, 30m or never").For("user.expires");
  return std::optional(std::chrono::duration_cast<std::chrono::seconds>(*lasts));
}

Result<void> SetGrant(People& people, const std::string& name, const WantedGrant& wanted) {
  const auto user = people.Find(name);
  if (!user) return user.error();
  if (user->role == Role::kAnalyst && !wanted.epsilon)
    return InvalidArgument("an analyst's grant needs an allowance", {},
                           "say how much plain loss over all time, such as 0.5, or take the grant away")
        .For("user.epsilon");
  const auto allowance = AllowanceOf(user->role == Role::kAnalyst ? *wanted.epsilon : 0);
  if (!allowance) return allowance.error();
  return people.SetGrant(name, wanted.dataset, *allowance);
}

Result<NewToken> Enrol(People& people, const NewUser& wanted) {
  if (auto added = people.Add(wanted.name, wanted.role); !added) return added.error();
  // Somebody else may remove the name in the meantime and give it to a curator: that one gets no token from here.
  const bool asks = wanted.role == Role::kAnalyst || wanted.role == Role::kAuditor;
  const Whom whom = asks ? Whom::kThoseWhoAsk : Whom::kAnybody;
  // Whatever fails now leaves no half-made user.
  auto made = [&]() -> Result<NewToken> {
    for (const WantedGrant& grant : wanted.grants) {
      if (auto granted = SetGrant(people, wanted.name, grant); !granted) return granted.error();
    }
    return people.AddToken(wanted.name, wanted.token, wanted.lasts, whom);
  }();
  if (!made) (void)people.Remove(wanted.name, whom);
  return made;
}

}  // namespace kith::people

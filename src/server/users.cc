// Who may ask, as curators see and change it. What a curator does here stays below the curator: with a session or a
// token that somebody took over, nobody becomes a curator or an operator, and no other curator is taken out. That is
// for those who run the server (kith user).
#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "document/json_line.h"
#include "document/people.h"
#include "people/enrol.h"
#include "people/people.h"
#include "server/api.h"
#include "server/body.h"

namespace kith::server {
namespace {

using people::People;

HttpResponse One(const People& people, const std::string& name) {
  auto user = people.Find(name);
  if (!user) return Failure(user.error());
  return Documented(document::JsonLine(std::vector<people::User>{std::move(*user)}));
}

HttpResponse NoUsers() {
  return Failure(InvalidArgument("this server has no users", {}, "whoever runs it makes the first one"));
}

bool MayBeChanged(people::Role role) { return role == people::Role::kAnalyst || role == people::Role::kAuditor; }

HttpResponse NotFromHere() {
  return Failure(InvalidArgument("curators and operators are not changed from here", {},
                                 "whoever runs the server does it, beside the server's own files"),
                 403);
}

/// Also where a name became a curator's between a check and the change.
HttpResponse Unchanged(const Error& error) {
  return error.parameter == people::kNotTheirs ? NotFromHere() : Failure(error);
}

// A user whom a curator may change; an answer if there is none.
std::optional<HttpResponse> Refused(const People& people, const std::string& name, const std::string& by = {}) {
  const auto user = people.Find(name);
  if (!user && user.error().code != Code::kInvalidArgument) return Failure(user.error());
  if (!user) return Failure(InvalidArgument("there is no such user", {}, "GET /v1/users lists them"), 404);
  if (!MayBeChanged(user->role) && (by.empty() || by != name)) return NotFromHere();
  return std::nullopt;
}

HttpResponse Shown(const std::string& user, const Result<people::NewToken>& made) {
  if (!made) return Unchanged(made.error());
  HttpResponse response = Documented(document::JsonLine(document::ShownToken{user, *made}));
  response.about = user;
  return response;
}

Result<people::WantedGrant> GrantIn(Result<Json> in, const std::vector<Dataset>& served, bool* none) {
  people::WantedGrant grant;
  bool taken = false;
  Fields fields(std::move(in), "grant");
  fields.Must("dataset", grant.dataset).May("epsilon", grant.epsilon);
  if (none != nullptr) fields.May("none", taken);
  if (const auto read = fields.Finish(); !read) return read.error();
  if (none != nullptr) *none = taken;
  if (taken && grant.epsilon)
    return InvalidArgument("a grant is given or taken away", "grant", "leave one of epsilon and none out");
  const bool known =
      std::any_of(served.begin(), served.end(), [&](const Dataset& d) { return d.name == grant.dataset; });
  if (!known && !taken)
    return InvalidArgument("this server has no such dataset", "grant", "GET /v1/datasets lists them");
  return grant;
}

}  // namespace

HttpResponse Api::Users(const Asked&) {
  if (options_.people == nullptr) return Documented(document::JsonLine(std::vector<people::User>()));
  const auto users = options_.people->List();
  return users ? Documented(document::JsonLine(*users)) : Failure(users.error());
}

HttpResponse Api::UsersOfDataset(const Asked& asked) {
  Json all = Json::array();
  const auto users = options_.people == nullptr ? Result<std::vector<people::User>>(std::vector<people::User>())
                                                : options_.people->List();
  if (!users) return Failure(users.error());
  for (const people::User& user : *users) {
    for (const people::Grant& grant : user.grants) {
      if (grant.dataset != asked.dataset->name || !MayBeChanged(user.role)) continue;
      Json line = {{"name", user.name}, {"role", people::NameOf(user.role)}};
      if (user.role == people::Role::kAnalyst) {
        const auto report = asked.dataset->curator->Budget({user.name, grant.allowance, std::nullopt, true}, false);
        if (!report) return Failure(report.error());
        line["allowance"] = report->allowance->allowed.epsilon();
        line["spent"] = report->allowance->spent.epsilon();
      }
      all.push_back(std::move(line));
    }
  }
  return Documented(JsonText({{"users", std::move(all)}}) + "\n");
}

HttpResponse Api::AddUser(const Asked& asked) {
  people::NewUser wanted;
  std::string role, expires = people::kUsualLife;
  std::vector<Json> grants;
  const auto read = Fields(ObjectIn(asked.http.body))
                        .Must("name", wanted.name)
                        .Must("role", role)
                        .May("grants", grants)
                        .May("token", wanted.token)
                        .May("expires", expires)
                        .Finish();
  if (!read) return Failure(read.error());
  if (options_.people == nullptr) return NoUsers();
  const auto known = people::RoleOf(role);
  if (!known) return Failure(known.error());
  if (!MayBeChanged(*known)) return NotFromHere();
  wanted.role = *known;
  const auto lasts = people::LifeOf(expires);
  if (!lasts) return Failure(lasts.error());
  wanted.lasts = *lasts;
  for (const Json& each : grants) {
    auto grant = GrantIn(each, options_.datasets, nullptr);
    if (!grant) return Failure(grant.error());
    wanted.grants.push_back(std::move(*grant));
  }
  return Shown(wanted.name, people::Enrol(*options_.people, wanted));
}

HttpResponse Api::RemoveUser(const Asked& asked) {
  const auto& people = options_.people;
  if (people == nullptr) return NoUsers();
  if (auto refused = Refused(*people, asked.values[0])) return std::move(*refused);
  if (const auto done = people->Remove(asked.values[0], people::Whom::kThoseWhoAsk); !done)
    return Unchanged(done.error());
  return Users(asked);
}

HttpResponse Api::AddToken(const Asked& asked) {
  std::string token, expires = people::kUsualLife;
  if (const auto read = Fields(ObjectIn(asked.http.body)).Must("token", token).May("expires", expires).Finish(); !read)
    return Failure(read.error());
  const auto& people = options_.people;
  if (people == nullptr) return NoUsers();
  if (auto refused = Refused(*people, asked.values[0])) return std::move(*refused);
  const auto lasts = people::LifeOf(expires);
  if (!lasts) return Failure(lasts.error());
  return Shown(asked.values[0], people->AddToken(asked.values[0], token, *lasts, people::Whom::kThoseWhoAsk));
}

HttpResponse Api::Revoke(const Asked& asked) {
  std::optional<std::string> token;
  if (const auto read = Fields(ObjectIn(asked.http.body)).May("token", token).Finish(); !read)
    return Failure(read.error());
  if (token && token->empty())  // all of them are meant only by leaving it out
    return Failure(InvalidArgument("no token has an empty name", {}, "name one, or leave it out: all of them"));
  const auto& people = options_.people;
  if (people == nullptr) return NoUsers();
  if (auto refused = Refused(*people, asked.values[0], asked.who.user)) return std::move(*refused);
  if (const auto done = people->Revoke(asked.values[0], token.value_or("")); !done) return Failure(done.error());
  return One(*people, asked.values[0]);
}

HttpResponse Api::Grant(const Asked& asked) {
  bool none = false;
  const auto grant = GrantIn(ObjectIn(asked.http.body), options_.datasets, &none);
  if (!grant) return Failure(grant.error());
  const auto& people = options_.people;
  if (people == nullptr) return NoUsers();
  const std::string& name = asked.values[0];
  if (auto refused = Refused(*people, name)) return std::move(*refused);
  const auto done =
      none ? people->SetGrant(name, grant->dataset, std::nullopt) : people::SetGrant(*people, name, *grant);
  return done ? One(*people, name) : Failure(done.error());
}

}  // namespace kith::server

// Sessions of browsers. A cookie is sent by the browser no matter who made the page: so it is only for this site
// (SameSite), no script can read it (HttpOnly), and whatever changes something must also bring a key that only this
// site's page was told.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/address.h"
#include "base/clock.h"
#include "base/json.h"
#include "people/people.h"
#include "server/api.h"
#include "server/body.h"

namespace kith::server {
namespace {

// A name with this prefix is accepted by browsers only from a secure page and only for this host.
const char* NameOfCookie(bool secure) { return secure ? "__Host-kith" : "kith"; }

std::string CookieIn(const HttpRequest& request) {
  const std::string wanted = fmt::format("{}=", NameOfCookie(request.secure));
  std::string_view all = request.cookie;
  while (!all.empty()) {
    const std::size_t end = std::min(all.find(';'), all.size());
    std::string_view one = all.substr(0, end);
    all.remove_prefix(std::min(end + 1, all.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(wanted)) return std::string(one.substr(wanted.size()));
  }
  return {};
}

std::pair<std::string, std::string> SetCookie(const HttpRequest& request, const std::string& value,
                                              std::int64_t seconds) {
  return {"Set-Cookie", fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}",
                                    NameOfCookie(request.secure), value, seconds, request.secure ? "; Secure" : "")};
}

HttpResponse Described(const people::Identity& who, const std::string& csrf) {
  HttpResponse response;
  Json out = {{"users", true}, {"name", who.user}, {"role", NameOf(who.role)}};
  if (!csrf.empty()) out["csrf"] = csrf;
  response.body = JsonText(out) + "\n";
  return response;
}

bool ChangesNothing(const std::string& method) { return method == "GET" || method == "HEAD"; }

}  // namespace

Result<std::pair<people::Identity, std::string>> Api::Recognise(const HttpRequest& request) const {
  const std::string token = TokenIn(request.authorization), cookie = CookieIn(request);
  const auto& people = options_.people;
  if (people == nullptr || cookie.empty() || !token.empty()) {
    auto who = people == nullptr ? options_.anybody : people->ByToken(token, request.peer);
    if (!who) return who.error();
    return std::pair(std::move(*who), std::string());
  }
  const auto session = people->BySession(cookie);
  if (!session) return session.error();
  if (!ChangesNothing(request.method) && !people::SameSecret(request.csrf, session->csrf))
    return InvalidArgument("the request has the cookie of a session, and not the key of its page", {},
                           "load the page again; a program uses a token")
        .For(kOtherPage);
  return std::pair(session->who, session->csrf);
}

HttpResponse Api::Me(const Asked& asked) {
  const HttpRequest& request = asked.http;
  const bool nobody = options_.people != nullptr && TokenIn(request.authorization).empty() && CookieIn(request).empty();
  if (nobody) {
    HttpResponse response;
    response.body = JsonText({{"users", true}, {"name", ""}, {"role", nullptr}}) + "\n";
    return response;
  }
  auto who = Recognise(request);
  if (!who) {
    HttpResponse refused = NotRecognised(who.error());
    // A session that has ended is also forgotten by the browser.
    if (!CookieIn(request).empty()) refused.headers.push_back(SetCookie(request, "", 0));
    return refused;
  }
  if (options_.people != nullptr) return Described(who->first, who->second);
  HttpResponse response;
  response.body = JsonText({{"users", false}, {"name", who->first.user}, {"role", NameOf(who->first.role)}}) + "\n";
  return response;
}

HttpResponse Api::LogIn(const Asked& asked) {
  std::string name, password;
  if (const auto read = Fields(ObjectIn(asked.http.body)).Must("name", name).Must("password", password).Finish(); !read)
    return Failure(read.error());
  const auto& people = options_.people;
  if (people == nullptr) return Failure(InvalidArgument("this server has no users", {}, "ask without logging in"));
  // Guesses from many networks take no place of somebody who comes back to where this name logged in before.
  const auto been = people->WasHere(name, asked.http.peer);
  if (!been) return Failure(been.error());
  const auto place = *been ? returning_.Take(name) : strangers_.Take(NetworkOf(asked.http.peer));
  if (!place) return Busy();
  const auto who = people->ByPassword(name, password, asked.http.peer);
  if (!who) {
    HttpResponse refused = NotRecognised(who.error());
    if (refused.status == 401) {
      Error said = who.error();
      said.next = "check the name and the password; whoever runs the server can set a new one";
      refused.body = Failure(said, 401).body;
    }
    return refused;
  }
  const auto session = people->Begin(*who);
  if (!session) return Failure(session.error());
  HttpResponse response = Described(*who, session->csrf);
  response.user = who->user;
  response.headers.push_back(SetCookie(asked.http, session->cookie, session->ends - UnixSeconds()));
  return response;
}

HttpResponse Api::LogOut(const Asked& asked) {
  const std::string cookie = CookieIn(asked.http);
  if (options_.people != nullptr && !cookie.empty()) {
    const auto who = Recognise(asked.http);
    if (!who && who.error().parameter == kOtherPage) return NotRecognised(who.error());
    if (auto ended = options_.people->End(cookie); !ended) return Failure(ended.error());
  }
  HttpResponse response;
  response.body = JsonText({{"users", options_.people != nullptr}, {"name", ""}, {"role", nullptr}}) + "\n";
  response.headers.push_back(SetCookie(asked.http, "", 0));
  return response;
}

}  // namespace kith::server

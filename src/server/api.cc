#include "server/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <exception>

#include "base/address.h"
#include "base/meter.h"
#include "base/unexpected.h"
#include "base/utf8.h"
#include "document/codes.h"
#include "document/json_line.h"
#include "people/people.h"
#include "server/console_files.h"

namespace kith::server {

// They are found with the command line. For what is wrong in a file, the file's own name is enough.
Error WithoutPlaces(Error error, bool curator) {
  const bool path = error.where.starts_with('/');
  if (error.code == Code::kStorage && !error.where.empty() && (path || !curator)) {
    error.where.clear();
    error.next = "tell whoever runs the server";
  } else if (path) {
    error.where.erase(0, error.where.rfind('/') + 1);
  } else if (!curator && error.where.find("://") != std::string::npos) {
    error.where.clear();
  }
  return error;
}

HttpResponse Documented(std::string document, int status) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(document);
  return response;
}

HttpResponse Failure(const Error& given, int status) {
  const Error error = WithoutPlaces(given), whole = WithoutPlaces(given, true);
  HttpResponse response =
      Documented(document::JsonLine(error), status != 0 ? status : document::HttpStatusOf(error.code));
  if (whole.where != error.where) response.for_curators = document::JsonLine(whole);
  return response;
}

Caller CallerOf(const Asked& asked) { return CallerOf(asked.who, asked.dataset); }

Caller CallerOf(const people::Identity& who, const Dataset* dataset) {
  Caller caller;
  caller.name = who.user;
  if (dataset == nullptr || who.role != people::Role::kAnalyst) return caller;
  const Serving& serving = dataset->curator->policy().serving;
  caller.allowance = who.AllowanceFor(dataset->name);
  caller.at_most = serving.approve_above;
  caller.own_history = !caller.name.empty() && !serving.shared_history;
  return caller;
}

Api::Api(Options options) : options_(std::move(options)), jobs_(Jobs::Limits()), traffic_(options_.log) {
  const std::lock_guard lock(looking_);
  LookAtLedgers();
}

Service Api::AsService() {
  Service service;
  service.at_once = [](const HttpRequest& request) {
    const Match match = Find(request.method, request.path);
    return match.route != nullptr && match.route->work == Work::kNow;
  };
  service.is_question = [this](const HttpRequest& request) { return IsQuestion(request); };
  service.handle = [this](const HttpRequest& request, const CancelFlag& left) { return Handle(request, left); };
  service.tick = [this](const HttpRequest& request) {
    constexpr std::chrono::milliseconds kUsual{100};
    const Match match = Find(request.method, request.path);
    if (match.route == nullptr || match.route->work != Work::kReads || match.values.empty()) return kUsual;
    for (const Dataset& each : options_.datasets) {
      if (each.name == match.values[0]) return each.tick();
    }
    return kUsual;
  };
  service.refuse = [](int status, const std::string& what, const std::string& next) {
    return Failure(status >= 500 ? StorageError(what, {}, next) : InvalidArgument(what, {}, next), status);
  };
  service.done = [this](const Exchange& exchange) { Done(exchange); };
  return service;
}

bool Api::IsQuestion(const HttpRequest& request) const {
  const Match match = Find(request.method, request.path);
  return match.route != nullptr && match.route->work > Work::kQuick;
}

HttpResponse Api::Handle(const HttpRequest& request, const CancelFlag& left) {
  try {
    return Dispatch(request, left);
  } catch (const std::exception& error) {
    return Failure(Unexpected(error));
  }
}

namespace {

bool IsOwnHost(const std::string& host) {
  const auto place = HostAndPort(host.find(':') == std::string::npos || host.ends_with(']') ? host + ":80" : host);
  return place && IsLoopback(place->first);
}

// What a browser must not be made to do for somebody else's page.
std::optional<HttpResponse> ForeignPage(const HttpRequest& request, bool only_loopback) {
  if (only_loopback && !IsOwnHost(request.host))
    return Failure(InvalidArgument("the request is for another host", {}, "use the address that the server listens on"),
                   421);
  const std::string own = fmt::format("{}://{}", request.secure ? "https" : "http", request.host);
  if (!request.origin.empty() && request.origin != own)
    return Failure(InvalidArgument("pages of other sites may not ask", {}, "ask from a program, or from this site"),
                   403);
  return std::nullopt;
}

std::optional<HttpResponse> WrongBody(const HttpRequest& request, const Route& route) {
  if (route.takes.empty()) {
    if (request.body.empty()) return std::nullopt;
    return Failure(InvalidArgument("this request takes no body", {}, "leave it out"), 400);
  }
  const std::string type = request.content_type.substr(0, request.content_type.find(';'));
  if (type != "application/json")
    return Failure(InvalidArgument("the body is not declared as JSON", {}, "send Content-Type: application/json"), 415);
  if (!IsUtf8(request.body)) return Failure(InvalidArgument("the body is not UTF-8", {}, "send it in UTF-8"), 400);
  return std::nullopt;
}

// Whether a list such as "gzip, br;q=0.5" has the word, and not as one that is unwanted.
bool Accepts(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view one = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one == word) return true;
  }
  return false;
}

// The page's own files are the same for everybody. Nothing else is compressed: the length of an answer that has both a
// secret and what a client wrote would reveal something about the secret.
HttpResponse PageFile(const ConsoleFile& file, const HttpRequest& request) {
  const bool small = !file.gzip.empty() && Accepts(request.accept_encoding, "gzip");
  const std::string tag = fmt::format("\"{}{}\"", file.digest, small ? "-gzip" : "");
  HttpResponse response;
  response.content_type = file.content_type;
  response.route = file.path;
  response.cache = "no-cache";  // kept, and asked about each time
  response.headers = {
      {"Content-Security-Policy", std::string(kConsoleSecurity)}, {"Referrer-Policy", "no-referrer"}, {"ETag", tag}};
  if (!file.gzip.empty()) response.headers.emplace_back("Vary", "Accept-Encoding");
  if (Accepts(request.if_none_match, tag)) {
    response.status = 304;
    return response;
  }
  if (small) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = small ? file.gzip : file.bytes;
  return response;
}

}  // namespace

std::string TokenIn(const std::string& authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() <= kScheme.size()) return {};
  for (std::size_t k = 0; k < kScheme.size(); ++k) {
    const char c = authorization[k];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != kScheme[k]) return {};
  }
  return authorization.substr(kScheme.size());
}

HttpResponse NotRecognised(const Error& error) {
  if (error.parameter == people::kTooMany) return Failure(error, 429);
  if (error.parameter == kOtherPage) return Failure(error, 403);
  if (error.code != Code::kInvalidArgument) return Failure(error);
  Error said = error;
  said.next = "check the token (header Authorization: Bearer ...); it may have ended or been revoked";
  HttpResponse response = Failure(said, 401);
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

HttpResponse Api::Dispatch(const HttpRequest& request, const CancelFlag& left) {
  const ConsoleFile* file = FindConsoleFile(request.path);
  if (file != nullptr && (request.method == "GET" || request.method == "HEAD")) {
    if (auto foreign = ForeignPage(request, options_.only_loopback)) return std::move(*foreign);
    return PageFile(*file, request);
  }
  const Match match = Find(request.method, request.path);
  if (match.route == nullptr && match.allowed.empty())
    return Failure(InvalidArgument("there is nothing at this address", {}, "GET /v1/openapi.json lists what there is"),
                   404);
  if (match.route == nullptr) {
    const std::string allowed =
        fmt::format("{}", fmt::join(std::vector<std::string>(match.allowed.begin(), match.allowed.end()), ", "));
    HttpResponse response =
        Failure(InvalidArgument("this address does not take this method", {}, "use " + allowed), 405);
    response.headers.emplace_back("Allow", allowed);
    return response;
  }
  Asked asked{request, *match.route, {}, match.values, nullptr, Call(left)};
  asked.call.notice = options_.tell;
  HttpResponse response = Guarded(asked);
  response.route = match.route->pattern;
  // Names of users are not data. What was refused may have had anything in its place.
  constexpr std::string_view kOfUser = "/v1/users/{user}";
  if (match.route->pattern.starts_with(kOfUser) && response.status < 300) response.about = match.values[0];
  return response;
}

HttpResponse Api::Guarded(const Asked& given) {
  Asked asked = given;
  const HttpRequest& request = asked.http;
  if (auto foreign = ForeignPage(request, options_.only_loopback)) return std::move(*foreign);
  if (asked.route.roles != kNobody) {
    auto who = Recognise(request);
    if (!who) return NotRecognised(who.error());
    asked.who = std::move(who->first);
    if ((asked.route.roles & SetOf(asked.who.role)) == 0) {
      HttpResponse response = Failure(
          InvalidArgument("your role does not allow this", {}, "ask whoever runs the server for another role"), 403);
      response.user = asked.who.user;
      return response;
    }
  }
  const auto answered = [&]() -> HttpResponse {
    if (auto wrong = WrongBody(request, asked.route)) return std::move(*wrong);
    if (asked.route.pattern.find("{dataset}") != std::string_view::npos) {
      for (const Dataset& each : options_.datasets) {
        if (each.name == asked.values[0] && asked.who.MaySee(each.name)) asked.dataset = &each;
      }
      if (asked.dataset == nullptr)
        return Failure(InvalidArgument("there is no such dataset, or not for you", {}, "GET /v1/datasets lists yours"),
                       404);
    }
    return Answered(asked);
  };
  HttpResponse response = answered();
  response.user = asked.who.user;
  if (asked.who.role == people::Role::kCurator && !response.for_curators.empty()) response.body = response.for_curators;
  if (asked.route.work == Work::kReads && asked.dataset != nullptr) response.tick = asked.dataset->tick();
  return response;
}

HttpResponse Api::Answered(const Asked& asked) {
  const Work work = asked.route.work;
  // Whoever logs in is nobody yet: LogIn looks for a place.
  if ((work != Work::kLong && work != Work::kPlans) || asked.route.roles == kNobody)
    return (this->*asked.route.answer)(asked);
  const auto place = (work == Work::kPlans ? plans_ : long_).Take(asked.who.user);
  if (!place) return Busy();
  auto answered = Metered(Meter::kNoLimit, asked.call.cancel,
                          [&]() -> Result<HttpResponse> { return (this->*asked.route.answer)(asked); });
  return answered ? std::move(*answered) : Failure(answered.error());
}

HttpResponse Api::Busy() {
  HttpResponse busy = Failure(StorageError("too much is being computed", {}, "ask again when it is done"), 503);
  busy.headers.emplace_back("Retry-After", "5");
  return busy;
}

void Api::Done(const Exchange& exchange) {
  const std::string route = exchange.route.empty() ? "-" : exchange.route;
  // Only methods of routes: anything else is the client's own text.
  const bool known = exchange.method == "HEAD" || std::any_of(Routes().begin(), Routes().end(), [&](const Route& each) {
                       return each.method == exchange.method;
                     });
  const std::string method = known ? exchange.method : "-";
  traffic_.Note(fmt::format("method=\"{}\",route=\"{}\",status=\"{}\"", method, route, exchange.status), exchange.took,
                fmt::format("{} {} {} {}ms {}{}", method, route, exchange.status, exchange.took.count() / 1000,
                            exchange.user.empty() ? "-" : exchange.user,
                            exchange.about.empty() ? "" : " about " + exchange.about));
}

HttpResponse Api::Metrics(const Asked&) {
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4";
  std::string& out = response.body;
  out = traffic_.Totals("kith_request", "Requests that were answered.");
  if (options_.connections)
    out += fmt::format("# TYPE kith_connections gauge\nkith_connections {}\n", options_.connections());
  out += fmt::format("# TYPE kith_jobs_unfinished gauge\nkith_jobs_unfinished {}\n", jobs_.unfinished());
  if (options_.more_metrics) out += options_.more_metrics();
  return response;
}

Result<std::pair<std::string, std::uint16_t>> HostAndPort(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const auto bad = [&] {
    return InvalidArgument("not an address with a port", text.substr(0, 80), "write it like 127.0.0.1:8400");
  };
  if (colon == std::string::npos || colon == 0) return bad();
  std::string host = text.substr(0, colon);
  const std::string port = text.substr(colon + 1);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host.empty() || port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != std::string::npos)
    return bad();
  const int number = std::stoi(port);
  if (number > 65'535) return bad();
  return std::pair(host, static_cast<std::uint16_t>(number));
}

std::string ClientOf(const std::string& peer, std::string_view forwarded_for, const std::vector<std::string>& proxies) {
  std::string client = IpAddressOf(peer).value_or(peer);
  while (std::find(proxies.begin(), proxies.end(), client) != proxies.end()) {
    const std::size_t comma = forwarded_for.rfind(',');
    std::string_view last = forwarded_for.substr(comma == std::string_view::npos ? 0 : comma + 1);
    forwarded_for = forwarded_for.substr(0, comma == std::string_view::npos ? 0 : comma);
    while (last.starts_with(' ') || last.starts_with('\t')) last.remove_prefix(1);
    while (last.ends_with(' ') || last.ends_with('\t')) last.remove_suffix(1);
    auto named = IpAddressOf(last);
    if (!named) break;
    client = std::move(*named);
  }
  return client;
}

bool CanBeInAddress(std::string_view dataset) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return !dataset.empty() && dataset.front() != '.' && dataset.find_first_not_of(kPlain) == std::string_view::npos;
}

bool IsLoopback(const std::string& host) {
  const std::string address = IpAddressOf(host).value_or("");
  return host == "localhost" || address == "::1" || address.starts_with("127.");
}

}  // namespace kith::server

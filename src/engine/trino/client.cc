#include "engine/trino/client.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "base/curl.h"
#include "base/json.h"

namespace kith::trino {

using namespace curl;  // NOLINT(google-build-using-namespace): what hides the functions of the library's header

namespace {

using Kind = Failure::Kind;

constexpr std::size_t kLargestPage = std::size_t{256} << 20;  // bytes; Trino's own pages have a few megabytes
constexpr int kTries = 6;                                     // with pauses of 0.1, 0.2, 0.4 ... seconds between them
constexpr long kFarewellMs = 5'000;                           // for a server that is told to stop

struct Reply {
  long status = 0;
  std::string body;
};

std::size_t Append(char* data, std::size_t size, std::size_t count, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (body.size() + size * count > kLargestPage) return 0;
  body.append(data, size * count);
  return size * count;
}

int Stop(void* flag, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const CancelFlag*>(flag)->cancelled() ? 1 : 0;
}

/// curl's own state, once per process.
void Prepare() {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(ready);
}

bool Pause(int attempt, const CancelFlag& cancel) {
  for (int i = 0; i < (1 << attempt); ++i) {
    if (cancel.cancelled()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

std::string TextOr(const Json& object, const char* key, const std::string& otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

/// The server's word for an error, if it looks like one: capitals and underscores hold no data.
std::string ErrorName(const Json& page) {
  const std::string name = TextOr(page.at("error"), "errorName", "");
  const bool plain =
      !name.empty() && name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string::npos;
  return plain ? name : "UNKNOWN";
}

}  // namespace

struct Client::State {
  Server server;
  CURL* curl = nullptr;
  curl_slist* headers = nullptr;
  bool trusted = true;  // the server's certificate, as far as one was shown

  /// Nothing: no answer came.
  std::optional<Reply> Request(const char* method, const std::string& url, const std::string* body,
                               const CancelFlag& cancel, bool* reached, long most_ms = 0) {
    Reply reply;
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, server.url.starts_with("https") ? "https" : "http");
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    if (body) {
      curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body->size()));
      curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body->data());
    }
    if (!server.password.empty()) {
      curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
      curl_easy_setopt(curl, CURLOPT_USERNAME, server.user.c_str());
      curl_easy_setopt(curl, CURLOPT_PASSWORD, server.password.c_str());
    }
    if (!server.token.empty()) {
      curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
      curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, server.token.c_str());
    }
    if (!server.certificates.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, server.certificates.c_str());
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, 10'000L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, most_ms);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, Stop);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, const_cast<CancelFlag*>(&cancel));
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, Append);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply.body);
    // A server holds a page back for a second or so; nothing at all for a minute is a dead connection.
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 60L);
    const CURLcode code = curl_easy_perform(curl);
    if (reached) {
      *reached = code != CURLE_COULDNT_CONNECT && code != CURLE_COULDNT_RESOLVE_HOST &&
                 code != CURLE_SSL_CONNECT_ERROR && code != CURLE_PEER_FAILED_VERIFICATION;
    }
    trusted = code != CURLE_PEER_FAILED_VERIFICATION && code != CURLE_SSL_CACERT_BADFILE;
    if (code != CURLE_OK) return std::nullopt;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply.status);
    return reply;
  }
};

Client::Client(Server server) : state_(std::make_unique<State>()) {
  Prepare();
  state_->server = std::move(server);
  state_->curl = curl_easy_init();
  const auto header = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) state_->headers = curl_slist_append(state_->headers, (name + ": " + value).c_str());
  };
  header("X-Trino-User", state_->server.user);
  header("X-Trino-Source", "kith");
  header("X-Trino-Catalog", state_->server.catalog);
  header("X-Trino-Schema", state_->server.schema);
  header("X-Trino-Time-Zone", "UTC");
  header("Content-Type", "text/plain");
  header("Expect", " ");
}

Client::~Client() {
  curl_slist_free_all(state_->headers);
  curl_easy_cleanup(state_->curl);
}

void Client::GiveUp(const std::string& url) {
  if (!url.empty()) state_->Request("DELETE", url, nullptr, CancelFlag(), nullptr, kFarewellMs);
}

std::optional<Failure> Client::Run(const std::string& sql, const PageSink& sink, const CancelFlag& cancel) {
  if (state_->curl == nullptr) return Failure{Kind::kRefused, "no HTTP"};
  const bool secret = !state_->server.password.empty() || !state_->server.token.empty();
  if (secret && !state_->server.url.starts_with("https://")) return Failure{Kind::kRefused, "a secret needs HTTPS"};
  std::string url = state_->server.url + "/v1/statement";
  const std::string* body = &sql;
  std::vector<Column> columns;
  bool taken = false;  // the server has the statement
  const auto end = [&](Failure failure) {
    if (taken) GiveUp(url);
    return failure;
  };
  for (;;) {
    std::optional<Reply> reply;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      if (cancel.cancelled()) return end({Kind::kCancelled, ""});
      bool reached = false;
      reply = state_->Request(body ? "POST" : "GET", url, body, cancel, &reached);
      if (cancel.cancelled()) return end({Kind::kCancelled, ""});
      if (body && !state_->trusted) return Failure{Kind::kRefused, "its certificate is not trusted"};
      const bool full = reply && (reply->status == 429 || reply->status == 503);
      const bool between = reply && (reply->status == 502 || reply->status == 504);  // something in between gave up
      if (reply && !full && !between) break;
      // A statement that may have been taken is not sent again.
      if (body && !full && (between || reached)) return Failure{Kind::kLost, "NO_REPLY"};
      reply.reset();
      if (!Pause(attempt, cancel)) return end({Kind::kCancelled, ""});
    }
    if (!reply) return body ? Failure{Kind::kRefused, "cannot be reached"} : Failure{Kind::kLost, "NO_REPLY"};
    if (reply->status == 401 || reply->status == 403) return end({Kind::kRefused, "the login was not accepted"});
    if (reply->status != 200) return end({body ? Kind::kRefused : Kind::kLost, fmt::format("HTTP {}", reply->status)});
    const Json page = Json::parse(reply->body, nullptr, false);
    if (!page.is_object()) return end({Kind::kLost, "NO_JSON"});
    taken = true;
    body = nullptr;
    url = TextOr(page, "nextUri", "");
    if (!url.empty()) {
      // Only the server itself is asked, whatever an answer says; a proxy's address is not the one that it sees.
      const auto path = url.find("/v1/");
      if (path == std::string::npos) return Failure{Kind::kLost, "FOREIGN_ADDRESS"};
      url = state_->server.url + url.substr(path);
    }
    if (page.contains("error")) return Failure{Kind::kStatement, ErrorName(page)};
    const bool first = columns.empty() && page.contains("columns");
    if (first) {
      for (const Json& column : page["columns"])
        columns.push_back({TextOr(column, "name", ""), TextOr(column, "type", "")});
    }
    const auto data = page.find("data");
    const bool rows = data != page.end() && data->is_array() && !data->empty();
    if ((rows || first) && !sink(columns, rows ? *data : Json::array())) {
      GiveUp(url);
      return std::nullopt;
    }
    if (url.empty()) return std::nullopt;
  }
}

}  // namespace kith::trino

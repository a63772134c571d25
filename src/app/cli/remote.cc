#include "app/cli/remote.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "base/curl.h"
#include "base/json.h"
#include "document/codes.h"
#include "document/from_json.h"
#include "server/http.h"

namespace kith::cli {
namespace {

constexpr std::size_t kLargest = std::size_t{64} << 20;

std::string Environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

Result<std::string> Token() {
  std::string token = Environment("KITH_TOKEN");
  const std::string file = Environment("KITH_TOKEN_FILE");
  if (!token.empty() || file.empty()) return token;
  struct stat about = {};
  if (::stat(file.c_str(), &about) != 0)
    return StorageError("the file with the token cannot be read", "KITH_TOKEN_FILE");
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return InvalidArgument("others can read the file with the token", "KITH_TOKEN_FILE", "chmod 600 the file");
  std::ifstream stream(file);
  if (!std::getline(stream, token) || token.empty())
    return StorageError("the file with the token cannot be read, or is empty", "KITH_TOKEN_FILE");
  return token;
}

std::size_t Append(char* data, std::size_t size, std::size_t count, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (body.size() + size * count > kLargest) return 0;
  body.append(data, size * count);
  return size * count;
}

int Stop(void* flag, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const CancelFlag*>(flag)->cancelled() ? 1 : 0;
}

// One exchange of libcurl's, which is C: what it allocates is freed whatever happens.
struct Session {
  CURL* handle = curl::curl_easy_init();
  curl_slist* headers = nullptr;
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    curl::curl_slist_free_all(headers);
    curl::curl_easy_cleanup(handle);
  }
  void Header(const char* text) { headers = curl::curl_slist_append(headers, text); }
};

// If no answer to a POST came, nobody knows whether it was charged.
Error Unreached(CURLcode code, const Remote& remote, bool asked) {
  if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
    return StorageError("the server's certificate is not trusted", remote.url,
                        "name the file of certificates to trust in KITH_CERTIFICATES");
  const bool reached =
      code != CURLE_COULDNT_CONNECT && code != CURLE_COULDNT_RESOLVE_HOST && code != CURLE_SSL_CONNECT_ERROR;
  if (reached && asked)
    return StorageError("the connection was lost before the answer came; it may have been charged", remote.url,
                        "ask the same again: what was answered once costs nothing")
        .That(Charged::kMaybe);
  return StorageError("the server cannot be reached", remote.url, "check its address, and that it runs");
}

// What may be in an address as it is.
Result<std::string> NameOf(const std::string& text) {
  const std::string name = text.ends_with(".toml") ? std::filesystem::path(text).stem().string() : text;
  if (server::CanBeInAddress(name)) return name;
  return InvalidArgument("not the name of a dataset", text.substr(0, 80), "curl URL/v1/datasets lists them");
}

/// `charged`: by the request, as far as is known if what came back cannot be read.
Result<Json> Parsed(const Result<std::string>& text, Charged charged) {
  if (!text) return text.error();
  Json read = Json::parse(*text, nullptr, false);
  if (read.is_discarded())
    return StorageError("what came back is no document of kith", {}, "check that the address is that of kith serve")
        .That(charged);
  return read;
}

}  // namespace

Result<Remote> RemoteAt(const std::string& url) {
  Remote remote;
  remote.url = url;
  while (remote.url.ends_with('/')) remote.url.pop_back();
  const bool secure = remote.url.starts_with("https://");
  const std::string place = remote.url.substr(std::min(remote.url.size(), std::size_t{secure ? 8u : 7u}));
  if ((!secure && !remote.url.starts_with("http://")) || place.empty() ||
      place.find_first_of("/?#@ \t\r\n") != std::string::npos)
    return InvalidArgument("not the address of a server", url.substr(0, 80), "write it like https://kith.example:8400");
  auto token = Token();
  if (!token) return token.error();
  remote.token = std::move(*token);
  remote.certificates = Environment("KITH_CERTIFICATES");
  const auto host = server::HostAndPort(place.find(':') == std::string::npos ? place + ":80" : place);
  if (!remote.token.empty() && !secure && !(host && server::IsLoopback(host->first)))
    return InvalidArgument("a token would travel to another machine without TLS", remote.url, "use https://");
  return remote;
}

Result<std::string> Fetch(const Remote& remote, const std::string& method, const std::string& path,
                          const std::string& body, const CancelFlag& cancel) {
  static const CURLcode ready = curl::curl_global_init(CURL_GLOBAL_DEFAULT);
  Session session;
  if (ready != CURLE_OK || session.handle == nullptr) return StorageError("HTTP requests cannot be made", "libcurl");
  const auto set = [&](auto option, auto value) { curl::curl_easy_setopt(session.handle, option, value); };
  std::string answer;
  const std::string url = remote.url + path;
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, remote.url.starts_with("https") ? "https" : "http");
  set(CURLOPT_PROXY, "");
  set(CURLOPT_CUSTOMREQUEST, method.c_str());
  if (!body.empty()) {
    session.Header("Content-Type: application/json");
    session.Header("Expect:");
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(CURLOPT_POSTFIELDS, body.data());
  }
  set(CURLOPT_HTTPHEADER, session.headers);
  if (!remote.token.empty()) {
    set(CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    set(CURLOPT_XOAUTH2_BEARER, remote.token.c_str());
  }
  if (!remote.certificates.empty()) set(CURLOPT_CAINFO, remote.certificates.c_str());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, 10'000L);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, Stop);
  set(CURLOPT_XFERINFODATA, const_cast<CancelFlag*>(&cancel));
  set(CURLOPT_WRITEFUNCTION, Append);
  set(CURLOPT_WRITEDATA, &answer);
  const CURLcode code = curl::curl_easy_perform(session.handle);
  const Charged charged = method == "POST" ? Charged::kMaybe : Charged::kNo;
  if (cancel.cancelled()) return Cancelled("stopped; what was charged stays charged").That(charged);
  if (code != CURLE_OK) return Unreached(code, remote, method == "POST");
  long status = 0;
  curl::curl_easy_getinfo(session.handle, CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200 && status < 300) return answer;
  const Json read = Json::parse(answer, nullptr, false);
  if (status == 401 && remote.token.empty())
    return InvalidArgument("the server asks who you are", remote.url,
                           "put your token into KITH_TOKEN, or name the file that has it in KITH_TOKEN_FILE");
  if (const auto error = document::ErrorFrom(read)) return *error;
  return StorageError(fmt::format("the server answered with status {}, and not as kith does", status), remote.url,
                      "check that the address is that of kith serve")
      .That(charged);
}

Result<Json> AskServer(const Context& context, const std::string& name, const std::string& part, const Json& body) {
  const auto remote = RemoteAt(context.server);
  if (!remote) return remote.error();
  const auto dataset = NameOf(name);
  if (!dataset) return dataset.error();
  const std::string path = fmt::format("/v1/datasets/{}{}", *dataset, part.empty() ? "" : "/" + part);
  const bool asks = !body.is_null();
  return Parsed(Fetch(*remote, asks ? "POST" : "GET", path, asks ? JsonText(body) : "", *context.cancel),
                asks ? Charged::kMaybe : Charged::kNo);
}

Result<Json> AskServerForBudget(const Context& context, const std::string& name) {
  auto budget = AskServer(context, name, "budget", {});
  if (!budget) return budget;
  Json history = Json::array();
  for (bool more = true; more;) {
    const std::int64_t after = history.empty() ? 0 : history.back().at("number").get<std::int64_t>();
    const auto page = AskServer(context, name, fmt::format("history?limit=1000&after={}", after), {});
    if (!page) return page;
    for (const Json& line : page->at("history")) history.push_back(line);
    more = page->at("more").get<bool>() && !page->at("history").empty();
  }
  (*budget)["history"] = std::move(history);
  return budget;
}

Result<Json> AskServerToWork(const Context& context, const std::string& name, const std::string& part, const Json& body,
                             const Call& call) {
  auto job = AskServer(context, name, part, body);
  if (!job) return job;
  const auto remote = RemoteAt(context.server);
  if (!remote) return remote.error();
  const std::string path = "/v1/jobs/" + job->value("id", std::string());
  const Stage stage(call, "waiting for the server");
  for (int pause = 50; !job->contains("result"); pause = std::min(1000, pause * 2)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    if (call.cancel.cancelled()) {
      (void)Fetch(*remote, "DELETE", path, "", CancelFlag());
      return Cancelled("stopped; what was charged stays charged").That(Charged::kMaybe);
    }
    job = Parsed(Fetch(*remote, "GET", path, "", *context.cancel), Charged::kMaybe);
    if (job) continue;
    if (call.cancel.cancelled()) (void)Fetch(*remote, "DELETE", path, "", CancelFlag());
    Error lost = job.error();
    if (lost.code == Code::kStorage || lost.code == Code::kCancelled)
      lost.charged = Charged::kMaybe;  // the job goes on
    return lost;
  }
  Json result = job->at("result");
  if (const auto error = document::ErrorFrom(result)) return *error;
  return result;
}

std::optional<Error> NobodyApproves(const std::optional<std::uint64_t>& approval, const Context& context) {
  if (!approval || !context.server.empty()) return std::nullopt;
  return InvalidArgument("approvals are for questions that a server is asked", "--approval", "leave it out");
}

int ShowDocument(const Result<Json>& document) {
  if (!document) return Fail(document.error(), true);
  Show(JsonText(*document) + "\n");
  const bool affordable = !document->is_object() || document->value("affordable", true);
  return affordable ? 0 : document::ExitCodeOf(Code::kBudgetExhausted);
}

}  // namespace kith::cli

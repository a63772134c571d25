#include "probe/http.h"

#include <algorithm>

#include "base/curl.h"

namespace kith::probe {
namespace {

constexpr std::size_t kLargest = std::size_t{64} << 20;

std::size_t Append(char* data, std::size_t size, std::size_t count, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (body.size() + size * count > kLargest) return 0;
  body.append(data, size * count);
  return size * count;
}

}  // namespace

Result<Address> AddressOf(const std::string& url) {
  const std::string scheme = "http://";
  const auto bad = [&] {
    return InvalidArgument("not an address that can be probed", url.substr(0, 60),
                           "write it like http://127.0.0.1:8080/answer");
  };
  if (url.rfind(scheme, 0) != 0) return bad();
  const std::size_t slash = std::min(url.find_first_of("/?", scheme.size()), url.size());
  const std::string place = url.substr(scheme.size(), slash - scheme.size());
  const std::size_t colon = place.rfind(':');
  const bool has_port = colon != std::string::npos && place.find(']', colon) == std::string::npos;
  Address address{has_port ? place.substr(0, colon) : place, has_port ? place.substr(colon + 1) : "80",
                  url.substr(slash)};
  if (address.target.empty() || address.target[0] != '/') address.target = "/" + address.target;
  const bool digits = !address.port.empty() && address.port.find_first_not_of("0123456789") == std::string::npos;
  const bool blank = url.find_first_of(" \t\r\n") != std::string::npos;
  if (address.host.empty() || !digits || address.port.size() > 5 || blank) return bad();
  return address;
}

// What libcurl, which is C, keeps from one request to the next: the connection among it.
struct HttpClient::Session {
  CURL* handle = nullptr;
  curl_slist* headers = nullptr;
  ~Session() {
    if (handle == nullptr) return;
    curl::curl_slist_free_all(headers);
    curl::curl_easy_cleanup(handle);
  }

  Result<void> Open() {
    if (handle != nullptr) return {};
    if (auto loaded = curl::libcurl.Load(); !loaded) return loaded.error();
    static const CURLcode ready = curl::curl_global_init(CURL_GLOBAL_DEFAULT);
    if (ready == CURLE_OK) handle = curl::curl_easy_init();
    if (handle == nullptr) return StorageError("HTTP requests cannot be made", "libcurl");
    headers = curl::curl_slist_append(headers, "Content-Type: application/json");
    headers = curl::curl_slist_append(headers, "Expect:");
    return {};
  }
};

HttpClient::HttpClient() : session_(std::make_unique<Session>()) {}
HttpClient::~HttpClient() = default;

Result<Reply> HttpClient::Fetch(const Address& address, const std::string& body, double seconds) {
  if (auto opened = session_->Open(); !opened) return opened.error();
  const auto set = [&](auto option, auto value) { curl::curl_easy_setopt(session_->handle, option, value); };
  const std::string place = address.host + ":" + address.port, url = "http://" + place + "/";
  const long limit = std::max(1L, static_cast<long>(seconds * 1000));  // for curl 0 is no limit
  Reply reply;
  curl::curl_easy_reset(session_->handle);  // the connection stays
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_REQUEST_TARGET, address.target.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http");
  set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_USERAGENT, "kith probe");
  if (!body.empty()) {
    set(CURLOPT_HTTPHEADER, session_->headers);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(CURLOPT_POSTFIELDS, body.data());
  }
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, limit);
  set(CURLOPT_TIMEOUT_MS, limit);
  set(CURLOPT_WRITEFUNCTION, Append);
  set(CURLOPT_WRITEDATA, &reply.body);
  const CURLcode code = curl::curl_easy_perform(session_->handle);
  if (code == CURLE_OPERATION_TIMEDOUT) {
    reply.timed_out = true;
    return reply;
  }
  if (code != CURLE_OK)
    return StorageError(std::string("no answer over HTTP: ") + curl::curl_easy_strerror(code), place,
                        "check that the server is running");
  long status = 0;
  curl::curl_easy_getinfo(session_->handle, CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<unsigned>(status);
  return reply;
}

}  // namespace kith::probe

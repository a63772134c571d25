#include "probe/http.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>

namespace kith::probe {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

// Runs one asynchronous step to its end: only those know time limits. Throws what the step throws.
template <class Step>
void Finish(asio::io_context& context, Step step) {
  auto done = step(asio::use_future);
  context.restart();
  context.run();
  done.get();
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

struct HttpClient::Connection {
  asio::io_context context;
  beast::tcp_stream stream{context};
  beast::flat_buffer buffer;
  std::string place;  // host and port

  void Open(const Address& address, std::chrono::milliseconds limit) {
    asio::ip::tcp::resolver resolver(context);
    std::string host = address.host;  // IPv6 addresses are in brackets
    if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
    const auto places = resolver.resolve(host, address.port);
    stream.expires_after(limit);
    Finish(context, [&](auto token) { return stream.async_connect(places, token); });
    place = address.host + ":" + address.port;
  }

  // True if the connection may be used again.
  bool Exchange(const Address& address, const std::string& body, std::chrono::milliseconds limit, Reply& reply) {
    http::request<http::string_body> request(body.empty() ? http::verb::get : http::verb::post, address.target, 11);
    request.set(http::field::host, place);
    request.set(http::field::user_agent, "kith probe");
    if (!body.empty()) request.set(http::field::content_type, "application/json");
    request.keep_alive(true);
    request.body() = body;
    request.prepare_payload();
    stream.expires_after(limit);
    Finish(context, [&](auto token) { return http::async_write(stream, request, token); });
    http::response_parser<http::string_body> parser;
    parser.body_limit(std::uint64_t{64} << 20);
    Finish(context, [&](auto token) { return http::async_read(stream, buffer, parser, token); });
    reply.status = parser.get().result_int();
    reply.body = parser.get().body();
    return parser.get().keep_alive();
  }
};

HttpClient::HttpClient() = default;
HttpClient::~HttpClient() = default;

Result<Reply> HttpClient::Fetch(const Address& address, const std::string& body, double seconds) {
  const std::chrono::milliseconds limit(static_cast<long long>(seconds * 1000));
  for (bool kept = kept_ && kept_->place == address.host + ":" + address.port;; kept = false) {
    Reply reply;
    try {
      if (!kept) {
        kept_ = std::make_unique<Connection>();
        kept_->Open(address, limit);
      }
      if (!kept_->Exchange(address, body, limit, reply)) kept_.reset();
      return reply;
    } catch (const boost::system::system_error& error) {
      kept_.reset();
      if (error.code() == beast::error::timeout) {
        reply.timed_out = true;
        return reply;
      }
      if (kept) continue;  // it was closed in the meantime
      return StorageError("no answer over HTTP: " + error.code().message(), address.host + ":" + address.port,
                          "check that the server is running");
    }
  }
}

}  // namespace kith::probe

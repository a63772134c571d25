// The only file that includes Beast: its parser reads requests, Asio's coroutines carry them. One thread for all
// connections, and two groups of threads for what is asked.
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <ctime>

#include "server/http.h"
#include "server/listening.h"

namespace kith::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Failed = boost::system::error_code;

class TcpStream final : public Stream {
 public:
  explicit TcpStream(tcp::socket socket) : socket_(std::move(socket)) {}
  asio::awaitable<bool> Begin() override { co_return true; }
  asio::awaitable<std::size_t> Read(char* into, std::size_t size) override {
    Failed failed;
    const std::size_t read =
        co_await socket_.async_read_some(asio::buffer(into, size), asio::redirect_error(asio::use_awaitable, failed));
    co_return failed ? 0 : read;
  }
  asio::awaitable<bool> Write(std::string_view text) override {
    Failed failed;
    co_await asio::async_write(socket_, asio::buffer(text.data(), text.size()),
                               asio::redirect_error(asio::use_awaitable, failed));
    co_return !failed;
  }
  asio::awaitable<void> End() override {
    Failed ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    co_return;
  }
  tcp::socket& socket() override { return socket_; }

 private:
  tcp::socket socket_;
};

std::string DateNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text, size};
}

std::string HeadOf(const HttpResponse& response, bool keep) {
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Type: {}\r\nCache-Control: {}\r\n"
      "X-Content-Type-Options: nosniff\r\nConnection: {}\r\n",
      response.status,
      std::string_view(http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status))).to_string()),
      DateNow(), response.content_type, response.cache, keep ? "keep-alive" : "close");
  if (!response.events && response.status != 304) head += fmt::format("Content-Length: {}\r\n", response.body.size());
  for (const auto& [name, value] : response.headers) head += fmt::format("{}: {}\r\n", name, value);
  return head + "\r\n";
}

using Parser = http::request_parser<http::string_body>;

std::string Field(const Parser& parser, http::field name) {
  const auto value = parser.get()[name];
  return {value.data(), value.size()};
}

// What is wrong with a request's head; status 0: nothing.
struct Fault {
  int status = 0;
  std::string what, next;
};

// Forms that two readers could understand differently are refused, although Beast knows how to read some of them.
Fault FaultOf(const Parser& parser, const Limits& limits) {
  const auto& head = parser.get();
  if (head.version() != 11 && head.version() != 10)
    return {505, "this version of HTTP is not spoken here", "use HTTP/1.1"};
  if (static_cast<std::size_t>(std::distance(head.begin(), head.end())) > limits.headers)
    return {431, "the request has too many header fields", fmt::format("send at most {}", limits.headers)};
  if (head.target().size() > limits.target_bytes)
    return {414, "the address is too long", "put what is long into the body"};
  if (head.count(http::field::host) != 1) return {400, "the request does not have one Host", "send one Host field"};
  const bool length = head.count(http::field::content_length) > 0;
  const bool coded = head.count(http::field::transfer_encoding) > 0;
  if (head.count(http::field::content_length) > 1 || (length && coded) ||
      (coded && Field(parser, http::field::transfer_encoding) != "chunked") || (coded && head.version() == 10))
    return {400, "the length of the body is not clear", "send one Content-Length, or Transfer-Encoding: chunked"};
  if (head.count(http::field::authorization) > 1) return {400, "the request has two Authorization fields", "send one"};
  if (head.count(http::field::cookie) > 1) return {400, "the request has two Cookie fields", "send one"};
  if (head.target().empty() || head.target()[0] != '/')
    return {400, "the address of the request is not a path", "begin it with /v1/"};
  return {};
}

HttpRequest RequestOf(Parser& parser, const std::string& peer, bool secure) {
  HttpRequest request;
  const auto target = parser.get().target(), method = parser.get().method_string();
  const std::string whole(target.data(), target.size());
  const std::size_t mark = whole.find('?');
  request.method = {method.data(), method.size()};
  request.path = whole.substr(0, mark);
  request.query = mark == std::string::npos ? "" : whole.substr(mark + 1);
  request.authorization = Field(parser, http::field::authorization);
  request.content_type = Field(parser, http::field::content_type);
  request.origin = Field(parser, http::field::origin);
  request.host = Field(parser, http::field::host);
  const auto prefer = parser.get()["Prefer"];
  request.prefer = {prefer.data(), prefer.size()};
  request.cookie = Field(parser, http::field::cookie);
  request.accept_encoding = Field(parser, http::field::accept_encoding);
  request.if_none_match = Field(parser, http::field::if_none_match);
  const auto csrf = parser.get()["X-Kith-CSRF"];
  request.csrf = {csrf.data(), csrf.size()};
  request.body = std::move(parser.get().body());
  request.peer = peer;
  request.secure = secure;
  return request;
}

class Server final : public HttpServer {
 public:
  Server(const ListenOptions& options, Service with)
      : service(std::move(with)),
        limits(options.limits),
        listener({limits.connections, limits.of_address, limits.grace}),
        questions_(limits.questions),
        quick_(limits.quick) {}
  ~Server() override {
    questions_.Join();
    quick_.Join();
  }

  Result<void> Open(const ListenOptions& options) {
    if (!options.certificate.empty() || !options.key.empty()) {
      auto tls = Tls::Make(options.certificate, options.key);
      if (!tls) return tls.error();
      tls_ = std::move(*tls);
    }
    return listener.Open(options.host, options.port);
  }

  std::uint16_t port() const override { return listener.port(); }
  std::size_t connections() const override { return listener.connections(); }
  void Run(const CancelFlag& stop) override;

  Workers& WorkersFor(const HttpRequest& request) { return service.is_question(request) ? questions_ : quick_; }

  const Service service;
  const Limits limits;
  Listener listener;
  std::size_t waiting = 0;  // only for the thread of the connections

 private:
  Workers questions_, quick_;
  std::unique_ptr<Tls> tls_;
};

class HttpConnection final : public Connection {
 public:
  HttpConnection(Server& server, std::unique_ptr<Stream> stream, bool secure)
      : Connection(server.listener.context, std::move(stream)), server_(server), secure_(secure) {}

  asio::awaitable<void> Serve() override;

 private:
  enum class Read { kRequest, kEnd, kBroken, kLate };

  asio::awaitable<Read> ReadHead(Parser& parser);
  asio::awaitable<Read> ReadBody(Parser& parser);
  asio::awaitable<Read> Feed(Parser& parser, bool whole);
  asio::awaitable<bool> Answer(HttpResponse response, bool keep, Exchange exchange);
  asio::awaitable<bool> StreamEvents(const std::function<Events()>& events);
  asio::awaitable<HttpResponse> Handled(HttpRequest request);
  asio::awaitable<bool> OneRequest();
  asio::awaitable<bool> Refused(const Fault& fault);
  asio::awaitable<void> Drain();

  Server& server_;
  std::string buffer_;
  Failed last_;
  Clock::time_point began_;
  const bool secure_;
};

void Server::Run(const CancelFlag& stop) {
  listener.Run(stop, [this](tcp::socket socket) -> std::shared_ptr<Connection> {
    auto stream = tls_ ? tls_->Over(std::move(socket)) : PlainStream(std::move(socket));
    return std::make_shared<HttpConnection>(*this, std::move(stream), tls_ != nullptr);
  });
}

// More bytes for the parser, until the head (or all) is there.
asio::awaitable<HttpConnection::Read> HttpConnection::Feed(Parser& parser, bool whole) {
  char bytes[8192];
  while (whole ? !parser.is_done() : !parser.is_header_done()) {
    if (!buffer_.empty()) {
      Failed failed;
      const std::size_t used = parser.put(asio::buffer(buffer_), failed);
      buffer_.erase(0, used);
      last_ = failed;
      if (failed && failed != http::error::need_more) co_return Read::kBroken;
      if (!failed && used > 0) continue;
      // What the parser leaves is a line that has not ended: of the head, of a chunk, or of the fields after the last.
      if (buffer_.size() > server_.limits.header_bytes) {
        last_ = http::error::header_limit;
        co_return Read::kBroken;
      }
    }
    const std::size_t read = co_await stream_->Read(bytes, sizeof bytes);
    if (read == 0) {
      if (late_) co_return Read::kLate;
      co_return Read::kEnd;
    }
    buffer_.append(bytes, read);
    if (idle_) {
      idle_ = false;
      began_ = Clock::now();
      Limit(server_.limits.header_time);
    }
  }
  co_return Read::kRequest;
}

asio::awaitable<HttpConnection::Read> HttpConnection::ReadHead(Parser& parser) {
  idle_ = buffer_.empty();
  began_ = Clock::now();
  Limit(idle_ ? server_.limits.idle_time : server_.limits.header_time);
  co_return co_await Feed(parser, false);
}

asio::awaitable<HttpConnection::Read> HttpConnection::ReadBody(Parser& parser) {
  Limit(server_.limits.body_time);
  co_return co_await Feed(parser, true);
}

asio::awaitable<bool> HttpConnection::StreamEvents(const std::function<Events()>& events) {
  while (true) {
    const Events now = events();
    if (!now.text.empty()) {
      Limit(server_.limits.write_time);
      const bool written = co_await stream_->Write(now.text);
      NoLimit();
      if (!written) co_return false;
    }
    if (now.last || now_.cancelled() || server_.listener.stopping)
      co_return false;  // such a stream ends its connection
    co_await Sleep(Clock::now() + server_.limits.look);
    if (Unwanted()) co_return false;
  }
}

asio::awaitable<bool> HttpConnection::Answer(HttpResponse response, bool keep, Exchange exchange) {
  if (response.events || server_.listener.stopping) keep = false;
  std::string text = HeadOf(response, keep);
  if (!response.events) text += response.body;
  Limit(server_.limits.write_time);
  const bool written = co_await stream_->Write(text);
  NoLimit();
  exchange.route = response.route;
  exchange.user = response.user;
  exchange.about = response.about;
  exchange.status = response.status;
  exchange.took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began_);
  server_.service.done(exchange);
  if (!written) co_return false;
  if (response.events) co_return co_await StreamEvents(response.events);
  co_return keep;
}

// The client may still be sending: it sees the answer only if it is not cut off in the middle.
asio::awaitable<void> HttpConnection::Drain() {
  char bytes[8192];
  co_await stream_->End();
  Limit(std::chrono::milliseconds(1000));
  for (std::size_t all = 0; all < (std::size_t{256} << 10);) {
    const std::size_t read = co_await stream_->Read(bytes, sizeof bytes);
    if (read == 0) break;
    all += read;
  }
  NoLimit();
}

asio::awaitable<bool> HttpConnection::Refused(const Fault& fault) {
  Exchange exchange;
  exchange.method = "-";
  HttpResponse response = server_.service.refuse(fault.status, fault.what, fault.next);
  co_await Answer(std::move(response), false, std::move(exchange));
  co_await Drain();
  co_return false;
}

Fault FaultOfBytes(const Failed& failed) {
  if (failed == http::error::header_limit) return {431, "the header of the request is too long", "send less in it"};
  if (failed == http::error::body_limit) return {413, "the body of the request is too long", "ask for less at a time"};
  return {400, "this is not a request in HTTP/1.1", "look at its first line, its header and the length of its body"};
}

asio::awaitable<HttpResponse> HttpConnection::Handled(HttpRequest request) {
  const auto response = std::make_shared<HttpResponse>();
  const auto asked = std::make_shared<const HttpRequest>(std::move(request));
  auto handle = [response, asked, this, flag = now_] { *response = server_.service.handle(*asked, flag); };
  const Clock::duration grid = std::max(server_.service.tick(*asked), std::chrono::milliseconds(20));
  ++server_.waiting;
  co_await InThread(server_.WorkersFor(*asked), grid, std::move(handle));
  --server_.waiting;
  co_await UntilTick(began_, response->tick);
  co_return std::move(*response);
}

// True: another may follow.
asio::awaitable<bool> HttpConnection::OneRequest() {
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(server_.limits.header_bytes));
  parser.body_limit(server_.limits.body_bytes);
  parser.eager(true);
  Read read = co_await ReadHead(parser);
  if (read == Read::kEnd || (read == Read::kLate && idle_)) co_return false;
  if (read == Read::kLate) {
    const Fault slow{408, "the header did not come in time", "send it faster"};
    co_return co_await Refused(slow);
  }
  if (read == Read::kBroken) co_return co_await Refused(FaultOfBytes(last_));
  const Fault fault = FaultOf(parser, server_.limits);
  if (fault.status != 0) co_return co_await Refused(fault);
  if (Field(parser, http::field::expect) == "100-continue" && !parser.is_done()) {
    const bool told = co_await stream_->Write("HTTP/1.1 100 Continue\r\n\r\n");
    if (!told) co_return false;
  }
  read = co_await ReadBody(parser);
  if (read == Read::kEnd) co_return false;
  if (read == Read::kLate) {
    const Fault slow{408, "the body did not come in time", "send it faster"};
    co_return co_await Refused(slow);
  }
  if (read == Read::kBroken) co_return co_await Refused(FaultOfBytes(last_));
  NoLimit();
  const bool keep = parser.get().keep_alive();
  Exchange exchange;
  const auto method = parser.get().method_string();
  exchange.method.assign(method.data(), method.size());
  HttpRequest request = RequestOf(parser, peer_, secure_);
  if (server_.waiting >= server_.limits.waiting) {
    HttpResponse busy = server_.service.refuse(503, "too many requests are being answered", "ask again in a second");
    busy.headers.emplace_back("Retry-After", "1");
    co_return co_await Answer(std::move(busy), keep, std::move(exchange));
  }
  HttpResponse response = co_await Handled(std::move(request));
  co_return co_await Answer(std::move(response), keep && !now_.cancelled(), std::move(exchange));
}

asio::awaitable<void> HttpConnection::Serve() {
  Limit(server_.limits.header_time);
  bool more = co_await stream_->Begin();
  NoLimit();
  while (more && !server_.listener.stopping) more = co_await OneRequest();
  co_await Close();
}

}  // namespace

std::unique_ptr<Stream> PlainStream(tcp::socket socket) { return std::make_unique<TcpStream>(std::move(socket)); }

Result<std::unique_ptr<HttpServer>> HttpServer::Listen(const ListenOptions& options, Service service) {
  auto server = std::make_unique<Server>(options, std::move(service));
  if (auto opened = server->Open(options); !opened) return opened.error();
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace kith::server

// The only file that includes Beast: its parser reads requests, Asio's coroutines carry them. One thread for all
// connections, and two groups of threads for what is asked.
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <ctime>
#include <map>
#include <set>

#include "server/http.h"
#include "server/stream.h"

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

// The other side has closed, or at least will not send any more: whoever asked does not wait for the answer.
bool HasLeft(tcp::socket& socket) {
  pollfd look{socket.native_handle(), POLLRDHUP, 0};
  return ::poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

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
      "HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Type: {}\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nConnection: {}\r\n",
      response.status,
      std::string_view(http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status))).to_string()),
      DateNow(), response.content_type, keep ? "keep-alive" : "close");
  if (!response.events) head += fmt::format("Content-Length: {}\r\n", response.body.size());
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
  const auto csrf = parser.get()["X-Kith-CSRF"];
  request.csrf = {csrf.data(), csrf.size()};
  request.body = std::move(parser.get().body());
  request.peer = peer;
  request.secure = secure;
  return request;
}

class Server;

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Server& server, std::unique_ptr<Stream> stream, asio::io_context& context, bool secure)
      : server_(server), stream_(std::move(stream)), deadline_(context), wake_(context), secure_(secure) {
    Failed ignored;
    peer_ = stream_->socket().remote_endpoint(ignored).address().to_string();
    stream_->socket().set_option(tcp::no_delay(true), ignored);
  }

  asio::awaitable<void> Serve();
  /// The server stops: nothing new is read.
  void Stop();
  /// Its time is over.
  void Break();

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
  asio::awaitable<void> Sleep(Clock::time_point until);
  void Limit(std::chrono::milliseconds time);
  void NoLimit();

  Server& server_;
  std::unique_ptr<Stream> stream_;
  asio::steady_timer deadline_, wake_;
  std::string buffer_, peer_;
  CancelFlag left_;
  Failed last_;
  Clock::time_point began_;
  bool idle_ = true, late_ = false, secure_ = false;
};

class Server final : public HttpServer {
 public:
  Server(const ListenOptions& options, Service with)
      : service(std::move(with)),
        limits(options.limits),
        acceptor_(context),
        look_(context),
        questions_(limits.questions),
        quick_(limits.quick) {
    RaiseFileLimit();
  }
  ~Server() override {
    questions_.join();
    quick_.join();
  }

  Result<void> Open(const ListenOptions& options) {
    if (!options.certificate.empty() || !options.key.empty()) {
      auto tls = Tls::Make(options.certificate, options.key);
      if (!tls) return tls.error();
      tls_ = std::move(*tls);
    }
    Failed failed;
    const std::string host = options.host == "localhost" ? "127.0.0.1" : options.host;
    const auto address = asio::ip::make_address(host, failed);
    if (failed)
      return InvalidArgument("not an address to listen on", options.host,
                             "write an IP address, for instance 127.0.0.1");
    const tcp::endpoint place(address, options.port);
    acceptor_.open(place.protocol(), failed);
    if (!failed) acceptor_.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) acceptor_.bind(place, failed);
    if (!failed) acceptor_.listen(1024, failed);
    if (failed)
      return StorageError(fmt::format("cannot listen: {}", failed.message()),
                          fmt::format("{}:{}", options.host, options.port),
                          "choose another address or port, or stop what uses it");
    port_ = acceptor_.local_endpoint(failed).port();
    return {};
  }

  std::uint16_t port() const override { return port_; }
  std::size_t connections() const override { return count_; }

  void Run(const CancelFlag& stop) override {
    asio::co_spawn(context, Accept(), asio::detached);
    asio::co_spawn(context, Watch(stop), asio::detached);
    context.run();
  }

  asio::thread_pool& PoolFor(const HttpRequest& request) { return service.is_question(request) ? questions_ : quick_; }

  const Service service;
  const Limits limits;
  asio::io_context context{1};
  std::size_t waiting = 0;  // all of this is used by the thread of the connections alone
  bool stopping = false;

 private:
  static void RaiseFileLimit() {
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max) return;
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, 65'536);
    setrlimit(RLIMIT_NOFILE, &files);
  }

  asio::awaitable<void> Begin(tcp::socket socket, asio::ip::address from) {
    ++by_address_[from];
    auto stream = tls_ ? tls_->Over(std::move(socket)) : PlainStream(std::move(socket));
    const auto connection = std::make_shared<Connection>(*this, std::move(stream), context, tls_ != nullptr);
    open_.insert(connection.get());
    count_ = open_.size();
    co_await connection->Serve();
    open_.erase(connection.get());
    count_ = open_.size();
    if (--by_address_[from] == 0) by_address_.erase(from);
  }

  asio::awaitable<void> Accept() {
    while (!stopping) {
      Failed failed;
      tcp::socket socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, failed));
      if (stopping) co_return;
      if (failed) {  // out of files, for instance
        asio::steady_timer pause(context, std::chrono::milliseconds(100));
        co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, failed));
        continue;
      }
      if (open_.size() >= limits.connections) continue;  // closed at once
      // A proxy on this machine brings everybody's.
      const auto from = socket.remote_endpoint(failed).address();
      if (failed || (!from.is_loopback() && by_address_[from] >= limits.of_address)) continue;
      asio::co_spawn(context, Begin(std::move(socket), from), asio::detached);
    }
  }

  asio::awaitable<void> Watch(CancelFlag stop) {
    Failed ignored;
    while (!stop.cancelled()) {
      look_.expires_after(std::chrono::milliseconds(50));
      co_await look_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    stopping = true;
    acceptor_.close(ignored);
    const auto end = Clock::now() + limits.grace;
    for (Connection* each : std::set<Connection*>(open_)) each->Stop();
    while (!open_.empty() && Clock::now() < end + std::chrono::seconds(5)) {
      look_.expires_after(std::chrono::milliseconds(20));
      co_await look_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      if (Clock::now() >= end) {
        for (Connection* each : std::set<Connection*>(open_)) each->Break();
      }
    }
    context.stop();
  }

  tcp::acceptor acceptor_;
  asio::steady_timer look_;
  asio::thread_pool questions_, quick_;
  std::unique_ptr<Tls> tls_;
  std::set<Connection*> open_;
  std::map<asio::ip::address, std::size_t> by_address_;
  std::atomic<std::size_t> count_{0};
  std::uint16_t port_ = 0;
};

void Connection::Limit(std::chrono::milliseconds time) {
  deadline_.expires_after(time);
  deadline_.async_wait([self = weak_from_this()](const Failed& failed) {
    const auto connection = self.lock();
    if (failed || !connection) return;
    Failed ignored;
    connection->late_ = true;
    connection->stream_->socket().cancel(ignored);
  });
}

void Connection::NoLimit() { deadline_.cancel(); }

void Connection::Stop() {
  Failed ignored;
  if (idle_) stream_->socket().cancel(ignored);
}

void Connection::Break() {
  Failed ignored;
  left_.Cancel();
  stream_->socket().cancel(ignored);
}

asio::awaitable<void> Connection::Sleep(Clock::time_point until) {
  Failed ignored;
  wake_.expires_at(until);
  co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

// More bytes for the parser, until the head (or all) is there.
asio::awaitable<Connection::Read> Connection::Feed(Parser& parser, bool whole) {
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

asio::awaitable<Connection::Read> Connection::ReadHead(Parser& parser) {
  idle_ = buffer_.empty();
  began_ = Clock::now();
  Limit(idle_ ? server_.limits.idle_time : server_.limits.header_time);
  co_return co_await Feed(parser, false);
}

asio::awaitable<Connection::Read> Connection::ReadBody(Parser& parser) {
  Limit(server_.limits.body_time);
  co_return co_await Feed(parser, true);
}

asio::awaitable<bool> Connection::StreamEvents(const std::function<Events()>& events) {
  while (true) {
    const Events now = events();
    if (!now.text.empty()) {
      Limit(server_.limits.write_time);
      const bool written = co_await stream_->Write(now.text);
      NoLimit();
      if (!written) co_return false;
    }
    if (now.last || left_.cancelled() || server_.stopping) co_return false;  // such a stream ends its connection
    co_await Sleep(Clock::now() + server_.limits.look);
    if (HasLeft(stream_->socket())) co_return false;
  }
}

asio::awaitable<bool> Connection::Answer(HttpResponse response, bool keep, Exchange exchange) {
  if (response.events || server_.stopping) keep = false;
  std::string text = HeadOf(response, keep);
  if (!response.events) text += response.body;
  late_ = false;
  Limit(server_.limits.write_time);
  const bool written = co_await stream_->Write(text);
  NoLimit();
  exchange.route = response.route;
  exchange.user = response.user;
  exchange.status = response.status;
  exchange.took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began_);
  server_.service.done(exchange);
  if (!written) co_return false;
  if (response.events) co_return co_await StreamEvents(response.events);
  co_return keep;
}

// The client may still be sending: it sees the answer only if it is not cut off in the middle.
asio::awaitable<void> Connection::Drain() {
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

asio::awaitable<bool> Connection::Refused(const Fault& fault) {
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

asio::awaitable<HttpResponse> Connection::Handled(HttpRequest request) {
  struct Pending {
    HttpResponse response;
    bool done = false;
  };
  const auto pending = std::make_shared<Pending>();
  const auto asked = std::make_shared<const HttpRequest>(std::move(request));
  const auto self = shared_from_this();
  ++server_.waiting;
  asio::post(server_.PoolFor(*asked), [pending, asked, self, flag = left_] {
    HttpResponse response = self->server_.service.handle(*asked, flag);
    asio::post(self->server_.context, [pending, self, response = std::move(response)]() mutable {
      pending->response = std::move(response);
      pending->done = true;
      self->wake_.cancel();
    });
  });
  const Clock::duration grid = std::max(server_.service.tick(*asked), std::chrono::milliseconds(20));
  for (auto look = Clock::now() + grid - grid / 4; !pending->done;) {
    co_await Sleep(look);
    if (Clock::now() < look) continue;
    look += grid;
    if (!pending->done && HasLeft(stream_->socket())) left_.Cancel();
  }
  --server_.waiting;
  if (const auto tick = pending->response.tick; tick.count() > 0) {
    const auto ticks = (Clock::now() - began_ + tick - std::chrono::nanoseconds(1)) / tick;
    const auto leaves = began_ + ticks * tick;
    while (Clock::now() < leaves) co_await Sleep(leaves);
  }
  co_return std::move(pending->response);
}

// True: another may follow.
asio::awaitable<bool> Connection::OneRequest() {
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(server_.limits.header_bytes));
  parser.body_limit(server_.limits.body_bytes);
  parser.eager(true);
  late_ = false;
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
  co_return co_await Answer(std::move(response), keep && !left_.cancelled(), std::move(exchange));
}

asio::awaitable<void> Connection::Serve() {
  Limit(server_.limits.header_time);
  bool more = co_await stream_->Begin();
  NoLimit();
  while (more && !server_.stopping) more = co_await OneRequest();
  Limit(std::chrono::milliseconds(1000));
  co_await stream_->End();
  NoLimit();
  Failed ignored;
  stream_->socket().close(ignored);
}

}  // namespace

std::unique_ptr<Stream> PlainStream(tcp::socket socket) { return std::make_unique<TcpStream>(std::move(socket)); }

Result<std::unique_ptr<HttpServer>> HttpServer::Listen(const ListenOptions& options, Service service) {
  auto server = std::make_unique<Server>(options, std::move(service));
  if (auto opened = server->Open(options); !opened) return opened.error();
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace kith::server

// Asio's coroutines carry requests and answers. One thread for all connections, and two groups of threads for what is
// asked.
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <ctime>
#include <utility>

#include "server/http.h"
#include "server/listening.h"
#include "server/request_reader.h"

namespace kith::server {
namespace {

namespace asio = boost::asio;
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

std::string HeadOf(const HttpResponse& response, bool keep, bool secure) {
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Type: {}\r\nCache-Control: {}\r\n"
      "X-Content-Type-Options: nosniff\r\nConnection: {}\r\n",
      response.status, ReasonOf(response.status), DateNow(), response.content_type, response.cache,
      keep ? "keep-alive" : "close");
  if (secure) head += "Strict-Transport-Security: max-age=31536000\r\n";
  if (!response.events && response.status != 304) head += fmt::format("Content-Length: {}\r\n", response.body.size());
  for (const auto& [name, value] : response.headers) head += fmt::format("{}: {}\r\n", name, value);
  return head + "\r\n";
}

class Server final : public HttpServer {
 public:
  Server(const ListenOptions& options, Service with)
      : service(std::move(with)),
        limits(options.limits),
        proxies(options.proxies),
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
  const std::vector<std::string> proxies;
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

  asio::awaitable<Read> ReadRequest(RequestReader& reader);
  asio::awaitable<bool> Answer(HttpResponse response, bool keep, Exchange exchange);
  asio::awaitable<bool> StreamEvents(const std::function<Events()>& events);
  asio::awaitable<HttpResponse> Handled(HttpRequest request);
  asio::awaitable<bool> OneRequest();
  asio::awaitable<bool> Refused(const Fault& fault, const std::string& method);
  asio::awaitable<void> Drain();

  Server& server_;
  std::string buffer_;
  Clock::time_point began_;
  const bool secure_;
};

void Server::Run(const CancelFlag& stop) {
  listener.Run(stop, [this](tcp::socket socket) -> std::shared_ptr<Connection> {
    auto stream = tls_ ? tls_->Over(std::move(socket)) : PlainStream(std::move(socket));
    return std::make_shared<HttpConnection>(*this, std::move(stream), tls_ != nullptr);
  });
}

asio::awaitable<HttpConnection::Read> HttpConnection::ReadRequest(RequestReader& reader) {
  using State = RequestReader::State;
  char bytes[8192];
  idle_ = buffer_.empty();
  began_ = Clock::now();
  Limit(idle_ ? server_.limits.idle_time : server_.limits.header_time);
  State state = State::kHead;
  while (true) {
    const State before = std::exchange(state, reader.Take(buffer_));
    if (state == State::kDone) co_return Read::kRequest;
    if (state == State::kBroken) co_return Read::kBroken;
    if (state != before) {  // now the body
      Limit(server_.limits.body_time);
      if (reader.waits()) {
        const bool told = co_await stream_->Write("HTTP/1.1 100 Continue\r\n\r\n");
        if (!told) co_return Read::kEnd;
      }
      if (!buffer_.empty()) continue;
    }
    const std::size_t read = co_await stream_->Read(bytes, sizeof bytes);
    if (read == 0) co_return late_ ? Read::kLate : Read::kEnd;
    buffer_.append(bytes, read);
    if (idle_) {
      idle_ = false;
      began_ = Clock::now();
      Limit(server_.limits.header_time);
    }
  }
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
  std::string text = HeadOf(response, keep, secure_);
  const bool only_head = exchange.method == "HEAD";
  if (!response.events && !only_head) text += response.body;
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
  if (response.events && !only_head) co_return co_await StreamEvents(response.events);
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

asio::awaitable<bool> HttpConnection::Refused(const Fault& fault, const std::string& method) {
  Exchange exchange;
  exchange.method = method.empty() ? "-" : method;
  HttpResponse response = server_.service.refuse(fault.status, fault.what, fault.next);
  co_await Answer(std::move(response), false, std::move(exchange));
  co_await Drain();
  co_return false;
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
  RequestReader reader(server_.limits);
  const Read read = co_await ReadRequest(reader);
  HttpRequest& request = reader.request();
  if (read == Read::kEnd || (read == Read::kLate && idle_)) co_return false;
  if (read == Read::kLate) {
    const Fault slow{408, fmt::format("the {} did not come in time", request.method.empty() ? "header" : "body"),
                     "send it faster"};
    co_return co_await Refused(slow, request.method);
  }
  if (read == Read::kBroken) co_return co_await Refused(reader.fault(), request.method);
  NoLimit();
  const bool keep = reader.keep();
  Exchange exchange;
  exchange.method = request.method;
  request.peer = ClientOf(peer_, request.forwarded_for, server_.proxies);
  request.secure = secure_;
  if (server_.service.at_once && server_.service.at_once(request)) {
    HttpResponse response = server_.service.handle(request, now_);
    co_return co_await Answer(std::move(response), keep, std::move(exchange));
  }
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

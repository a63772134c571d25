#include "server/listening.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace kith::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Failed = boost::system::error_code;

void RaiseFileLimit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max) return;
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 65'536);
  setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

Connection::Connection(asio::io_context& context, std::unique_ptr<Stream> stream)
    : stream_(std::move(stream)), context_(context), deadline_(context), wake_(context) {
  Failed ignored;
  peer_ = stream_->socket().remote_endpoint(ignored).address().to_string();
  stream_->socket().set_option(tcp::no_delay(true), ignored);
}

void Connection::Stop() {
  Failed ignored;
  if (idle_) stream_->socket().cancel(ignored);
}

void Connection::Break() {
  Failed ignored;
  now_.Cancel();
  stream_->socket().cancel(ignored);
}

// The other side has closed, or at least will send no more.
bool Connection::Unwanted() {
  pollfd look{stream_->socket().native_handle(), POLLRDHUP, 0};
  return ::poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void Connection::Limit(std::chrono::milliseconds time) {
  late_ = false;
  deadline_.expires_after(time);
  deadline_.async_wait([self = weak_from_this()](const Failed& failed) {
    const auto connection = self.lock();
    if (failed || !connection) return;
    Failed ignored;
    connection->late_ = true;
    connection->stream_->socket().cancel(ignored);
  });
}

asio::awaitable<void> Connection::Sleep(Clock::time_point until) {
  Failed ignored;
  wake_.expires_at(until);
  co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

asio::awaitable<void> Connection::UntilTick(Clock::time_point since, std::chrono::milliseconds tick) {
  if (tick.count() <= 0) co_return;
  const auto ticks = (Clock::now() - since + tick - std::chrono::nanoseconds(1)) / tick;
  const auto leaves = since + ticks * tick;
  while (Clock::now() < leaves) co_await Sleep(leaves);
}

asio::awaitable<void> Connection::Close() {
  Limit(std::chrono::milliseconds(1000));
  co_await stream_->End();
  NoLimit();
  Failed ignored;
  stream_->socket().close(ignored);
}

Listener::Listener(const Limits& limits) : limits_(limits), acceptor_(context), look_(context) { RaiseFileLimit(); }

Result<void> Listener::Open(const std::string& host, std::uint16_t port) {
  Failed failed;
  const auto address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, failed);
  if (failed)
    return InvalidArgument("not an address to listen on", host, "write an IP address, for instance 127.0.0.1");
  const tcp::endpoint place(address, port);
  acceptor_.open(place.protocol(), failed);
  if (!failed) acceptor_.set_option(tcp::acceptor::reuse_address(true), failed);
  if (!failed) acceptor_.bind(place, failed);
  if (!failed) acceptor_.listen(1024, failed);
  if (failed)
    return StorageError(fmt::format("cannot listen: {}", failed.message()), fmt::format("{}:{}", host, port),
                        "choose another address or port, or stop what uses it");
  port_ = acceptor_.local_endpoint(failed).port();
  return {};
}

void Listener::Run(const CancelFlag& stop, const Make& make) {
  asio::co_spawn(context, Accept(make), asio::detached);
  asio::co_spawn(context, Watch(stop), asio::detached);
  context.run();
}

asio::awaitable<void> Listener::Begin(std::shared_ptr<Connection> connection, asio::ip::address from) {
  ++by_address_[from];
  open_.insert(connection.get());
  count_ = open_.size();
  co_await connection->Serve();
  open_.erase(connection.get());
  count_ = open_.size();
  if (--by_address_[from] == 0) by_address_.erase(from);
}

asio::awaitable<void> Listener::Accept(Make make) {
  while (!stopping) {
    Failed failed;
    tcp::socket socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, failed));
    if (stopping) co_return;
    if (failed) {  // out of files, for instance
      asio::steady_timer pause(context, std::chrono::milliseconds(100));
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, failed));
      continue;
    }
    if (open_.size() >= limits_.connections) continue;  // closed at once
    const auto from = socket.remote_endpoint(failed).address();
    if (failed) continue;
    // A proxy on this machine brings everybody's.
    const auto known = by_address_.find(from);
    if (!from.is_loopback() && known != by_address_.end() && known->second >= limits_.of_address) continue;
    auto connection = make(std::move(socket));
    asio::co_spawn(context, Begin(std::move(connection), from), asio::detached);
  }
}

asio::awaitable<void> Listener::Watch(CancelFlag stop) {
  Failed ignored;
  while (!stop.cancelled()) {
    look_.expires_after(std::chrono::milliseconds(50));
    co_await look_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  stopping = true;
  acceptor_.close(ignored);
  const auto end = Connection::Clock::now() + limits_.grace;
  for (Connection* each : std::set<Connection*>(open_)) each->Stop();
  while (!open_.empty() && Connection::Clock::now() < end + std::chrono::seconds(5)) {
    look_.expires_after(std::chrono::milliseconds(20));
    co_await look_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    if (Connection::Clock::now() >= end) {
      for (Connection* each : std::set<Connection*>(open_)) each->Break();
    }
  }
  context.stop();
}

}  // namespace kith::server

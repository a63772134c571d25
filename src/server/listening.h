// What all protocols of the server have in common: connections are accepted and counted, have a time limit for
// everything, and work for them is done in threads. One thread carries all connections. Internal to server and pgwire:
// includes Asio.
#pragma once
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/cancel.h"
#include "base/result.h"
#include "server/stream.h"
#include "server/workers.h"

namespace kith::server {

/// One client, whatever it speaks.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;

  Connection(boost::asio::io_context& context, std::unique_ptr<Stream> stream);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  /// From the first byte to the last.
  virtual boost::asio::awaitable<void> Serve() = 0;
  /// The server stops: nothing new is read.
  void Stop();
  /// Its time is over.
  void Break();

 protected:
  /// The client no longer waits for the answer. Checked while there is work in a thread.
  virtual bool Unwanted();
  /// Reading and writing end after this time, and `late_` is then set.
  void Limit(std::chrono::milliseconds time);
  void NoLimit() { deadline_.cancel(); }
  boost::asio::awaitable<void> Sleep(Clock::time_point until);
  /// Until a whole number of ticks has passed since then. 0: not at all.
  boost::asio::awaitable<void> UntilTick(Clock::time_point since, std::chrono::milliseconds tick);
  /// Says goodbye and closes.
  boost::asio::awaitable<void> Close();

  /// Runs `work` in a thread. That nobody wants it any more is noticed once in each `grid`, a quarter before its end:
  /// also when answers are kept (release/whole_ticks.h).
  template <class Work>
  boost::asio::awaitable<void> InThread(Workers& workers, Clock::duration grid, Work work) {
    const auto done = std::make_shared<bool>(false);
    const auto self = shared_from_this();
    workers.Post([work = std::move(work), done, self]() mutable {
      work();
      boost::asio::post(self->context_, [done, self] {
        *done = true;
        self->wake_.cancel();
      });
    });
    for (auto look = Clock::now() + grid - grid / 4; !*done;) {
      co_await Sleep(look);
      if (Clock::now() < look) continue;
      look += grid;
      if (!*done && Unwanted()) now_.Cancel();
    }
  }

  std::unique_ptr<Stream> stream_;
  std::string peer_;  // its address
  CancelFlag now_;    // of what is being answered
  bool idle_ = true;  // nothing of a request has been read yet
  bool late_ = false;

 private:
  boost::asio::io_context& context_;
  boost::asio::steady_timer deadline_, wake_;
};

/// Accepts connections, as many as there may be.
class Listener {
 public:
  struct Limits {
    std::size_t connections = 0;
    std::size_t of_address = 0;          // of one address that is not this machine's own
    std::chrono::milliseconds grace{0};  // for what is under way when the server stops
  };
  using Make = std::function<std::shared_ptr<Connection>(boost::asio::ip::tcp::socket)>;

  explicit Listener(const Limits& limits);

  /// Fails: kInvalidArgument (no such address), kStorage (it is taken).
  Result<void> Open(const std::string& host, std::uint16_t port);
  std::uint16_t port() const { return port_; }
  std::size_t connections() const { return count_; }
  /// Serves until `stop` is set; then lets what is under way end.
  void Run(const CancelFlag& stop, const Make& make);

  boost::asio::io_context context{1};
  bool stopping = false;  // only for the thread of the connections

 private:
  boost::asio::awaitable<void> Begin(std::shared_ptr<Connection> connection, boost::asio::ip::address from);
  boost::asio::awaitable<void> Accept(Make make);
  boost::asio::awaitable<void> Watch(CancelFlag stop);

  const Limits limits_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer look_;
  std::set<Connection*> open_;
  std::map<boost::asio::ip::address, std::size_t> by_address_;
  std::atomic<std::size_t> count_{0};
  std::uint16_t port_ = 0;
};

}  // namespace kith::server

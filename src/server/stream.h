// One connection as bytes, with or without TLS. Internal to server: includes Asio.
#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kith::server {

class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;
  /// What comes before the first byte of HTTP. False: the connection is unusable.
  virtual boost::asio::awaitable<bool> Begin() = 0;
  /// At most `size` bytes. 0: the end, an error, or the socket was cancelled.
  virtual boost::asio::awaitable<std::size_t> Read(char* into, std::size_t size) = 0;
  virtual boost::asio::awaitable<bool> Write(std::string_view text) = 0;
  virtual boost::asio::awaitable<void> End() = 0;
  virtual boost::asio::ip::tcp::socket& socket() = 0;
};

std::unique_ptr<Stream> PlainStream(boost::asio::ip::tcp::socket socket);

/// A certificate and its key, for many streams.
class Tls {
 public:
  /// Fails: kInvalidArgument.
  static Result<std::unique_ptr<Tls>> Make(const std::string& certificate, const std::string& key);
  Tls() = default;
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;
  virtual ~Tls() = default;
  virtual std::unique_ptr<Stream> Over(boost::asio::ip::tcp::socket socket) = 0;
};

}  // namespace kith::server

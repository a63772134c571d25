// A way to a server that can be cut: bytes go both ways until a word is seen on the way there.
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <utility>

namespace kith::testing {

class Relay {
 public:
  /// `word`: what cuts it, once its answer has come back; empty: nothing does.
  Relay(int server, std::string word, int port = 0) : server_(server), word_(std::move(word)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address = Here(port);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(listener_, 8);
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~Relay() {
    cut_ = true;
    thread_.join();
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  int port() const { return port_; }
  bool cut() const { return cut_; }

 private:
  static sockaddr_in Here(int port) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  static bool Ready(int descriptor) {
    pollfd waiting{.fd = descriptor, .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, 20) > 0;
  }

  void Serve() {
    while (!cut_) {
      if (Ready(listener_)) Connect(::accept(listener_, nullptr, nullptr));
    }
    ::close(listener_);
  }

  /// kith has one connection at a time.
  void Connect(int client) {
    const int server = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = Here(server_);
    bool open = ::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    while (open && !cut_) {
      open = Pass(client, server, true) && Pass(server, client, false);
    }
    ::close(client);
    ::close(server);
  }

  bool Pass(int from, int to, bool there) {
    std::array<char, 65536> bytes = {};
    if (!Ready(from)) return true;
    const auto size = ::recv(from, bytes.data(), bytes.size(), 0);
    if (size <= 0) return false;
    seen_ = seen_ || (there && !word_.empty() &&
                      std::string(bytes.data(), static_cast<std::size_t>(size)).find(word_) != std::string::npos);
    const bool sent = ::send(to, bytes.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL) == size;
    if (!there && seen_) cut_ = true;
    return sent;
  }

  int server_, listener_ = -1, port_ = 0;
  std::string word_;
  bool seen_ = false;
  std::atomic<bool> cut_ = false;
  std::thread thread_;
};

}  // namespace kith::testing

// Policies over the PostgreSQL protocol: for psql, drivers and tools that speak it. Questions are handled like all
// others. Guide: docs/guide/server.md
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "people/people.h"
#include "server/api.h"

namespace kith::pgwire {

struct PgLimits {
  std::size_t startup_bytes = 10'000, message_bytes = 1u << 20;
  std::size_t connections = 500;
  std::size_t of_address = 250;                    // connections from one address that is not this machine's own
  std::size_t questions = 8;                       // threads for messages that may ask
  std::size_t quick = 2;                           // threads for everything else
  std::chrono::milliseconds startup_time{10'000};  // until somebody is recognised
  std::chrono::milliseconds message_time{30'000}, write_time{30'000};
  std::chrono::milliseconds idle_time{8 * 3'600'000};
  std::chrono::milliseconds grace{15'000};  // for questions that are under way when the server stops
};

struct PgOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 5433;     // 0: any
  std::string certificate, key;  // files in PEM; both empty: no TLS
  bool only_tls = false;         // unencrypted connections are refused
  std::vector<server::Dataset> datasets;
  std::shared_ptr<const people::People> people;  // null: there are no users
  std::string version;
  std::function<void(const std::string&)> tell;  // a line for those who run the server; may be empty
  std::function<void(const std::string&)> log;   // of each question: kind, SQLSTATE, time and user; may be empty
  PgLimits limits;
};

class PgServer {
 public:
  /// Fails: kInvalidArgument (no such address, certificate or key), kStorage (the address is taken).
  static Result<std::unique_ptr<PgServer>> Listen(PgOptions options);
  PgServer() = default;
  PgServer(const PgServer&) = delete;
  PgServer& operator=(const PgServer&) = delete;
  virtual ~PgServer() = default;

  virtual std::uint16_t port() const = 0;
  virtual std::size_t connections() const = 0;
  /// For Prometheus: connections, and statements by kind and SQLSTATE. No data.
  virtual std::string Metrics() const = 0;
  /// Serves until `stop` is set; then lets what is under way end.
  virtual void Run(const CancelFlag& stop) = 0;
};

}  // namespace kith::pgwire

// One request of HTTP/1.1 from bytes. What it says does not depend on how they were cut into packets.
#pragma once
#include <memory>
#include <string>

#include "server/http.h"

namespace kith::server {

/// What is wrong with a request; status 0: nothing.
struct Fault {
  int status = 0;
  std::string what, next;
};

class RequestReader {
 public:
  enum class State {
    kHead,    // it needs more bytes until the head is complete
    kBody,    // the head is there, and was looked at: the request has all of its fields
    kDone,    // all of it is there
    kBroken,  // it is none, or has a form that two readers could understand differently: see fault()
  };

  explicit RequestReader(const Limits& limits);
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;
  ~RequestReader();

  /// Takes what it can from the front of the bytes that came so far, and leaves the rest. It stops where the head
  /// ends: the body is for the next call.
  State Take(std::string& bytes);
  const Fault& fault() const { return fault_; }
  /// Of kBroken at most the method. Fields that follow a body are part of nothing.
  HttpRequest& request() { return request_; }
  const HttpRequest& request() const { return request_; }
  /// Whether another request may follow on the connection, and whether the client waits to be asked for the body.
  bool keep() const { return keep_; }
  bool waits() const { return waits_; }

 private:
  struct Parser;
  State Head(std::string& bytes);
  State Body(std::string& bytes);
  State Broken(Fault fault);

  const Limits limits_;
  std::unique_ptr<Parser> parser_;
  std::size_t looked_ = 0;  // so many bytes of the head were looked at for its end
  State state_ = State::kHead;
  Fault fault_;
  HttpRequest request_;
  bool keep_ = false, waits_ = false;
};

/// "Not Found"
std::string ReasonOf(int status);

}  // namespace kith::server

// The only file that includes Beast.
#include "server/request_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace kith::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Failed = boost::system::error_code;

struct Field {
  const char* name;
  std::string HttpRequest::*into;
  bool list;  // several are one list; of the others there is one
};
constexpr std::array<Field, 11> kFields = {{
    {"Host", &HttpRequest::host, false},
    {"Authorization", &HttpRequest::authorization, false},
    {"Cookie", &HttpRequest::cookie, false},
    {"Origin", &HttpRequest::origin, false},
    {"Content-Type", &HttpRequest::content_type, false},
    {"X-Kith-CSRF", &HttpRequest::csrf, false},
    {"Expect", nullptr, false},
    {"Prefer", &HttpRequest::prefer, true},
    {"Accept-Encoding", &HttpRequest::accept_encoding, true},
    {"If-None-Match", &HttpRequest::if_none_match, true},
    {"X-Forwarded-For", &HttpRequest::forwarded_for, true},
}};

Fault FaultOfBytes(const Failed& failed) {
  if (failed == http::error::header_limit) return {431, "the header of the request is too long", "send less in it"};
  if (failed == http::error::body_limit) return {413, "the body of the request is too long", "ask for less at a time"};
  return {400, "this is not a request in HTTP/1.1", "look at its first line, its header and the length of its body"};
}

// Where the head ends, if it does: after an empty line. Lines may end as they must not: the parser refuses them.
std::size_t EndOfHead(std::string_view bytes, std::size_t from) {
  for (std::size_t at = bytes.find('\n', from); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
    const std::string_view rest = bytes.substr(at + 1);
    if (rest.starts_with("\r\n")) return at + 3;
    if (rest.starts_with('\n')) return at + 2;
  }
  return std::string_view::npos;
}

}  // namespace

struct RequestReader::Parser : http::request_parser<http::string_body> {
  std::string Value(const char* name) const {
    std::string all;
    const auto [begin, end] = get().equal_range(name);
    for (auto each = begin; each != end; ++each) {
      if (each != begin) all += ", ";
      all.append(each->value().data(), each->value().size());
    }
    return all;
  }
};

RequestReader::RequestReader(const Limits& limits) : limits_(limits), parser_(std::make_unique<Parser>()) {
  parser_->header_limit(static_cast<std::uint32_t>(limits.header_bytes + 1));  // this class limits it, before
  parser_->body_limit(limits.body_bytes);
  parser_->eager(false);
}

RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::Broken(Fault fault) {
  fault_ = std::move(fault);
  return state_ = State::kBroken;
}

RequestReader::State RequestReader::Take(std::string& bytes) {
  if (state_ == State::kHead) return Head(bytes);
  return state_ == State::kBody ? Body(bytes) : state_;
}

// Forms that two readers could understand differently are refused, although Beast knows how to read some of them.
Fault FaultOf(const http::request<http::string_body>& head, const Limits& limits) {
  if (head.version() != 11 && head.version() != 10)
    return {505, "this version of HTTP is not spoken here", "use HTTP/1.1"};
  if (static_cast<std::size_t>(std::distance(head.begin(), head.end())) > limits.headers)
    return {431, "the request has too many header fields", fmt::format("send at most {}", limits.headers)};
  if (head.target().size() > limits.target_bytes)
    return {414, "the address is too long", "put what is long into the body"};
  if (head.count(http::field::host) != 1) return {400, "the request does not have one Host", "send one Host field"};
  const bool length = head.count(http::field::content_length) > 0;
  const bool coded = head.count(http::field::transfer_encoding) > 0;
  const std::string_view size(head[http::field::content_length].data(), head[http::field::content_length].size());
  const bool listed = head.count(http::field::content_length) > 1 || size.find_first_not_of("0123456789") != size.npos;
  if (listed || (length && coded) || (coded && head[http::field::transfer_encoding] != "chunked") ||
      (coded && head.version() == 10))
    return {400, "the length of the body is not clear", "send one Content-Length, or Transfer-Encoding: chunked"};
  for (const Field& field : kFields) {
    if (!field.list && head.count(field.name) > 1)
      return {400, fmt::format("the request has two {} fields", field.name), "send one"};
  }
  if (head.target().empty() || head.target()[0] != '/')
    return {400, "the address of the request is not a path", "begin it with /v1/"};
  return {};
}

// The head is read when all of it is there: where it was cut makes no difference.
RequestReader::State RequestReader::Head(std::string& bytes) {
  const std::string_view first = std::string_view(bytes).substr(0, limits_.header_bytes);
  const bool begins = first.empty() || (first[0] >= 'A' && first[0] <= 'Z');  // as every method does
  if (!begins) return Broken(FaultOfBytes({}));
  const std::size_t end = EndOfHead(first, looked_);
  if (end == std::string_view::npos) {
    if (first.size() == limits_.header_bytes) return Broken(FaultOfBytes(http::error::header_limit));
    looked_ = first.size() < 3 ? 0 : first.size() - 3;
    return State::kHead;
  }
  for (const char* folded : {"\n ", "\n\t"}) {  // a line that goes on in the next one
    if (first.substr(0, end).find(folded) != std::string_view::npos) return Broken(FaultOfBytes({}));
  }
  Failed failed;
  bytes.erase(0, parser_->put(asio::buffer(bytes.data(), end), failed));
  if (failed || !parser_->is_header_done()) return Broken(FaultOfBytes(failed));
  const auto& head = parser_->get();
  request_.method.assign(head.method_string().data(), head.method_string().size());
  if (Fault fault = FaultOf(head, limits_); fault.status != 0) return Broken(std::move(fault));
  const std::string whole(head.target().data(), head.target().size());
  const std::size_t mark = whole.find('?');
  request_.path = whole.substr(0, mark);
  request_.query = mark == std::string::npos ? "" : whole.substr(mark + 1);
  for (const Field& field : kFields) {
    if (field.into != nullptr) request_.*field.into = parser_->Value(field.name);
  }
  keep_ = head.keep_alive();
  waits_ = parser_->Value("Expect") == "100-continue" && !parser_->is_done();
  return state_ = parser_->is_done() ? State::kDone : State::kBody;
}

// What the parser leaves is a line that has not ended: before a chunk, or the fields after the last one. It never sees
// more of one than it may have, however much is there.
RequestReader::State RequestReader::Body(std::string& bytes) {
  while (!bytes.empty() && !parser_->is_done()) {
    Failed failed;
    const std::size_t most = std::min(bytes.size(), limits_.header_bytes);
    const std::size_t used = parser_->put(asio::buffer(bytes.data(), most), failed);
    bytes.erase(0, used);
    if (failed && failed != http::error::need_more) return Broken(FaultOfBytes(failed));
    if (used > 0) continue;
    if (most == limits_.header_bytes) return Broken(FaultOfBytes(http::error::header_limit));
    return State::kBody;
  }
  if (!parser_->is_done()) return State::kBody;
  request_.body = std::move(parser_->get().body());
  return state_ = State::kDone;
}

std::string ReasonOf(int status) {
  return std::string(http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status))));
}

}  // namespace kith::server

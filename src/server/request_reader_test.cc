// Requests from bytes: the same whatever packets they come in.
#include "server/request_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>
#include <vector>

namespace kith::server {
namespace {

using State = RequestReader::State;

// What a reader makes of bytes that come in these pieces, as text.
std::string Read(const std::vector<std::string>& pieces, const Limits& limits = {}) {
  RequestReader reader(limits);
  std::string bytes;
  State state = State::kHead;
  for (const std::string& piece : pieces) {
    bytes += piece;
    for (State before = State::kDone; state != before && state != State::kDone && state != State::kBroken;) {
      before = state;
      state = reader.Take(bytes);
    }
  }
  if (state == State::kBroken) return fmt::format("{} {}", reader.fault().status, reader.fault().what);
  if (state != State::kDone) return "more";
  const HttpRequest& r = reader.request();
  return fmt::format(
      "{} {} ? {} host {} authorization {} cookie {} origin {} type {} csrf {} prefer {} for {} body {} "
      "keep {} waits {} left {}",
      r.method, r.path, r.query, r.host, r.authorization, r.cookie, r.origin, r.content_type, r.csrf, r.prefer,
      r.forwarded_for, r.body, reader.keep(), reader.waits(), bytes.size());
}

constexpr char kHead[] = "POST /v1/x?a=b HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n";

struct Case {
  std::string name, bytes, says;
};

std::vector<Case> Cases() {
  const std::string head = kHead, chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string fields =
      "Host: evil\r\nAuthorization: Bearer x\r\nCookie: a=b\r\nOrigin: http://evil\r\n"
      "X-Kith-CSRF: k\r\nPrefer: respond-async\r\nX-Forwarded-For: 192.0.2.1\r\n";
  std::string many;
  for (int k = 0; k < 100; ++k) many += fmt::format("F{}: x\r\n", k);
  return {
      {"a length", head + "Content-Length: 2\r\n\r\n{}", "body {} "},
      {"nothing", "GET / HTTP/1.1\r\nHost: here\r\n\r\n", "GET / ?  host here "},
      {"chunks", chunked + "1;x=y\r\n{\r\n1\r\n}\r\n0\r\n\r\n", "body {} "},
      {"another request follows", head + "Content-Length: 2\r\n\r\n{}GET / HTTP/1.1\r\n", "left 16"},
      {"fields after the body", chunked + "2\r\n{}\r\n0\r\n" + fields + "\r\n",
       "host here authorization  cookie  origin  type application/json csrf  prefer  for  body {} keep true "},
      {"many fields after the body", chunked + "2\r\n{}\r\n0\r\n" + many + "\r\n", "body {} "},
      {"it ends the connection after the body", chunked + "2\r\n{}\r\n0\r\nConnection: close\r\n\r\n", "keep true"},
      {"a question about the body", head + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}", "waits true"},
      {"two hosts", head + "Host: evil\r\nContent-Length: 2\r\n\r\n{}", "400 the request does not have one Host"},
      {"two origins", head + "Origin: a\r\nOrigin: b\r\nContent-Length: 2\r\n\r\n{}", "400 the request has two Origin"},
      {"two keys", head + "X-Kith-CSRF: a\r\nx-kith-csrf: a\r\n\r\n", "400 the request has two X-Kith-CSRF"},
      {"two tokens", head + "Authorization: a\r\nAuthorization: b\r\n\r\n", "400 the request has two Authorization"},
      {"two types", head + "Content-Type: text/plain\r\n\r\n", "400 the request has two Content-Type"},
      {"lists", head + "Prefer: a\r\nPrefer: b\r\nX-Forwarded-For: 1\r\nX-Forwarded-For: 2\r\n\r\n",
       "prefer a, b for 1, 2 "},
      {"many fields", head + many + "\r\n", "431 the request has too many"},
      {"a list of lengths", head + "Content-Length: 2, 2\r\n\r\n{}", "400 the length of the body is not clear"},
      {"a folded line", head + "X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}", "400 this is not a request"},
      {"a line folded by a tab", head + "Cookie: a\r\n\tb\r\n\r\n", "400 this is not a request"},
      {"a first line that is folded", "GET / HTTP/1.1\r\n Host: here\r\nHost: here\r\n\r\n", "400 this is not"},
      {"a long body", head + "Content-Length: 9999999\r\n\r\n{}", "413"},
      {"a long chunk", chunked + "989680\r\n{}", "413"},
      {"a bad chunk", chunked + "zz\r\n{}\r\n0\r\n\r\n", "400"},
      {"no version", "GET /\r\n\r\n", "400"},
      {"bare line feeds", "GET / HTTP/1.1\nHost: here\n\n", "400"},
      {"one bare line feed", "GET / HTTP/1.1\r\nHost: here\nX: y\r\n\r\n", "400"},
      {"TLS", "\x16\x03\x01\x02", "400"},
      {"lower case", "get / HTTP/1.1\r\nHost: here\r\n\r\n", "400"},
      {"an empty line first", "\r\nGET / HTTP/1.1\r\nHost: here\r\n\r\n", "400"},
  };
}

TEST(RequestReader, SaysTheSameHoweverBytesAreCut) {
  for (const Case& each : Cases()) {
    const std::string whole = Read({each.bytes});
    EXPECT_NE(whole.find(each.says), std::string::npos) << each.name << ": " << whole;
    std::vector<std::string> one_by_one;
    for (const char c : each.bytes) one_by_one.emplace_back(1, c);
    EXPECT_EQ(Read(one_by_one), whole) << each.name;
    for (std::size_t at = 1; at < each.bytes.size(); ++at)
      ASSERT_EQ(Read({each.bytes.substr(0, at), each.bytes.substr(at)}), whole) << each.name << " at " << at;
  }
}

// The planted fault: the head is looked at once a packet was read, with whatever followed the body in the same packet.
std::string ReadByPackets(const std::vector<std::string>& pieces) {
  namespace http = boost::beast::http;
  http::request_parser<http::string_body> parser;
  parser.eager(true);
  std::string bytes;
  bool looked = false;
  for (const std::string& piece : pieces) {
    bytes += piece;
    boost::system::error_code failed;
    bytes.erase(0, parser.put(boost::asio::buffer(bytes), failed));
    if (std::exchange(looked, parser.is_header_done()) || !looked) continue;
    if (parser.get().count(http::field::host) != 1) return "400";
  }
  return std::string(parser.get()[http::field::authorization]);
}

TEST(RequestReader, TheTestSeesAReaderThatDependsOnPackets) {
  const std::vector<Case> all = Cases();
  const auto after =
      std::find_if(all.begin(), all.end(), [](const Case& c) { return c.name == "fields after the body"; });
  const std::string whole = ReadByPackets({after->bytes});
  std::size_t others = 0;
  for (std::size_t at = 1; at < after->bytes.size(); ++at)
    others += ReadByPackets({after->bytes.substr(0, at), after->bytes.substr(at)}) != whole ? 1 : 0;
  EXPECT_EQ(whole, "400");
  EXPECT_GT(others, 0U);
  EXPECT_NE(Read({std::string(kHead) + "Cookie: a=b\r\n\r\n"}), Read({std::string(kHead) + "\r\n"}));
  EXPECT_EQ(Read({"GET / HTTP/1.1\r\nHost: here\r\n"}), "more");
}

// Of a head, of a line before a chunk, and of the fields after the last one: one byte more is too much, at every cut.
TEST(RequestReader, LimitsLinesToTheByte) {
  Limits limits;
  limits.header_bytes = 120;
  const std::string before = "GET / HTTP/1.1\r\nHost: here\r\nX: ",
                    chunked = "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto of = [&](std::size_t more) {
    const auto fill = [&](std::size_t used) { return std::string(limits.header_bytes - used + more, 'y'); };
    return std::vector<std::string>{before + fill(before.size() + 4) + "\r\n\r\n",
                                    chunked + "2;a=" + fill(4 + 2) + "\r\n{}\r\n0\r\n\r\n",
                                    chunked + "0\r\nX: " + fill(3 + 3 + 4) + "\r\n\r\n"};
  };
  for (const std::size_t more : {0U, 1U}) {
    for (const std::string& bytes : of(more)) {
      for (std::size_t at = 1; at < bytes.size(); ++at) {
        const std::string read = Read({bytes.substr(0, at), bytes.substr(at)}, limits);
        ASSERT_EQ(read.starts_with("431"), more == 1) << bytes << " at " << at << ": " << read;
      }
    }
  }
}

}  // namespace
}  // namespace kith::server

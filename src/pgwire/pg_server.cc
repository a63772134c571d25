// Connections: who is there, and then message by message. One thread carries them all; what is asked has others.
#include "pgwire/pg_server.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <ctime>
#include <map>
#include <set>

#include "base/entropy.h"
#include "pgwire/scram.h"
#include "pgwire/session.h"
#include "server/stream.h"

namespace kith::pgwire {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Failed = boost::system::error_code;
using server::Stream;

// The other side has closed, or at least will not send any more: whoever asked does not wait for the answer.
bool HasLeft(tcp::socket& socket) {
  pollfd look{socket.native_handle(), POLLRDHUP, 0};
  return ::poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

std::string Fatal(const std::string& sqlstate, const std::string& message, const std::string& hint) {
  return Bytes(Remark{"FATAL", sqlstate, message, {}, hint, {}});
}

using Parameters = std::vector<std::pair<std::string, std::string>>;
std::string ValueOf(const Parameters& parameters, const std::string& name) {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return {};
}

class Server;

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Server& server, tcp::socket socket, asio::io_context& context);

  asio::awaitable<void> Serve();
  void Stop();   // nothing new is read
  void Break();  // its time is over
  /// Somebody who knows its number wants the question stopped.
  void CancelWanted() { cancel_wanted_ = true; }
  const std::string& secret() const { return secret_; }

 private:
  asio::awaitable<bool> Fill(std::size_t bytes);
  asio::awaitable<bool> Write(const std::string& bytes);
  asio::awaitable<void> Say(const std::string& bytes);
  asio::awaitable<std::optional<Parameters>> Startup();
  asio::awaitable<bool> Authenticate(const Parameters& parameters);
  asio::awaitable<bool> Recognise(const std::string& name);
  asio::awaitable<std::optional<std::string>> Password(const std::string& ask);
  asio::awaitable<bool> Open(const Parameters& parameters);
  asio::awaitable<bool> OneMessage();
  asio::awaitable<bool> NothingCame();
  asio::awaitable<bool> Answer(char type, std::string body);
  asio::awaitable<void> Sleep(Clock::time_point until);
  template <class Work>
  asio::awaitable<void> InThread(asio::thread_pool& pool, Clock::duration grid, Work work);
  void Limit(std::chrono::milliseconds time);
  void NoLimit() { deadline_.cancel(); }

  Server& server_;
  std::unique_ptr<Stream> stream_;
  asio::steady_timer deadline_, wake_;
  std::string buffer_, peer_, out_, secret_;
  std::int32_t number_ = 0;
  std::optional<people::Identity> person_;
  std::unique_ptr<Session> session_;
  CancelFlag now_;  // of the message that is being answered
  bool secure_ = false, idle_ = false, late_ = false, cancel_wanted_ = false;
};

class Server final : public PgServer {
 public:
  explicit Server(PgOptions with)
      : options(std::move(with)),
        questions(options.limits.questions),
        quick(options.limits.quick),
        acceptor_(context),
        look_(context) {
    for (const server::Dataset& each : options.datasets)
      catalogs[each.name] =
          std::make_shared<const Catalog>(each.name, options.version, document::FactsOf(each.curator->policy()));
  }
  ~Server() override {
    questions.join();
    quick.join();
  }

  Result<void> Open() {
    if (!options.certificate.empty()) {
      auto made = server::Tls::Make(options.certificate, options.key);
      if (!made) return made.error();
      tls = std::move(*made);
    }
    Failed failed;
    const auto address = asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, failed);
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

  void Cancel(std::int32_t number, const std::string& secret) {
    const auto found = by_number.find(number);
    if (found != by_number.end() && people::SameSecret(found->second->secret(), secret)) found->second->CancelWanted();
  }
  void Log(const std::string& what, const std::string& sqlstate, Clock::duration took, const std::string& user) const {
    if (!options.log) return;
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char time[32];
    const std::size_t size = std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &parts);
    options.log(fmt::format("{} PG {} {} {}ms {}", std::string_view(time, size), what, sqlstate,
                            std::chrono::duration_cast<std::chrono::milliseconds>(took).count(),
                            user.empty() ? "-" : user));
  }

  const PgOptions options;
  asio::io_context context{1};
  asio::thread_pool questions, quick;
  std::unique_ptr<server::Tls> tls;
  std::map<std::string, std::shared_ptr<const Catalog>> catalogs;
  // All of this is used by the thread of the connections alone.
  std::map<std::int32_t, Connection*> by_number;
  std::int32_t last_number = 0;
  bool stopping = false;

 private:
  asio::awaitable<void> Begin(tcp::socket socket) {
    const auto connection = std::make_shared<Connection>(*this, std::move(socket), context);
    open_.insert(connection.get());
    count_ = open_.size();
    co_await connection->Serve();
    open_.erase(connection.get());
    count_ = open_.size();
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
      if (open_.size() >= options.limits.connections) continue;  // closed at once
      asio::co_spawn(context, Begin(std::move(socket)), asio::detached);
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
    const auto end = Clock::now() + options.limits.grace;
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
  std::set<Connection*> open_;
  std::atomic<std::size_t> count_{0};
  std::uint16_t port_ = 0;
};

Connection::Connection(Server& server, tcp::socket socket, asio::io_context& context)
    : server_(server), stream_(server::PlainStream(std::move(socket))), deadline_(context), wake_(context) {
  Failed ignored;
  peer_ = stream_->socket().remote_endpoint(ignored).address().to_string();
  stream_->socket().set_option(tcp::no_delay(true), ignored);
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

void Connection::Stop() {
  Failed ignored;
  if (idle_) stream_->socket().cancel(ignored);
}

void Connection::Break() {
  Failed ignored;
  now_.Cancel();
  stream_->socket().cancel(ignored);
}

asio::awaitable<void> Connection::Sleep(Clock::time_point until) {
  Failed ignored;
  wake_.expires_at(until);
  co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

// Until so many bytes are there. Before somebody is recognised no more than these are read, so that nothing that was
// sent without TLS can be taken for what came with it.
asio::awaitable<bool> Connection::Fill(std::size_t bytes) {
  char more[16384];
  while (buffer_.size() < bytes) {
    const std::size_t most = session_ ? sizeof more : std::min(sizeof more, bytes - buffer_.size());
    const std::size_t read = co_await stream_->Read(more, most);
    if (read == 0) co_return false;
    buffer_.append(more, read);
    if (idle_) {
      idle_ = false;
      Limit(server_.options.limits.message_time);
    }
  }
  co_return true;
}

asio::awaitable<bool> Connection::Write(const std::string& bytes) {
  if (bytes.empty()) co_return true;
  Limit(server_.options.limits.write_time);
  const bool written = co_await stream_->Write(bytes);
  NoLimit();
  co_return written;
}

// The last that is said: whether it arrives makes no difference.
asio::awaitable<void> Connection::Say(const std::string& bytes) {
  const std::string all = std::exchange(out_, {}) + bytes;
  co_await Write(all);
}

// Runs `work` in a thread. That the client has left, or wants it stopped, is noticed once in each `grid`, a quarter
// before its end: when answers are kept, too (release/whole_ticks.h).
template <class Work>
asio::awaitable<void> Connection::InThread(asio::thread_pool& pool, Clock::duration grid, Work work) {
  const auto done = std::make_shared<bool>(false);
  const auto self = shared_from_this();
  cancel_wanted_ = false;
  asio::post(pool, [work = std::move(work), done, self]() mutable {
    work();
    asio::post(self->server_.context, [done, self] {
      *done = true;
      self->wake_.cancel();
    });
  });
  for (auto look = Clock::now() + grid - grid / 4; !*done;) {
    co_await Sleep(look);
    if (Clock::now() < look) continue;
    look += grid;
    if (!*done && (cancel_wanted_ || HasLeft(stream_->socket()))) now_.Cancel();
  }
}

asio::awaitable<std::optional<Parameters>> Connection::Startup() {
  for (int turns = 0; turns < 3; ++turns) {
    if (!co_await Fill(8)) co_return std::nullopt;
    Reader head(std::string_view(buffer_).substr(0, 8));
    const auto length = static_cast<std::uint32_t>(head.Int32());
    const auto code = static_cast<std::uint32_t>(head.Int32());
    if (length < 8 || length > server_.options.limits.startup_bytes) co_return std::nullopt;
    if (!co_await Fill(length)) co_return std::nullopt;
    const std::string packet = buffer_.substr(8, length - 8);
    buffer_.erase(0, length);
    if (code == kCancelRequest) {
      Reader in(packet);
      const std::int32_t number = in.Int32();
      const std::string secret(in.rest());
      if (secret.size() == 4) server_.Cancel(number, secret);
      co_return std::nullopt;
    }
    if (code == kGssRequest || (code == kSslRequest && (server_.tls == nullptr || secure_))) {
      if (!co_await stream_->Write("N")) co_return std::nullopt;
      continue;
    }
    if (code == kSslRequest) {
      if (!co_await stream_->Write("S")) co_return std::nullopt;
      stream_ = server_.tls->Over(std::move(stream_->socket()));
      secure_ = true;
      if (!co_await stream_->Begin()) co_return std::nullopt;
      continue;
    }
    if (code >> 16 != 3) {
      const std::string text = Fatal("08P01", "this version of the protocol is not spoken here", "use version 3.0");
      co_await Say(text);
      co_return std::nullopt;
    }
    Reader in(packet);
    Parameters parameters;
    while (in.ok() && !in.rest().empty() && in.rest() != std::string_view("\0", 1)) {
      std::string name = in.Text(), value = in.Text();
      parameters.emplace_back(std::move(name), std::move(value));
    }
    if (!in.ok()) co_return std::nullopt;
    if (code != kVersion3) {  // a newer 3.x: what it adds is not known here
      out_ += std::move(Message('v').Int32(0).Int32(0)).Done();
    }
    co_return parameters;
  }
  co_return std::nullopt;
}

asio::awaitable<std::optional<std::string>> Connection::Password(const std::string& ask) {
  const std::string all = std::exchange(out_, {}) + ask;
  const bool asked = co_await Write(all);
  if (!asked) co_return std::nullopt;
  Limit(server_.options.limits.startup_time);
  if (!co_await Fill(5)) co_return std::nullopt;
  Reader head(buffer_);
  const char type = head.Byte();
  const auto length = static_cast<std::uint32_t>(head.Int32());
  if (type != 'p' || length < 4 || length > server_.options.limits.startup_bytes) co_return std::nullopt;
  if (!co_await Fill(1 + length)) co_return std::nullopt;
  std::string body = buffer_.substr(5, length - 4);
  buffer_.erase(0, 1 + length);
  co_return body;
}

asio::awaitable<bool> Connection::Recognise(const std::string& name) {
  const auto people = server_.options.people;
  Scram scram(*people, name);
  const std::string mechanisms = std::move(Message('R').Int32(10).Text("SCRAM-SHA-256").Byte('\0')).Done();
  const auto chosen = co_await Password(mechanisms);
  if (!chosen) co_return false;
  Reader in(*chosen);
  const std::string mechanism = in.Text();
  const std::int32_t size = in.Int32();
  const std::string nonce = RandomHex(18);
  const auto first =
      mechanism == "SCRAM-SHA-256" && size >= 0 && in.ok() && in.rest().size() == static_cast<std::size_t>(size)
          ? scram.First(in.rest(), nonce)
          : Result<std::string>(InvalidArgument("no SCRAM-SHA-256"));
  if (!first) {
    const std::string text = Fatal("08P01", "only SCRAM-SHA-256 is understood", "use a client that speaks it");
    co_await Say(text);
    co_return false;
  }
  const std::string challenge = std::move(Message('R').Int32(11).Bytes(*first)).Done();
  const auto final = co_await Password(challenge);
  if (!final) co_return false;
  const auto accepted = std::make_shared<Result<people::ScramAccepted>>(InternalError("not asked"));
  auto prove = [accepted, &scram, &final, this] { *accepted = scram.Final(*final, peer_); };
  co_await InThread(server_.quick, std::chrono::milliseconds(100), std::move(prove));
  if (!*accepted) {
    const Error& error = accepted->error();
    const bool fault = error.code != Code::kInvalidArgument;
    const bool wait = error.parameter == people::kTooMany;
    server_.Log("connect", wait ? "53300" : fault ? "58030" : "28P01", {}, "");
    std::string text = Fatal("28P01", "not recognised", "the password is a token; it may have ended or been revoked");
    if (fault) text = Fatal("58030", "users cannot be looked up", "tell whoever runs the server");
    if (wait) text = Fatal("53300", error.what, error.next);
    co_await Say(text);
    co_return false;
  }
  person_ = (*accepted)->who;
  out_ += std::move(Message('R').Int32(12).Bytes("v=" + Base64((*accepted)->server_signature))).Done();
  co_return true;
}

asio::awaitable<bool> Connection::Authenticate(const Parameters& parameters) {
  if (server_.options.only_tls && !secure_) {
    const std::string text =
        Fatal("28000", "everything could be read on the way", "connect with TLS: sslmode=verify-full");
    co_await Say(text);
    co_return false;
  }
  if (ValueOf(parameters, "replication") != "" && ValueOf(parameters, "replication") != "false") {
    const std::string text = Fatal("0A000", "nothing can be replicated from here", "leave replication out");
    co_await Say(text);
    co_return false;
  }
  if (server_.options.people != nullptr) {
    const bool recognised = co_await Recognise(ValueOf(parameters, "user"));
    if (!recognised) co_return false;
  }
  co_return true;
}

asio::awaitable<bool> Connection::Open(const Parameters& parameters) {
  std::string wanted = ValueOf(parameters, "database");
  const std::string user = ValueOf(parameters, "user");
  if (wanted.empty()) wanted = user;
  SessionOf of;
  for (const server::Dataset& each : server_.options.datasets) {
    if (each.name == wanted && (!person_ || person_->MaySee(each.name))) of.dataset = &each;
  }
  if (of.dataset == nullptr) {
    server_.Log("connect", "3D000", {}, person_ ? person_->user : "");
    const std::string text =
        Fatal("3D000", "there is no such dataset, or not for you", "the name of the database is that of a dataset");
    co_await Say(text);
    co_return false;
  }
  of.people = server_.options.people;
  of.person = person_;
  of.catalog = server_.catalogs.at(of.dataset->name);
  of.tell = server_.options.tell;
  auto session = std::make_unique<Session>(std::move(of));
  const auto told = session->Begin(parameters);
  if (!told) {
    Remark remark = RemarkOf(told.error(), nullptr);
    remark.severity = "FATAL";
    const std::string text = Bytes(remark);
    co_await Say(text);
    co_return false;
  }
  session_ = std::move(session);
  number_ = ++server_.last_number;
  if (server_.last_number == 0x7fffffff) server_.last_number = 0;
  const std::string digits = RandomHex(4);
  for (std::size_t k = 0; k < 8; k += 2) secret_ += static_cast<char>(std::stoi(digits.substr(k, 2), nullptr, 16));
  server_.by_number[number_] = this;
  server_.Log("connect", "00000", {}, session_->user());
  out_ += std::move(Message('R').Int32(0)).Done() + *told;
  out_ += std::move(Message('K').Int32(number_).Bytes(secret_)).Done() + ReadyForQuery('I');
  const std::string all = std::exchange(out_, {});
  co_return co_await Write(all);
}

asio::awaitable<bool> Connection::Answer(char type, std::string body) {
  const auto began = Clock::now();
  now_ = CancelFlag();
  const auto reply = std::make_shared<Reply>();
  const auto text = std::make_shared<const std::string>(std::move(body));
  const bool may_ask = Session::MayAsk(type);
  auto handle = [reply, text, type, this, flag = now_] { *reply = session_->Handle(type, *text, flag); };
  const Clock::duration grid = std::max(session_->tick(), std::chrono::milliseconds(20));
  asio::thread_pool& pool = may_ask ? server_.questions : server_.quick;
  co_await InThread(pool, grid, std::move(handle));
  if (reply->tick.count() > 0) {
    const auto ticks = (Clock::now() - began + reply->tick - std::chrono::nanoseconds(1)) / reply->tick;
    const auto leaves = began + ticks * reply->tick;
    while (Clock::now() < leaves) co_await Sleep(leaves);
  }
  if (!reply->what.empty()) server_.Log(reply->what, reply->sqlstate, Clock::now() - began, session_->user());
  out_ += reply->bytes;
  // What can wait for Sync does: clients that send several messages at once get one packet.
  const bool sends = type == 'Q' || type == 'S' || type == 'H' || reply->ends || out_.size() > (1u << 20);
  if (sends) {
    const std::string all = std::exchange(out_, {});
    const bool written = co_await Write(all);
    if (!written) co_return false;
  }
  co_return !reply->ends;
}

asio::awaitable<bool> Connection::NothingCame() {
  const std::string text = server_.stopping ? Fatal("57P01", "the server stops", "connect again later")
                                            : Fatal("57P05", "nothing came for too long", "connect again");
  if (server_.stopping || late_) co_await Say(text);
  co_return false;
}

// True: another may follow.
asio::awaitable<bool> Connection::OneMessage() {
  idle_ = buffer_.empty();
  Limit(idle_ ? server_.options.limits.idle_time : server_.options.limits.message_time);
  if (!co_await Fill(5)) co_return co_await NothingCame();
  Reader head(buffer_);
  const char type = head.Byte();
  const auto length = static_cast<std::uint32_t>(head.Int32());
  if (length < 4 || length > server_.options.limits.message_bytes) {
    const std::string text = Fatal("08P01", "a message is too long, or none", "send at most 1 MB at a time");
    co_await Say(text);
    co_return false;
  }
  if (!co_await Fill(1 + length)) co_return co_await NothingCame();
  NoLimit();
  std::string body = buffer_.substr(5, length - 4);
  buffer_.erase(0, 1 + length);
  co_return co_await Answer(type, std::move(body));
}

asio::awaitable<void> Connection::Serve() {
  Limit(server_.options.limits.startup_time);
  const auto parameters = co_await Startup();
  bool more = parameters.has_value();
  if (more) more = co_await Authenticate(*parameters);
  if (more) more = co_await Open(*parameters);
  while (more && !server_.stopping) more = co_await OneMessage();
  if (more) {
    const std::string text = Fatal("57P01", "the server stops", "connect again later");
    co_await Say(text);
  }
  if (session_) server_.by_number.erase(number_);
  Limit(std::chrono::milliseconds(1000));
  co_await stream_->End();
  NoLimit();
  Failed ignored;
  stream_->socket().close(ignored);
}

}  // namespace

Result<std::unique_ptr<PgServer>> PgServer::Listen(PgOptions options) {
  auto server = std::make_unique<Server>(std::move(options));
  if (auto opened = server->Open(); !opened) return opened.error();
  return std::unique_ptr<PgServer>(std::move(server));
}

}  // namespace kith::pgwire

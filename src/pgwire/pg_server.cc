// Connections: who is there, and then message by message. One thread carries them all; what is asked has others.
#include "pgwire/pg_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <mutex>

#include "base/entropy.h"
#include "pgwire/scram.h"
#include "pgwire/session.h"
#include "server/listening.h"

namespace kith::pgwire {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

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

class PgConnection final : public server::Connection {
 public:
  PgConnection(Server& server, tcp::socket socket, asio::io_context& context)
      : Connection(context, server::PlainStream(std::move(socket))), server_(server) {
    idle_ = false;  // a new client has something to say at once
  }

  asio::awaitable<void> Serve() override;
  /// Somebody who knows its number wants the question stopped.
  void CancelWanted() { cancel_wanted_ = true; }
  const std::string& secret() const { return secret_; }

 private:
  bool Unwanted() override { return cancel_wanted_ || Connection::Unwanted(); }
  asio::awaitable<bool> Fill(std::size_t bytes);
  asio::awaitable<bool> Write(const std::string& bytes);
  asio::awaitable<void> Say(const std::string& bytes);
  asio::awaitable<std::optional<Parameters>> Startup();
  asio::awaitable<bool> Authenticate(const Parameters& parameters);
  asio::awaitable<bool> Recognise(const std::string& name);
  asio::awaitable<void> NotRecognised(const Error& error);
  asio::awaitable<std::optional<std::string>> Password(const std::string& ask);
  asio::awaitable<bool> Open(const Parameters& parameters);
  asio::awaitable<bool> OneMessage();
  asio::awaitable<bool> NothingCame();
  asio::awaitable<bool> Answer(char type, std::string body);

  Server& server_;
  std::string buffer_, out_, secret_;
  std::int32_t number_ = 0;
  people::Identity person_;  // nobody may see anything before they are recognised
  std::unique_ptr<Session> session_;
  bool secure_ = false, cancel_wanted_ = false;
};

class Server final : public PgServer {
 public:
  explicit Server(PgOptions with)
      : options(std::move(with)),
        listener({options.limits.connections, options.limits.of_address, options.limits.grace}),
        questions(options.limits.questions),
        quick(options.limits.quick),
        traffic_(options.log) {
    for (const server::Dataset& each : options.datasets)
      catalogs[each.name] =
          std::make_shared<const Catalog>(each.name, options.version, document::FactsOf(each.curator->policy()));
  }
  ~Server() override {
    questions.Join();
    quick.Join();
  }

  Result<void> Open() {
    if (!options.certificate.empty()) {
      auto made = server::Tls::Make(options.certificate, options.key);
      if (!made) return made.error();
      tls = std::move(*made);
    }
    return listener.Open(options.host, options.port);
  }

  std::uint16_t port() const override { return listener.port(); }
  std::size_t connections() const override { return listener.connections(); }
  void Run(const CancelFlag& stop) override;
  std::string Metrics() const override;

  void Cancel(std::int32_t number, const std::string& secret) {
    const auto found = by_number.find(number);
    if (found != by_number.end() && people::SameSecret(found->second->secret(), secret)) found->second->CancelWanted();
  }
  /// For the log and for metrics. `what` and `sqlstate` are words of this program, never a client's.
  void Note(const std::string& what, const std::string& sqlstate, Clock::duration took, const std::string& user) {
    traffic_.Note(
        fmt::format("kind=\"{}\",sqlstate=\"{}\"", what, sqlstate), took,
        fmt::format("PG {} {} {}ms {}", what, sqlstate,
                    std::chrono::duration_cast<std::chrono::milliseconds>(took).count(), user.empty() ? "-" : user));
  }

  const PgOptions options;
  server::Listener listener;
  server::Workers questions, quick;
  std::unique_ptr<server::Tls> tls;
  std::map<std::string, std::shared_ptr<const Catalog>> catalogs;
  // Only for the thread of the connections.
  std::map<std::int32_t, PgConnection*> by_number;
  std::int32_t last_number = 0;

 private:
  server::Traffic traffic_;
};

void Server::Run(const CancelFlag& stop) {
  listener.Run(stop, [this](tcp::socket socket) -> std::shared_ptr<server::Connection> {
    return std::make_shared<PgConnection>(*this, std::move(socket), listener.context);
  });
}

std::string Server::Metrics() const {
  return traffic_.Totals("kith_pg_statement", "Statements and logins over the PostgreSQL protocol.") +
         fmt::format("# TYPE kith_pg_connections gauge\nkith_pg_connections {}\n", connections());
}

// Until this many bytes are there. Before somebody is recognised no more than these are read, so that nothing sent
// without TLS can be taken for what came with it.
asio::awaitable<bool> PgConnection::Fill(std::size_t bytes) {
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

asio::awaitable<bool> PgConnection::Write(const std::string& bytes) {
  if (bytes.empty()) co_return true;
  Limit(server_.options.limits.write_time);
  const bool written = co_await stream_->Write(bytes);
  NoLimit();
  co_return written;
}

// The last that is said: whether it arrives makes no difference.
asio::awaitable<void> PgConnection::Say(const std::string& bytes) {
  const std::string all = std::exchange(out_, {}) + bytes;
  co_await Write(all);
}

asio::awaitable<std::optional<Parameters>> PgConnection::Startup() {
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

asio::awaitable<std::optional<std::string>> PgConnection::Password(const std::string& ask) {
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

asio::awaitable<void> PgConnection::NotRecognised(const Error& error) {
  const bool fault = error.code != Code::kInvalidArgument;
  const bool wait = error.parameter == people::kTooMany;
  server_.Note("connect", wait ? "53300" : fault ? "58030" : "28P01", {}, "");
  std::string text = Fatal("28P01", "not recognised", "the password is a token; it may have ended or been revoked");
  if (fault) text = Fatal("58030", "users cannot be looked up", "tell whoever runs the server");
  if (wait) text = Fatal("53300", error.what, error.next);
  co_await Say(text);
}

asio::awaitable<bool> PgConnection::Recognise(const std::string& name) {
  const auto people = server_.options.people;
  // Before there is any work: a client that fails all the time is not even asked.
  if (const auto may = people->MayTry(peer_); !may) {
    co_await NotRecognised(may.error());
    co_return false;
  }
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
    co_await NotRecognised(accepted->error());
    co_return false;
  }
  person_ = (*accepted)->who;
  out_ += std::move(Message('R').Int32(12).Bytes("v=" + Base64((*accepted)->server_signature))).Done();
  co_return true;
}

asio::awaitable<bool> PgConnection::Authenticate(const Parameters& parameters) {
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
  if (server_.options.people != nullptr) co_return co_await Recognise(ValueOf(parameters, "user"));
  person_ = people::Identity::Anybody();
  co_return true;
}

asio::awaitable<bool> PgConnection::Open(const Parameters& parameters) {
  std::string wanted = ValueOf(parameters, "database");
  const std::string user = ValueOf(parameters, "user");
  if (wanted.empty()) wanted = user;
  SessionOf of;
  for (const server::Dataset& each : server_.options.datasets) {
    if (each.name == wanted && person_.MaySee(each.name)) of.dataset = &each;
  }
  if (of.dataset == nullptr) {
    server_.Note("connect", "3D000", {}, person_.user);
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
  server_.Note("connect", "00000", {}, session_->user());
  out_ += std::move(Message('R').Int32(0)).Done() + *told;
  out_ += std::move(Message('K').Int32(number_).Bytes(secret_)).Done() + ReadyForQuery('I');
  const std::string all = std::exchange(out_, {});
  co_return co_await Write(all);
}

asio::awaitable<bool> PgConnection::Answer(char type, std::string body) {
  const auto began = Clock::now();
  now_ = CancelFlag();
  const auto reply = std::make_shared<Reply>();
  const auto text = std::make_shared<const std::string>(std::move(body));
  const bool may_ask = Session::MayAsk(type);
  auto handle = [reply, text, type, this, flag = now_] { *reply = session_->Handle(type, *text, flag); };
  const Clock::duration grid = std::max(session_->tick(), std::chrono::milliseconds(20));
  server::Workers& workers = may_ask ? server_.questions : server_.quick;
  cancel_wanted_ = false;
  co_await InThread(workers, grid, std::move(handle));
  co_await UntilTick(began, reply->tick);
  if (!reply->what.empty()) server_.Note(reply->what, reply->sqlstate, Clock::now() - began, session_->user());
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

asio::awaitable<bool> PgConnection::NothingCame() {
  const std::string text = server_.listener.stopping ? Fatal("57P01", "the server stops", "connect again later")
                                                     : Fatal("57P05", "nothing came for too long", "connect again");
  if (server_.listener.stopping || late_) co_await Say(text);
  co_return false;
}

// True: another may follow.
asio::awaitable<bool> PgConnection::OneMessage() {
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

asio::awaitable<void> PgConnection::Serve() {
  Limit(server_.options.limits.startup_time);
  const auto parameters = co_await Startup();
  bool more = parameters.has_value();
  if (more) more = co_await Authenticate(*parameters);
  if (more) more = co_await Open(*parameters);
  while (more && !server_.listener.stopping) more = co_await OneMessage();
  if (more) {
    const std::string text = Fatal("57P01", "the server stops", "connect again later");
    co_await Say(text);
  }
  if (session_) server_.by_number.erase(number_);
  co_await Close();
}

}  // namespace

Result<std::unique_ptr<PgServer>> PgServer::Listen(PgOptions options) {
  auto server = std::make_unique<Server>(std::move(options));
  if (auto opened = server->Open(); !opened) return opened.error();
  return std::unique_ptr<PgServer>(std::move(server));
}

}  // namespace kith::pgwire

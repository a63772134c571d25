// kith serve: policies over HTTP, and over the PostgreSQL protocol.
#include "app/cli/serve.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "base/address.h"
#include "people/people.h"
#include "pgwire/pg_server.h"
#include "release/release.h"
#include "server/api.h"
#include "server/http.h"

namespace kith::cli {
namespace {

struct ServeOptions {
  std::vector<std::string> policies, proxies;
  std::string listen = "127.0.0.1:8400", pg, certificate, key, state;
  bool quiet = false;
  std::optional<double> patience;
};

Result<server::Dataset> Opened(const std::string& file, const Call& call) {
  auto curator = Curator::Open(file, {}, call);
  if (!curator) return curator.error();
  server::Dataset dataset;
  dataset.name = curator->policy().dataset;
  dataset.curator = std::make_shared<const Curator>(std::move(*curator));
  return dataset;
}

// Nothing: there are none.
Result<std::shared_ptr<people::People>> PeopleIn(const std::string& state) {
  if (state.empty()) return std::shared_ptr<people::People>();
  auto people = people::People::Open(state, false);
  if (!people) return people.error();
  const auto users = people->List();
  if (!users) return users.error();
  if (users->empty()) return InvalidArgument("there are no users in this folder", state, "kith user add");
  return std::make_shared<people::People>(std::move(*people));
}

Result<std::vector<server::Dataset>> OpenAll(const std::vector<std::string>& files, const Call& call) {
  std::vector<server::Dataset> all;
  for (const std::string& file : files) {
    auto dataset = Opened(file, call);
    if (!dataset) return dataset.error();
    if (!server::CanBeInAddress(dataset->name))
      return InvalidArgument("the name of the dataset cannot be part of an address", file,
                             "name it ([data] name, or the policy's file) with letters, digits, '_', '-' and '.'");
    for (const server::Dataset& other : all) {
      if (other.name == dataset->name)
        return InvalidArgument(fmt::format("two policies have the name '{}'", dataset->name), file,
                               "rename one of them");
    }
    all.push_back(std::move(*dataset));
  }
  return all;
}

// An address, if nobody unknown can ask there.
Result<std::pair<std::string, std::uint16_t>> PlaceOf(const std::string& text, bool tls, bool users) {
  auto place = server::HostAndPort(text);
  if (!place || server::IsLoopback(place->first) || (tls && users)) return place;
  return InvalidArgument(fmt::format("other machines could ask, and {}",
                                     tls ? "nobody would know who they are" : "everything could be read on the way"),
                         text, "listen on 127.0.0.1, or give --state with users, --tls-certificate and --tls-key");
}

std::string Shown(const std::string& host) { return host.find(':') == std::string::npos ? host : "[" + host + "]"; }

// Nothing: it is not wanted.
Result<std::unique_ptr<pgwire::PgServer>> PgOf(const ServeOptions& options, const server::Api::Options& with) {
  if (options.pg.empty()) return std::unique_ptr<pgwire::PgServer>();
  const auto place = PlaceOf(options.pg, !options.certificate.empty(), with.people != nullptr);
  if (!place) return place.error();
  pgwire::PgOptions pg;
  pg.host = place->first;
  pg.port = place->second;
  pg.certificate = options.certificate;
  pg.key = options.key;
  pg.only_tls = !server::IsLoopback(place->first);
  pg.datasets = with.datasets;
  pg.people = with.people;
  pg.version = with.version;
  pg.tell = with.tell;
  pg.log = with.log;
  if (options.patience) {
    const std::chrono::milliseconds time(static_cast<std::int64_t>(*options.patience * 1000));
    pg.limits.startup_time = pg.limits.message_time = time;
  }
  auto server = pgwire::PgServer::Listen(std::move(pg));
  if (server) Tell(fmt::format("kith listens on postgresql://{}:{}\n", Shown(place->first), (*server)->port()));
  return server;
}

// Whatever is still being computed: a charge is on disk before data are read, so that nothing is lost by it.
void EndInTime(const CancelFlag& cancel) {
  static constexpr std::chrono::seconds kLongest(25);  // docs/guide/server.md; systemd waits for 30
  std::thread([cancel] {
    while (!cancel.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::this_thread::sleep_for(kLongest);
    Tell("kith: stopped, although something was still being computed; what was charged stays charged\n");
    std::_Exit(0);
  }).detach();
}

int Serve(const ServeOptions& options, const CancelFlag& cancel) {
  EndInTime(cancel);
  const bool tls = !options.certificate.empty();
  const auto people = PeopleIn(options.state);
  if (!people) return Fail(people.error(), false);
  const auto place = PlaceOf(options.listen, tls, *people != nullptr);
  if (!place) return Fail(place.error(), false);
  const bool own = server::IsLoopback(place->first);
  auto datasets = OpenAll(options.policies, TerminalCall(cancel));
  if (!datasets) return Fail(datasets.error(), false);
  server::HttpServer* running = nullptr;
  server::Api::Options with;
  with.datasets = std::move(*datasets);
  with.people = *people;
  with.version = KITH_VERSION;
  with.only_loopback = own;
  with.tell = [](const std::string& text) { Tell("kith: " + text + "\n"); };
  if (!options.quiet) with.log = [](const std::string& line) { Tell(line + "\n"); };
  with.connections = [&running] { return running == nullptr ? 0 : running->connections(); };
  const auto pg = PgOf(options, with);
  if (!pg) return Fail(pg.error(), false);
  if (*pg) with.more_metrics = [beside = pg->get()] { return beside->Metrics(); };
  server::Api api(std::move(with));
  server::ListenOptions listen;
  listen.host = place->first;
  listen.port = place->second;
  listen.certificate = options.certificate;
  listen.key = options.key;
  for (const std::string& proxy : options.proxies) {
    auto address = IpAddressOf(proxy);
    if (!address)
      return Fail(InvalidArgument("not the address of a proxy", proxy, "write an IP address, such as 127.0.0.1"),
                  false);
    listen.proxies.push_back(std::move(*address));
  }
  if (options.patience) {
    const std::chrono::milliseconds time(static_cast<std::int64_t>(*options.patience * 1000));
    listen.limits.header_time = listen.limits.body_time = time;
  }
  const auto http = server::HttpServer::Listen(listen, api.AsService());
  if (!http) return Fail(http.error(), false);
  running = http->get();
  Tell(fmt::format("kith listens on {}://{}:{}\n", tls ? "https" : "http", Shown(place->first), (*http)->port()));
  if (*people == nullptr)
    Tell(
        "kith: there are no users: whoever can open a connection on this machine may ask, as one analyst without a "
        "name\n");
  std::thread beside;
  if (*pg) beside = std::thread([&pg, cancel] { (*pg)->Run(cancel); });
  (*http)->Run(cancel);
  if (beside.joinable()) beside.join();
  Tell("kith: stopped\n");
  return 0;
}

}  // namespace

bool IsRemoteVerb(const std::string& verb) {
  return verb == "columns" || verb == "query" || verb == "explain" || verb == "budget" || verb == "plan" ||
         verb == "analyse" || verb == "audit" || verb == "approvals";
}

void AddServe(Command& app, Context& context) {
  auto* command = app.AddVerb("serve", "Serve policies over HTTP, with a page for browsers, and to PostgreSQL clients");
  command->Footer(
      "Example:\n  kith serve people.toml visits.toml --listen 127.0.0.1:8400\n"
      "  curl http://127.0.0.1:8400/v1/datasets\n"
      "  kith serve people.toml --pg 127.0.0.1:5433\n"
      "  psql \"host=127.0.0.1 port=5433 dbname=people options='-c kith.epsilon=0.1'\"\n"
      "A browser finds a page for people at the same address. "
      "Without users it listens on this machine alone. The log has method, route, status, time and user of each "
      "request "
      "on standard error. See docs/guide/server.md.");
  auto options = std::make_shared<ServeOptions>();
  command
      ->AddOption("policies", options->policies, "Policy files; each is a dataset, named by [data] name or as its file")
      ->Required();
  command->AddOption("--listen", options->listen, "Address and port; port 0: any that is free")->ShowDefault();
  command->AddOption("--pg", options->pg,
                     "Address and port for the PostgreSQL protocol, such as 127.0.0.1:5433; not spoken if left out");
  command->AddOption("--state", options->state, "The folder with users (kith user): tokens are then asked for");
  auto* certificate = command->AddOption("--tls-certificate", options->certificate, "Speak TLS: certificates in PEM");
  auto* key = command->AddOption("--tls-key", options->key, "The certificate's private key in PEM");
  certificate->Needs(key);
  key->Needs(certificate);
  command->AddOption("--proxy", options->proxies,
                     "Addresses of proxies in front of HTTP: they say whose a request is (X-Forwarded-For)");
  command
      ->AddOption("--patience", options->patience,
                  "Seconds that a client has to send a header, and then a body; 10 and 30 if left out")
      ->Within(0.1, 3600.0);
  command->AddFlag("--quiet", options->quiet, "Do not log requests");
  command->Run([options, &context] { context.exit_code = Serve(*options, *context.cancel); });
}

}  // namespace kith::cli

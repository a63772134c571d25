// Repeats a sample of a network that `kith transfer --sample` kept, and works out the limits again. Written from
// docs/theory/transfer.md alone: it shares no line with kith and reads only the sample and the list of edges.
//
//   g++ -O2 -std=c++20 examples/verify/network.cc -o verify-network
//   ./verify-network friends.sample.json friends.csv 0.7        one theta for all ties, as the policy says
//                                                              (the logarithm of the largest odds ratio)
//   ./verify-network friends.sample.json friends.csv            a third column: theta of each tie
//
// It prints the limit of the dependent loss at each plain loss, and ends with 1 if anything differs from the sample.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

[[noreturn]] void Stop(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

// ---------------------------------------------------------------- the sample: the text after "name": up to , } or ]
struct Loss {
  double plain;
  std::uint32_t part;
  std::uint64_t runs, largest;
  std::uint32_t record;
};
struct Sample {
  std::uint32_t records = 0;
  std::uint64_t edges = 0;
  int sweeps = 0;
  std::array<std::uint32_t, 8> key{};
  std::vector<Loss> losses;
};

std::string After(const std::string& text, const std::string& name, std::size_t from = 0) {
  std::size_t at = text.find("\"" + name + "\"", from);
  if (at == std::string::npos) Stop("the sample has no " + name);
  at = text.find(':', at) + 1;
  while (text[at] == ' ' || text[at] == '"' || text[at] == '\n') ++at;
  return text.substr(at, text.find_first_of(",}]\"\n", at) - at);
}

Sample ReadSample(const char* file) {
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Sample sample;
  sample.records = static_cast<std::uint32_t>(std::stoul(After(text, "records")));
  sample.edges = std::stoull(After(text, "edges"));
  sample.sweeps = std::stoi(After(text, "sweeps"));
  const std::string key = After(text, "key");
  if (key.size() != 64) Stop("the key is not 32 bytes");
  for (std::size_t k = 0; k < 32; ++k)
    sample.key[k / 4] |= static_cast<std::uint32_t>(std::stoul(key.substr(2 * k, 2), nullptr, 16)) << (8 * (k % 4));
  std::size_t at = text.find('{', text.find("\"losses\""));
  while (at != std::string::npos) {
    const std::string one = text.substr(at, text.find('}', at) + 1 - at);
    sample.losses.push_back({std::stod(After(one, "plain")), static_cast<std::uint32_t>(std::stoul(After(one, "part"))),
                             std::stoull(After(one, "runs")), std::stoull(After(one, "largest")),
                             static_cast<std::uint32_t>(std::stoul(After(one, "record")))});
    const std::size_t end = text.find('}', at), next = text.find('{', end), close = text.find(']', end);
    at = next < close ? next : std::string::npos;
  }
  return sample;
}

// ---------------------------------------------------------------- the network
struct Edge {
  std::uint32_t a, b;
  double theta;
};

/// Names that are all numbers below `records` are the records; others are numbered as they appear. The first line names
/// the columns. Columns are separated by a comma, semicolon or tab.
std::vector<Edge> ReadEdges(const char* file, std::uint32_t records, double theta) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  std::vector<std::array<std::string, 3>> rows;
  bool numbers = true;
  while (std::getline(in, line)) {
    for (char& c : line) c = c == ',' || c == ';' || c == '\t' || c == '\r' ? ' ' : c;
    std::istringstream words(line);
    std::array<std::string, 3> row;
    if (!(words >> row[0] >> row[1])) continue;
    words >> row[2];
    for (int k = 0; k < 2; ++k) {
      numbers = numbers && row[k].find_first_not_of("0123456789") == std::string::npos && row[k].size() < 10 &&
                std::stoul(row[k]) < records;
    }
    rows.push_back(row);
  }
  std::map<std::string, std::uint32_t> named;
  const auto number = [&](const std::string& name) {
    if (numbers) return static_cast<std::uint32_t>(std::stoul(name));
    return named.emplace(name, static_cast<std::uint32_t>(named.size())).first->second;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> ties;
  for (const auto& row : rows) {
    const std::uint32_t a = number(row[0]), b = number(row[1]);
    if (a == b) continue;
    ties[{std::min(a, b), std::max(a, b)}] = theta > 0 ? theta : std::stod(row[2]);
  }
  std::vector<Edge> edges;
  for (const auto& [ends, strength] : ties) edges.push_back({ends.first, ends.second, strength});
  return edges;  // in the order of their lower, then their upper record
}

// ---------------------------------------------------------------- coins: ChaCha20, RFC 8439
class Coins {
 public:
  Coins(const std::array<std::uint32_t, 8>& key, std::uint32_t part, std::uint64_t stream) {
    state_ = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    std::copy(key.begin(), key.end(), state_.begin() + 4);
    state_[13] = part;
    state_[14] = static_cast<std::uint32_t>(stream);
    state_[15] = static_cast<std::uint32_t>(stream >> 32);
  }
  std::uint32_t Next() {
    if (at_ == 16) Block();
    return out_[at_++];
  }

 private:
  static std::uint32_t Turn(std::uint32_t x, int by) { return x << by | x >> (32 - by); }
  static void Quarter(std::array<std::uint32_t, 16>& x, int a, int b, int c, int d) {
    x[a] += x[b], x[d] = Turn(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = Turn(x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = Turn(x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = Turn(x[b] ^ x[c], 7);
  }
  void Block() {
    auto x = state_;
    for (int round = 0; round < 10; ++round) {
      for (int k = 0; k < 4; ++k) Quarter(x, k, 4 + k, 8 + k, 12 + k);
      for (int k = 0; k < 4; ++k) Quarter(x, k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4);
    }
    for (int k = 0; k < 16; ++k) out_[k] = x[k] + state_[k];
    ++state_[12];
    at_ = 0;
  }
  std::array<std::uint32_t, 16> state_{}, out_{};
  int at_ = 16;
};

// ---------------------------------------------------------------- one run
/// A probability in units of 2^-32, rounded up: at most 2 more than the exact value, never less.
std::uint64_t RoundedUp(long double probability) {
  return static_cast<std::uint64_t>(std::ceil(std::min(1.0L, probability * (1 + 1e-14L)) * 4294967296.0L));
}

class Run {
 public:
  Run(const std::vector<Edge>& edges, std::uint32_t records, double plain) : edges_(edges), records_(records) {
    for (std::uint32_t v = 0; v < records; ++v) edges_.push_back({v, records, plain});
    for (const Edge& e : edges_) {
      const long double half = static_cast<long double>(e.theta) / 2;
      connected_.push_back(RoundedUp(-std::expm1(-half)));
      apart_.push_back(RoundedUp(std::tanh(half / 2)));
    }
    ties_of_.resize(records + 1);
    for (std::uint32_t e = 0; e < edges_.size(); ++e) {
      ties_of_[edges_[e].a].push_back(e);
      ties_of_[edges_[e].b].push_back(e);
    }
    seen_.assign(records + 1, 0);
  }

  /// Adds 1 to each record that is connected with the extra one at the end.
  void Go(Coins coins, int sweeps, std::vector<std::uint64_t>& hits) {
    open_.assign(edges_.size(), true);
    open_ties_ = ties_of_;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (std::uint32_t e = 0; e < edges_.size(); ++e) {
        const std::uint32_t word = coins.Next();
        // Only between the two limits does it matter whether the ends are connected.
        Set(e, word < apart_[e] || (word < connected_[e] && Reaches(edges_[e].a, edges_[e].b, e)));
      }
    }
    Reaches(records_, records_ + 1, static_cast<std::uint32_t>(edges_.size()));
    for (std::uint32_t v = 0; v < records_; ++v) hits[v] += seen_[v] == now_ ? 1 : 0;
  }

 private:
  void Set(std::uint32_t e, bool open) {
    if (open == open_[e]) return;
    open_[e] = open;
    for (const std::uint32_t v : {edges_[e].a, edges_[e].b}) {
      auto& ties = open_ties_[v];
      if (open) {
        ties.push_back(e);
      } else {
        ties.erase(std::find(ties.begin(), ties.end(), e));
      }
    }
  }
  /// Marks what is connected with `from` without edge `but`, until `to` is met.
  bool Reaches(std::uint32_t from, std::uint32_t to, std::uint32_t but) {
    ++now_;
    todo_.assign(1, from);
    seen_[from] = now_;
    for (std::size_t k = 0; k < todo_.size(); ++k) {
      for (const std::uint32_t e : open_ties_[todo_[k]]) {
        const std::uint32_t next = edges_[e].a == todo_[k] ? edges_[e].b : edges_[e].a;
        if (e == but || seen_[next] == now_) continue;
        if (next == to) return true;
        seen_[next] = now_;
        todo_.push_back(next);
      }
    }
    return false;
  }

  std::vector<Edge> edges_;
  std::uint32_t records_;
  std::vector<std::uint64_t> connected_, apart_;
  std::vector<std::vector<std::uint32_t>> ties_of_, open_ties_;
  std::vector<bool> open_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t now_ = 0;
  std::vector<std::uint32_t> todo_;
};

// ---------------------------------------------------------------- limits
/// Whether so few hits have a chance of at most 2^-60 / (8 records) at probability q. Added up from the largest term.
bool Unlikely(std::uint64_t hits, std::uint64_t runs, long double q, std::uint32_t records) {
  const auto n = static_cast<long double>(runs), k = static_cast<long double>(hits);
  const long double first =
      std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(q) + (n - k) * std::log1p(-q);
  long double term = 1, sum = 1;
  for (std::uint64_t j = hits; j > 0; --j) {
    term *= static_cast<long double>(j) * (1 - q) / ((n - static_cast<long double>(j) + 1) * q);
    sum += term;
  }
  return first + std::log(sum) <= -60 * std::log(2.0L) - std::log(8.0L * records);
}

double LimitOf(const Loss& at, std::uint32_t records) {
  if (at.largest == at.runs) return INFINITY;
  long double low = static_cast<long double>(at.largest) / static_cast<long double>(at.runs), high = 1;
  for (int step = 0; step < 60; ++step) {
    const long double middle = (low + high) / 2;
    (Unlikely(at.largest, at.runs, middle, records) ? high : low) = middle;
  }
  return static_cast<double>(std::max<long double>(at.plain, 4 * std::atanh(high)));
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) Stop("usage: verify-network SAMPLE.json EDGES.csv [THETA]");
  const Sample sample = ReadSample(words[1]);
  const double theta = count > 3 ? std::stod(words[3]) : 0;
  const std::vector<Edge> edges = ReadEdges(words[2], sample.records, theta);
  if (edges.size() != sample.edges) Stop("the sample is of a network with another number of ties");
  bool same = true;
  for (const Loss& at : sample.losses) {
    const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::vector<std::uint64_t>> hits(threads, std::vector<std::uint64_t>(sample.records, 0));
    std::vector<std::jthread> workers;
    for (unsigned t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        Run run(edges, sample.records, at.plain);
        for (std::uint64_t r = t; r < at.runs; r += threads)
          run.Go(Coins(sample.key, at.part, r), sample.sweeps, hits[t]);
      });
    }
    workers.clear();
    for (unsigned t = 1; t < threads; ++t) {
      for (std::size_t v = 0; v < hits[0].size(); ++v) hits[0][v] += hits[t][v];
    }
    const auto most = std::max_element(hits[0].begin(), hits[0].end());
    const bool ok = *most == at.largest && most - hits[0].begin() == at.record;
    std::printf("plain %-12.6g %llu of %llu runs connect record %u: %s; dependent at most %.6f\n", at.plain,
                static_cast<unsigned long long>(at.largest), static_cast<unsigned long long>(at.runs), at.record,
                ok ? "the same" : "DIFFERENT", LimitOf(at, sample.records));
    same = same && ok;
  }
  return same ? 0 : 1;
}

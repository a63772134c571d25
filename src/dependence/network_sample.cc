#include "dependence/network_sample.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>

namespace kith {
namespace {

constexpr char kFormat[] = "kith network sample 1";

std::string KeyText(const std::array<unsigned char, 32>& key) {
  std::string text;
  for (const unsigned char byte : key) text += fmt::format("{:02x}", byte);
  return text;
}

bool ReadKey(const std::string& text, std::array<unsigned char, 32>& key) {
  if (text.size() != 2 * key.size()) return false;
  for (std::size_t k = 0; k < key.size(); ++k) {
    const char* const from = text.data() + 2 * k;
    if (std::from_chars(from, from + 2, key[k], 16).ptr != from + 2) return false;
  }
  return true;
}

bool MakesSense(const NetworkSample& sample) {
  double before = 0;
  std::set<std::uint32_t> parts;
  for (const SampledLoss& at : sample.losses) {
    if (!(at.plain > before && std::isfinite(at.plain))) return false;
    if (at.runs < 1 || at.runs > NetworkSample::kMostRuns || at.largest > at.runs || at.record >= sample.records)
      return false;
    if (!parts.insert(at.part).second) return false;
    before = at.plain;
  }
  return !sample.losses.empty() && sample.losses.size() <= NetworkSample::kMostLosses && sample.records >= 1 &&
         sample.sweeps >= 1 && sample.sweeps <= NetworkSample::kMostSweeps;
}

}  // namespace

Json JsonOf(const NetworkSample& sample) {
  Json losses = Json::array();
  for (const SampledLoss& at : sample.losses) {
    losses.push_back({{"plain", at.plain},
                      {"part", at.part},
                      {"runs", at.runs},
                      {"largest", at.largest},
                      {"record", at.record},
                      {"counts", at.counts}});
  }
  return {{"format", kFormat},          {"graph", sample.graph},      {"records", sample.records},
          {"edges", sample.edges},      {"key", KeyText(sample.key)}, {"sweeps", sample.sweeps},
          {"losses", std::move(losses)}};
}

Result<NetworkSample> NetworkSampleOf(const Json& json) {
  const auto wrong = [](const char* what) {
    return InvalidArgument(what, "sampled", "sample the network of this policy, and name the file that was written");
  };
  NetworkSample sample;
  try {
    if (json.at("format") != kFormat) return wrong("this is not a sample of a network");
    sample.graph = json.at("graph").get<std::string>();
    sample.records = json.at("records").get<std::uint32_t>();
    sample.edges = json.at("edges").get<std::uint64_t>();
    sample.sweeps = json.at("sweeps").get<int>();
    if (!ReadKey(json.at("key").get<std::string>(), sample.key)) return wrong("the key of a sample is not 32 bytes");
    for (const Json& at : json.at("losses")) {
      sample.losses.push_back({at.at("plain").get<double>(), at.at("part").get<std::uint32_t>(),
                               at.at("runs").get<std::uint64_t>(), at.at("largest").get<std::uint64_t>(),
                               at.at("record").get<std::uint32_t>(), at.at("counts").get<std::string>()});
    }
  } catch (const JsonError&) {
    return wrong("this is not a sample of a network");
  }
  if (!MakesSense(sample)) return wrong("the numbers of this sample of a network make no sense");
  return sample;
}

}  // namespace kith

#include "release/kept_graph.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <system_error>

#include "base/digest.h"
#include "base/json.h"
#include "base/private_folder.h"

namespace kith {
namespace {

namespace fs = std::filesystem;
/// All that decides what is read where, besides the state of the table.
std::string DeclarationOf(const Policy& policy) {
  const EdgesFile& edges = *policy.dependence.edges;
  const Table* table = policy.FindTable(edges.source);
  std::string text = fmt::format("kith graph in a table 1\n{}\n{}\n{}\n{}\n", policy.engine, policy.server.Text(),
                                 table->source, policy.dependence.canonical);
  for (const std::string& more : table->more_sources) text += more + "\n";
  for (const std::string& name : {edges.from, edges.to, edges.strength}) {
    const Column* column = table->Find(name);
    text += fmt::format("{} {}\n", name, column == nullptr ? -1 : static_cast<int>(column->type));
  }
  return Sha256(text);
}

}  // namespace

std::optional<Json> ReadKept(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (text.size() < 65 || Sha256(text.substr(65)) != text.substr(0, 64)) return std::nullopt;
  Json kept = Json::parse(text.substr(65), nullptr, false);
  if (kept.is_discarded()) return std::nullopt;
  return kept;
}

void WriteKept(const fs::path& file, const Json& kept) {
  const std::string text = kept.dump();
  if (MakePrivateFolder(file.parent_path())) return;
  const fs::path scratch = file.string() + fmt::format(".{}", getpid());
  {
    std::ofstream out(scratch, std::ios::binary);
    out << Sha256(text) << "\n" << text;
    if (!out.flush()) return;
  }
  std::error_code ignored;
  fs::rename(scratch, file, ignored);
}

SeenGraph::SeenGraph(const Policy& policy, const std::optional<std::string>& state)
    : file_(fs::absolute(policy.file).parent_path() / ".kith" /
            fmt::format("seen-{}.json", DeclarationOf(policy).substr(0, 32))),
      state_(state ? Sha256(*state) : "") {}

std::optional<std::string> SeenGraph::Content() const {
  const auto kept = state_.empty() ? std::nullopt : ReadKept(file_);
  if (!kept || kept->value("state", "") != state_ || !kept->contains("content")) return std::nullopt;
  return kept->at("content").get<std::string>();
}

void SeenGraph::KeepContent(const std::string& content) const {
  if (!state_.empty()) WriteKept(file_, {{"state", state_}, {"content", content}});
}

std::optional<LinkCounts> SeenGraph::Counts() const {
  const auto kept = state_.empty() ? std::nullopt : ReadKept(file_);
  if (!kept || kept->value("state", "") != state_ || !kept->contains("counts")) return std::nullopt;
  const auto numbers = kept->at("counts").get<std::vector<std::int64_t>>();
  if (numbers.size() != 4) return std::nullopt;
  return LinkCounts{numbers[0], numbers[1], numbers[2], numbers[3]};
}

void SeenGraph::KeepCounts(const LinkCounts& counts) const {
  if (state_.empty()) return;
  WriteKept(file_, {{"state", state_},
                    {"counts", Json::array({counts.rows, counts.records, counts.links, counts.largest_degree})}});
}

}  // namespace kith

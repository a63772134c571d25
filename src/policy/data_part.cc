#include "policy/data_part.h"

#include "base/text_file.h"
#include "policy/document.h"
#include "policy/sections/sections.h"

namespace kith {

Result<Policy> LoadDataPart(const std::filesystem::path& file) {
  const auto text = ReadTextFile(file, kMaxPolicyBytes);
  if (!text) return text.error();
  const std::string name = file.string();
  const auto document = ReadDocument(*text, name);
  if (!document) return document.error();
  const Section root(name, "the file", document->last_line, document->root);
  const Member* member = root.Find("data");
  if (member == nullptr) {
    return root.At(root.line(), "the file has no [data]",
                   "add [data] with engine, where its server is, and tables.NAME = \"schema.table\"");
  }
  const auto section = root.Table(*member, "[data]", "[data] on a line of its own");
  if (!section) return section.error();
  Policy policy;
  policy.file = file;
  if (auto read = ReadData(*section, policy); !read) return read.error();
  const Member* tables = section->Find("tables");
  if (policy.engine == "duckdb") {
    return section->At(tables->line, "these tables are files, and files say themselves what is in them",
                       "name the file itself instead of this one");
  }
  if (policy.tables.size() != 1) {
    return section->At(tables->line, "several tables are named",
                       "keep the one whose records are to be protected; others are added to the policy by hand");
  }
  return policy;
}

}  // namespace kith

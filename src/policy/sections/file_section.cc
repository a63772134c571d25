// How the files of a table are written: what is declared next to 'source', and what single columns override.
#include <fmt/format.h>

#include <algorithm>

#include "policy/sections/sections.h"

namespace kith {
namespace {

constexpr std::size_t kMostFiles = 1000;
constexpr std::size_t kMostMarks = 100;

Result<std::vector<std::string>> Texts(const Section& section, const Member& member, const std::string& example) {
  std::vector<std::string> texts;
  for (const Node& item : member.value.items) {
    const auto* text = item.kind == NodeKind::kText ? std::get_if<std::string>(&item.leaf) : nullptr;
    if (text == nullptr || text->empty() ||
        std::any_of(text->begin(), text->end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; })) {
      return section.At(item.line,
                        fmt::format("{} of {} lists something that is no text", Quote(member.key), section.title()),
                        "write " + example);
    }
    if (std::find(texts.begin(), texts.end(), *text) != texts.end()) {
      return section.At(item.line,
                        fmt::format("{} of {} lists {} twice", Quote(member.key), section.title(), Quote(*text)),
                        "list it once");
    }
    texts.push_back(*text);
  }
  return texts;
}

Result<void> ReadSeparator(const Section& section, FileFormat& format) {
  const Member* member = section.Find("separator");
  if (member == nullptr) return {};
  const auto* text = member->value.kind == NodeKind::kText ? std::get_if<std::string>(&member->value.leaf) : nullptr;
  if (text == nullptr || text->size() != 1 || !IsSeparator(text->front())) {
    return section.At(member->line, fmt::format("'separator' of {} is not one that kith knows", section.title()),
                      R"(write one of ",", ";", "|", "\t" (a tab) and " " (one blank))");
  }
  format.separator = text->front();
  return {};
}

Result<void> ReadEncoding(const Section& section, FileFormat& format) {
  const Member* member = section.Find("encoding");
  if (member == nullptr) return {};
  auto text = section.Text(*member);
  if (!text) return text.error();
  format.encoding = EncodingOf(*text);
  if (!format.encoding.empty()) return {};
  return section.At(member->line, fmt::format("{} has an unknown encoding {}", section.title(), Quote(*text)),
                    Suggest(*text, Encodings()));
}

Result<void> ReadDecimal(const Section& section, FileFormat& format) {
  const Member* member = section.Find("decimal");
  if (member == nullptr) return {};
  auto text = section.Text(*member);
  if (!text) return text.error();
  if (*text != "." && *text != ",") {
    return section.At(member->line, fmt::format("'decimal' of {} must be a point or a comma", section.title()),
                      R"(write decimal = "," if numbers look like 3,5)");
  }
  format.decimal = text->front();
  return {};
}

// A file of any other kind says itself how it is read.
Result<void> CheckKind(const Section& section, const Table& table) {
  if (IsCsvName(table.source)) return {};
  for (const char* key : {"separator", "decimal", "encoding", "row_names"}) {
    if (const Member* member = section.Find(key)) {
      return section.At(member->line, fmt::format("'{}' of {} is only for CSV files", key, section.title()),
                        "remove it: Parquet and DuckDB files say this themselves");
    }
  }
  return {};
}

}  // namespace

Result<void> ReadSources(const Section& section, const Member& source, Table& table) {
  if (source.value.kind != NodeKind::kList) {
    auto text = section.Text(source);
    if (!text) return text.error();
    table.source = *text;
    return {};
  }
  const std::string example = R"(source = ["first.parquet", "second.parquet"])";
  auto files = Texts(section, source, example);
  if (!files) return files.error();
  if (files->empty() || files->size() > kMostFiles) {
    return section.At(
        source.line, fmt::format("{} lists {} files; 1 to {} are possible", section.title(), files->size(), kMostFiles),
        "write " + example);
  }
  for (const std::string& file : *files) {
    if (files->size() == 1 || (FoldName(file).ends_with(".parquet") && !IsPattern(file))) continue;
    return section.At(source.line,
                      fmt::format("{} lists {}: several files of one table must be Parquet files, each by its name",
                                  section.title(), Quote(file)),
                      "write " + example + ", or put the files together first");
  }
  table.source = files->front();
  table.more_sources.assign(files->begin() + 1, files->end());
  return {};
}

Result<std::vector<std::string>> ReadMissing(const Section& section) {
  const Member* member = section.Find("missing");
  if (member == nullptr) return std::vector<std::string>();
  const std::string example = R"(missing = ["NA", "-99"])";
  if (member->value.kind != NodeKind::kList || member->value.items.size() > kMostMarks) {
    return section.At(member->line, fmt::format("'missing' of {} must be a list of texts", section.title()),
                      "write " + example);
  }
  auto marks = Texts(section, *member, example);
  if (!marks) return marks;
  for (const std::string& mark : *marks) {
    if (mark.front() != ' ' && mark.back() != ' ') continue;
    return section.At(member->line,
                      fmt::format("'missing' of {} lists a text with a blank at its end", section.title()),
                      "leave the blank out: blanks around a value do not matter here");
  }
  return marks;
}

Result<std::string> ReadDates(const Section& section) {
  const Member* member = section.Find("dates");
  if (member == nullptr) return std::string();
  auto format = section.Text(*member);
  if (!format) return format;
  if (const std::string problem = DateFormatProblem(*format); !problem.empty()) {
    return section.At(
        member->line, fmt::format("'dates' of {} {}", section.title(), problem),
        "write it like \"%d.%m.%Y\" for 31.12.1999, with %d %m %Y, %y (two digits), %b or %B (a month's English "
        "name), %j (day of the year), and %H %M %S %f or %I %p for times");
  }
  return format;
}

Result<void> ReadFileFormat(const Section& section, Table& table) {
  FileFormat& format = table.format;
  if (auto ok = CheckKind(section, table); !ok) return ok;
  if (auto ok = ReadSeparator(section, format); !ok) return ok;
  if (auto ok = ReadEncoding(section, format); !ok) return ok;
  if (auto ok = ReadDecimal(section, format); !ok) return ok;
  auto row_names = section.Flag("row_names");
  if (!row_names) return row_names.error();
  format.row_names = *row_names;
  const bool tabs = FoldName(table.source).find(".tsv") != std::string::npos;
  if (format.decimal == ',' && !format.separator && !tabs) {
    return section.At(section.Find("decimal")->line,
                      fmt::format("{} has commas both between fields and in numbers", section.title()),
                      "declare the separator too: separator = \";\"");
  }
  auto missing = ReadMissing(section);
  if (!missing) return missing.error();
  format.missing = *std::move(missing);
  auto dates = ReadDates(section);
  if (!dates) return dates.error();
  format.dates = *std::move(dates);
  return {};
}

Result<void> ReadColumnReading(const Section& section, const Table& table, Column& column) {
  ColumnReading& reading = column.reading;
  const bool number = column.type == ColumnType::kInteger || column.type == ColumnType::kReal;
  const bool time = column.type == ColumnType::kTimestamp;
  if (number) reading.decimal = table.format.decimal;
  auto missing = ReadMissing(section);
  if (!missing) return missing.error();
  reading.missing = section.Find("missing") != nullptr ? *std::move(missing) : table.format.missing;
  auto dates = ReadDates(section);
  if (!dates) return dates.error();
  if (!dates->empty() && !time && column.type != ColumnType::kDate) {
    return section.At(section.Find("dates")->line, fmt::format("{} has 'dates' but holds no dates", section.title()),
                      "write type = \"date\" or \"timestamp\", or remove it");
  }
  const bool fits =
      time ? HasTimeOfDay(table.format.dates) : column.type == ColumnType::kDate && !HasTimeOfDay(table.format.dates);
  reading.dates = !dates->empty() ? *std::move(dates) : fits ? table.format.dates : std::string();
  return {};
}

}  // namespace kith

#include "experiment/figure_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/text_file.h"
#include "experiment/catalogue.h"

namespace kith::experiment {
namespace {

namespace fs = std::filesystem;

/// Paragraphs that go into Markdown as they are.
std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '*' || c == '_' || c == '<' || c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string Markdown(const Figure& figure, const std::string& command, const std::string& label) {
  std::string text = fmt::format("# {}\n\n{}\n\n{}\n\n", figure.name, Escaped(figure.about), Escaped(figure.setting));
  for (const Panel& panel : figure.panels)
    text += fmt::format("{0}: [{1}.csv]({1}.csv)\n\n", Escaped(panel.title), panel.file);
  const std::pair<const char*, const std::string*> parts[] = {
      {"Published", &figure.published}, {"Here", &figure.here}, {"Why", &figure.why}};
  for (const auto& [title, part] : parts) {
    if (!part->empty()) text += fmt::format("**{}.** {}\n\n", title, Escaped(*part));
  }
  for (const auto& note : figure.notes) text += fmt::format("* {}\n", Escaped(note));
  text += fmt::format("\nMade by\n\n    {}\n", command);
  if (!label.empty()) text += fmt::format("\nwith kith at {}.\n", label);
  return text;
}

const char* FormWord(Form form) {
  switch (form) {
    case Form::kBars:
      return "bars";
    case Form::kPairs:
      return "pairs";
    case Form::kNetwork:
      return "network";
    case Form::kLines:
      break;
  }
  return "lines";
}

Result<Json> ReadJson(const fs::path& file) {
  const auto text = ReadTextFile(file);
  if (!text) return text.error();
  auto parsed = Json::parse(*text, nullptr, false);
  if (parsed.is_discarded() || !parsed.is_object())
    return InvalidArgument("the file is not what a figure leaves behind", file.string(), "make the figure again");
  return parsed;
}

std::string Text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

/// One figure of the index.
struct Line {
  std::string name, about, setting, published, here, why;
  std::vector<std::string> panels;
};

Line LineOf(const std::string& name, const Json& json) {
  Line line{
      name, Text(json, "about"), Text(json, "setting"), Text(json, "published"), Text(json, "here"), Text(json, "why"),
      {}};
  for (const auto& panel : json.value("panels", Json::array())) {
    if (panel.is_object()) line.panels.push_back(Text(panel, "file"));
  }
  return line;
}

}  // namespace

std::string MarkOf(const std::string& name, const Settings& settings, const std::string& data,
                   const std::string& version) {
  return JsonText({{"figure", name},
                   {"epsilons", settings.epsilons},
                   {"repetitions", settings.repetitions},
                   {"seed", settings.seed},
                   {"least", settings.least},
                   {"data", data},
                   {"kith", version}});
}

std::string DataMark(const fs::path& folder) {
  std::map<std::string, std::uintmax_t> sizes;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed), end;
       !failed && at != end && sizes.size() < 10'000; at.increment(failed)) {
    if (at.depth() >= 1) at.disable_recursion_pending();
    std::error_code ignored;
    if (at->is_regular_file(ignored))
      sizes[fs::relative(at->path(), folder, ignored).string()] = at->file_size(ignored);
  }
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a: a mark, not a seal
  for (const auto& [file, size] : sizes) {
    for (const char c : fmt::format("{} {}\n", file, size))
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return fmt::format("{} files, {:016x}", sizes.size(), hash);
}

bool IsThere(const fs::path& output, const std::string& name, const std::string& mark) {
  std::error_code failed;
  if (!fs::is_regular_file(output / name / "figure.json", failed)) return false;
  const auto json = ReadJson(output / name / "figure.json");
  if (!json || Text(*json, "made") != mark) return false;
  const auto line = LineOf(name, *json);
  return std::all_of(line.panels.begin(), line.panels.end(), [&](const std::string& panel) {
    std::error_code ignored;
    return fs::is_regular_file(output / name / (panel + ".csv"), ignored);
  });
}

Result<void> WriteFigure(const Figure& figure, const fs::path& output, const std::string& mark,
                         const std::string& command, const std::string& label) {
  const fs::path folder = output / figure.name;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return StorageError("cannot make the folder", folder.string(), "check its name and permissions");
  fs::remove(folder / "figure.json", failed);  // until all files are there, it is not made
  Json panels = Json::array();
  for (const Panel& panel : figure.panels) {
    if (auto done = WriteTextFile(folder / (panel.file + ".csv"), CsvOf(panel)); !done) return done;
    panels.push_back({{"file", panel.file},
                      {"title", panel.title},
                      {"x", panel.x_label},
                      {"y", panel.y_label},
                      {"log_x", panel.log_x},
                      {"log_y", panel.log_y},
                      {"form", FormWord(panel.form)}});
  }
  if (auto done = WriteTextFile(folder / "figure.md", Markdown(figure, command, label)); !done) return done;
  const Json json = {{"made", mark},
                     {"label", label},
                     {"about", figure.about},
                     {"setting", figure.setting},
                     {"published", figure.published},
                     {"here", figure.here},
                     {"why", figure.why},
                     {"panels", std::move(panels)}};
  return WriteTextFile(folder / "figure.json", json.dump(1) + "\n");
}

Result<void> WriteIndex(const fs::path& output) {
  std::string markdown =
      "# Figures\n\nMade with kith; every folder has tables and a page. lab/figures/draw.py draws them.\n";
  std::string paper;
  for (const FigureEntry& entry : Catalogue()) {
    const auto json = ReadJson(output / entry.name / "figure.json");
    if (!json) continue;
    const Line line = LineOf(entry.name, *json);
    if (entry.paper != paper) {
      paper = entry.paper;
      markdown += fmt::format("\n## {}\n", PaperTitle(paper));
    }
    markdown +=
        fmt::format("\n### [{0}]({0}/figure.md)\n\n{1} {2}\n\n", line.name, Escaped(line.about), Escaped(line.setting));
    for (const auto& panel : line.panels) markdown += fmt::format("* [{1}.csv]({0}/{1}.csv)\n", line.name, panel);
    const std::pair<const char*, const std::string*> parts[] = {
        {"Published", &line.published}, {"Here", &line.here}, {"Why", &line.why}};
    for (const auto& [title, part] : parts) {
      if (!part->empty()) markdown += fmt::format("\n**{}.** {}\n", title, Escaped(*part));
    }
  }
  return WriteTextFile(output / "README.md", markdown);
}

}  // namespace kith::experiment

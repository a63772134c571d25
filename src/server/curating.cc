// What only curators may do: read data in, look at the policy, and see what a changed one would mean.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <system_error>

#include "base/json.h"
#include "base/text_file.h"
#include "document/import_report.h"
#include "document/json_line.h"
#include "document/policy_diff.h"
#include "policy/places.h"
#include "release/upkeep/policy_diff.h"
#include "server/api.h"
#include "server/body.h"

namespace kith::server {
namespace {

// Text as a file beside the policy, because paths in it are relative to that folder; deleted with this object.
class FileBeside {
 public:
  static Result<FileBeside> Make(const std::filesystem::path& policy, const std::string& text) {
    static std::atomic<unsigned> number{0};
    FileBeside made(policy.parent_path() / fmt::format(".kith-check-{}-{}.toml", ::getpid(), ++number));
    if (auto written = WritePrivateFile(made.path_, text); !written) return written.error();
    return made;
  }
  FileBeside(FileBeside&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  FileBeside& operator=(FileBeside&&) = delete;
  ~FileBeside() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  /// To the sender of the text, the file has no name.
  std::string Unnamed(std::string text) const {
    const std::string name = path_.string();
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
      text.replace(at, name.size(), "policy");
    return text;
  }

 private:
  explicit FileBeside(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace

HttpResponse Api::ImportData(const Asked& asked) {
  std::optional<document::ImportReport> report;
  const auto data = asked.dataset->curator->Import(asked.call, [&report](const DataReport& found) {
    report = document::ImportReport{found, {}};
  });
  if (!data && !report) return Failure(data.error());
  if (!data) {
    HttpResponse refused = Failure(data.error());
    refused.body = document::JsonLine(*report, data.error());  // it shows why
    return refused;
  }
  if (!report) return Failure(InternalError("the import has no report"));
  report->version = data->Shown();
  return Documented(document::JsonLine(*report));
}

HttpResponse Api::PolicyText(const Asked& asked) {
  const auto text = ReadTextFile(asked.dataset->curator->policy().file);
  if (!text) return Failure(text.error());
  return Documented(JsonText({{"policy", *text}}) + "\n");
}

HttpResponse Api::CheckPolicy(const Asked& asked) {
  std::string text;
  if (const auto read = Fields(ObjectIn(asked.http.body)).Must("policy", text).Finish(); !read)
    return Failure(read.error());
  const std::filesystem::path& before = asked.dataset->curator->policy().file;
  const auto present = ReadTextFile(before);
  if (!present) return Failure(present.error());
  // Before anything is opened: a server that the text names would be told our password, and a file would be looked for.
  if (const auto same = NamesNoOtherPlace(*present, text, "policy"); !same) return Failure(same.error());
  const auto file = FileBeside::Make(before, text);
  if (!file) return Failure(file.error());
  auto diff = DiffPolicies(before, file->path(), asked.call);
  if (!diff) {
    Error error = diff.error();
    error.what = file->Unnamed(error.what);
    error.where = file->Unnamed(error.where);
    error.next = file->Unnamed(error.next);
    return Failure(error);
  }
  diff->before = asked.dataset->name;
  diff->after = "policy";
  diff->reason = file->Unnamed(diff->reason);
  return Documented(JsonText(document::ToJson(*diff)) + "\n");
}

}  // namespace kith::server

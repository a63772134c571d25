#include "server/console_files.h"

#include <array>

#include "base/digest.h"
#include "console_bytes.h"  // made from console/dist by src/CMakeLists.txt

namespace kith::server {
namespace {

template <std::size_t n>
std::string_view Bytes(const char (&bytes)[n]) {
  return {bytes, n};
}

ConsoleFile Make(std::string_view path, std::string_view content_type, std::string_view bytes,
                 std::string_view gzip = {}) {
  return {path, content_type, bytes, gzip, Sha256(bytes).substr(0, 32)};
}

}  // namespace

const ConsoleFile* FindConsoleFile(std::string_view path) {
  static const auto files = std::to_array<ConsoleFile>({
      Make("/", "text/html; charset=utf-8", Bytes(index_html)),
      Make("/console/console.js", "text/javascript; charset=utf-8", Bytes(console_js), Bytes(console_js_gz)),
      Make("/console/console.css", "text/css; charset=utf-8", Bytes(console_css), Bytes(console_css_gz)),
      Make("/console/icon.svg", "image/svg+xml", Bytes(icon_svg)),
      Make("/console/LICENSES.txt", "text/plain; charset=utf-8", Bytes(LICENSES_txt)),
  });
  for (const ConsoleFile& file : files) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

}  // namespace kith::server

#include "server/console_files.h"

#include <array>

#include "base/digest.h"
#include "digest.h"  // console/dist: other files, another digest

// The assembler reads the files, at the speed of a copy; its search path is set in src/CMakeLists.txt.
asm(R"(
  .pushsection .rodata
  .globl kith_console_html, kith_console_html_end, kith_console_js, kith_console_js_end
  .globl kith_console_css, kith_console_css_end, kith_console_icon, kith_console_icon_end
  .globl kith_console_licences, kith_console_licences_end
  .globl kith_console_js_gz, kith_console_js_gz_end, kith_console_css_gz, kith_console_css_gz_end
kith_console_html:
  .incbin "index.html"
kith_console_html_end:
kith_console_js:
  .incbin "console.js"
kith_console_js_end:
kith_console_css:
  .incbin "console.css"
kith_console_css_end:
kith_console_icon:
  .incbin "icon.svg"
kith_console_icon_end:
kith_console_licences:
  .incbin "LICENSES.txt"
kith_console_licences_end:
kith_console_js_gz:
  .incbin "console.js.gz"
kith_console_js_gz_end:
kith_console_css_gz:
  .incbin "console.css.gz"
kith_console_css_gz_end:
  .byte 0
  .popsection
)");

extern "C" {
[[gnu::visibility("hidden")]] extern const char kith_console_html[], kith_console_html_end[];
[[gnu::visibility("hidden")]] extern const char kith_console_js[], kith_console_js_end[];
[[gnu::visibility("hidden")]] extern const char kith_console_css[], kith_console_css_end[];
[[gnu::visibility("hidden")]] extern const char kith_console_icon[], kith_console_icon_end[];
[[gnu::visibility("hidden")]] extern const char kith_console_licences[], kith_console_licences_end[];
[[gnu::visibility("hidden")]] extern const char kith_console_js_gz[], kith_console_js_gz_end[];
[[gnu::visibility("hidden")]] extern const char kith_console_css_gz[], kith_console_css_gz_end[];
}

namespace kith::server {
namespace {

std::string_view Bytes(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

ConsoleFile Make(std::string_view path, std::string_view content_type, std::string_view bytes,
                 std::string_view gzip = {}) {
  return {path, content_type, bytes, gzip, Sha256(bytes).substr(0, 32)};
}

}  // namespace

const ConsoleFile* FindConsoleFile(std::string_view path) {
  static const auto files = std::to_array<ConsoleFile>({
      Make("/", "text/html; charset=utf-8", Bytes(kith_console_html, kith_console_html_end)),
      Make("/console/console.js", "text/javascript; charset=utf-8", Bytes(kith_console_js, kith_console_js_end),
           Bytes(kith_console_js_gz, kith_console_js_gz_end)),
      Make("/console/console.css", "text/css; charset=utf-8", Bytes(kith_console_css, kith_console_css_end),
           Bytes(kith_console_css_gz, kith_console_css_gz_end)),
      Make("/console/icon.svg", "image/svg+xml", Bytes(kith_console_icon, kith_console_icon_end)),
      Make("/console/LICENSES.txt", "text/plain; charset=utf-8",
           Bytes(kith_console_licences, kith_console_licences_end)),
  });
  for (const ConsoleFile& file : files) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

}  // namespace kith::server

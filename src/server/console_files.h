// The console's built files (console/dist), which are part of the program: the page needs nothing from anywhere else.
#pragma once
#include <string>
#include <string_view>

namespace kith::server {

struct ConsoleFile {
  std::string_view path;          // as browsers ask for it: "/", "/console/console.js"
  std::string_view content_type;  // "text/html; charset=utf-8"
  std::string_view bytes;
  std::string_view gzip;  // the same, compressed; empty: it is not worth it
  std::string digest;     // of the bytes
};

/// The file at exactly this path; null: there is none. Paths are not decoded and not followed: what is not in the
/// program cannot be reached. Thread-safe.
const ConsoleFile* FindConsoleFile(std::string_view path);

/// Content-Security-Policy of every answer that a browser might show. Scripts and styles come from this server and are
/// files; blob: is a chart on its way to a PNG file.
inline constexpr std::string_view kConsoleSecurity =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

}  // namespace kith::server

// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "df21d1381e3fe46ab3163def038bee8b";

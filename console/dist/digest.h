// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "0157760d1fa3a66d2f881a5f14703716";

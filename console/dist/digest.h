// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "a9ae888e308ba2d07ac79a2cb620d77a";

// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "33a5bf9d24bec11f4c4d53ac5c78de6f";

// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "b26706c3a38a37d9b9d437ea99f64b36";

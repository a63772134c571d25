// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "bc9a10f3759b2dbdd1bad1b6adde38b3";

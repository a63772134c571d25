// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "d0ccbd13b9f49a98b298137d9d4c26e2";

// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "c7442c0ff377c2965903fb8511489c51";

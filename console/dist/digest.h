// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "3686cf8c109f0f9cbbc85b21067081d5";

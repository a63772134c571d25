// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "97d85f6f80d75cc706227b911b92ee6c";

// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "a1a4abe771ead3ec334d907bf9a3465e";

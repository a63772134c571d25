// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "794f92dea0345f803d5d435c94642adb";

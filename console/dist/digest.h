// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "3e59d72aaa5245f0c4875ae666e3fbd2";

// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "ccd78e66b7a41b38a3ab01082df4a3d9";

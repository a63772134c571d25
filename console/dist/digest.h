// Of the built files; written by vite.config.js.
#pragma once

inline constexpr char kConsoleDigest[] = "0e36b37c89d52a130644a5240ec3f1cd";

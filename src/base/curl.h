// The functions of libcurl that kith calls. The library and the thirty that it needs are loaded with the first
// connection. A function that is missing here is missing at link time.
#pragma once
#include <curl/curl.h>

#include "base/late_library.h"

namespace kith::curl {

inline constinit LateLibrary libcurl{"libcurl.so.4"};

template <FunctionName kName, auto* kDeclared>
using OfLibcurl = LateFunction<libcurl, kName, kDeclared>;

// clang-format off
inline constexpr OfLibcurl<"curl_easy_cleanup", ::curl_easy_cleanup> curl_easy_cleanup;
inline constexpr OfLibcurl<"curl_easy_getinfo", ::curl_easy_getinfo> curl_easy_getinfo;
inline constexpr OfLibcurl<"curl_easy_init", ::curl_easy_init> curl_easy_init;
inline constexpr OfLibcurl<"curl_easy_perform", ::curl_easy_perform> curl_easy_perform;
inline constexpr OfLibcurl<"curl_easy_reset", ::curl_easy_reset> curl_easy_reset;
inline constexpr OfLibcurl<"curl_easy_setopt", ::curl_easy_setopt> curl_easy_setopt;
inline constexpr OfLibcurl<"curl_easy_strerror", ::curl_easy_strerror> curl_easy_strerror;
inline constexpr OfLibcurl<"curl_global_init", ::curl_global_init> curl_global_init;
inline constexpr OfLibcurl<"curl_slist_append", ::curl_slist_append> curl_slist_append;
inline constexpr OfLibcurl<"curl_slist_free_all", ::curl_slist_free_all> curl_slist_free_all;
// clang-format on

}  // namespace kith::curl

// Before all other precompiled headers. <cmath> defines the special functions of C++17 (Bessel, Legendre and so on) so
// that every file which sees it instantiates all of them; nothing here uses any.
#pragma once
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#endif

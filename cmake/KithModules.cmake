# kith_module(NAME [LIGHT] deps...): src/NAME, with its sub-folders, becomes the static library kith_NAME. Tests beside the code become
# one program for each kind of test, told apart by the file's ending, and carry the kind as their ctest label.
set(KITH_TEST_KINDS property law stat crash)

# Which tests start first: with the long ones at the front all cores end at the same time. About the seconds of a test.
set(KITH_COST_postgresql 20)
set(KITH_COST_stat 8)
set(KITH_COST_e2e 6)
set(KITH_COST_docs 3)
set(KITH_COST_property 2)
set(KITH_COST_crash 1)

# Read once for all modules, and once for all tests: half of the time went into these.
set(KITH_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <span>
  <string> <string_view> <utility> <variant> <vector> <fmt/format.h> <tl/expected.hpp>)

# kith_light(TARGET): less optimisation, for code whose speed nobody notices; a fifth of the time to compile. (None at all would slow
# down other modules too: of functions that several files instantiate the linker keeps one.)
function(kith_light target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# kith_as_test(TARGET): optimised as little as makes tests run well; what is inside loops of millions is in modules.
function(kith_as_test target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
endfunction()

# kith_common_headers(): makes the sets of precompiled headers, one for each set of flags.
function(kith_common_headers)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/common_headers.cc CONTENT "int main() {}\n")
  foreach(target kith_common_headers kith_common_headers_light)
    add_library(${target} OBJECT ${PROJECT_BINARY_DIR}/common_headers.cc)
    target_link_libraries(${target} PRIVATE fmt::fmt tl::expected)
    target_precompile_headers(${target} PRIVATE ${KITH_COMMON_HEADERS})
  endforeach()
  kith_light(kith_common_headers_light)
  if(KITH_TESTS)
    add_executable(kith_common_test_headers ${PROJECT_BINARY_DIR}/common_headers.cc)  # programs are compiled with other flags than libraries
    target_link_libraries(kith_common_test_headers PRIVATE fmt::fmt tl::expected GTest::gtest)
    target_precompile_headers(kith_common_test_headers PRIVATE ${KITH_COMMON_HEADERS} <gtest/gtest.h>)
    kith_as_test(kith_common_test_headers)
  endif()
endfunction()

function(kith_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg LIGHT "" "")
  set(dir ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cc ${dir}/*/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(kith_${name} STATIC ${sources})
    if(arg_LIGHT)
      kith_light(kith_${name})
      target_precompile_headers(kith_${name} REUSE_FROM kith_common_headers_light)
    else()
      target_precompile_headers(kith_${name} REUSE_FROM kith_common_headers)
    endif()
    set(scope PUBLIC)
  else()
    add_library(kith_${name} INTERFACE)  # headers only
    set(scope INTERFACE)
  endif()
  target_include_directories(kith_${name} ${scope} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(kith_${name} ${scope} ${arg_UNPARSED_ARGUMENTS})
  if(KITH_TESTS)
    kith_tests(${name} ${dir} kith_${name})
  endif()
endfunction()

# kith_tests(NAME DIR libraries...): the *_test.cc of DIR and its sub-folders.
function(kith_tests name dir)
  file(GLOB tests CONFIGURE_DEPENDS ${dir}/*_test.cc ${dir}/*/*_test.cc)
  foreach(kind IN LISTS KITH_TEST_KINDS)
    set(of_kind ${tests})
    list(FILTER of_kind INCLUDE REGEX "_${kind}_test\\.cc$")
    list(FILTER tests EXCLUDE REGEX "_${kind}_test\\.cc$")
    kith_test_program(${name}_${kind}_tests ${kind} "${of_kind}" ${ARGN})
  endforeach()
  kith_test_program(${name}_tests unit "${tests}" ${ARGN})
endfunction()

# kith_test_program(TARGET LABEL "files" libraries...)
function(kith_test_program target label files)
  if(NOT files)
    return()
  endif()
  add_executable(${target} ${files})
  kith_as_test(${target})
  target_precompile_headers(${target} REUSE_FROM kith_common_test_headers)
  target_link_libraries(${target} PRIVATE ${ARGN} kith_test_support GTest::gtest_main)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  set(cost 0)
  if(DEFINED KITH_COST_${label})
    set(cost ${KITH_COST_${label}})
  endif()
  gtest_discover_tests(${target} PROPERTIES LABELS ${label} TIMEOUT 300 COST ${cost} DISCOVERY_TIMEOUT 60)
endfunction()

# kith_module(NAME deps...): src/NAME, with its sub-folders, becomes the static library kith_NAME. Tests beside the code become
# one program for each kind of test, told apart by the file's ending, and carry the kind as their ctest label.
set(KITH_TEST_KINDS property law stat crash)

# Read once for all modules, and once for all tests: half of the time went into these.
set(KITH_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <span>
  <string> <string_view> <utility> <variant> <vector> <fmt/format.h> <tl/expected.hpp>)

# kith_common_headers(): makes the two sets of precompiled headers.
function(kith_common_headers)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/common_headers.cc CONTENT "int main() {}\n")
  add_library(kith_common_headers OBJECT ${CMAKE_BINARY_DIR}/common_headers.cc)
  target_link_libraries(kith_common_headers PRIVATE fmt::fmt tl::expected)
  target_precompile_headers(kith_common_headers PRIVATE ${KITH_COMMON_HEADERS})
  if(KITH_TESTS)
    add_executable(kith_common_test_headers ${CMAKE_BINARY_DIR}/common_headers.cc)  # programs are compiled with other flags than libraries
    target_link_libraries(kith_common_test_headers PRIVATE fmt::fmt tl::expected GTest::gtest)
    target_precompile_headers(kith_common_test_headers PRIVATE ${KITH_COMMON_HEADERS} <gtest/gtest.h>)
  endif()
endfunction()

function(kith_module name)
  set(dir ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cc ${dir}/*/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(kith_${name} STATIC ${sources})
    target_precompile_headers(kith_${name} REUSE_FROM kith_common_headers)
    set(scope PUBLIC)
  else()
    add_library(kith_${name} INTERFACE)  # headers only
    set(scope INTERFACE)
  endif()
  target_include_directories(kith_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(kith_${name} ${scope} ${ARGN})
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
  target_precompile_headers(${target} REUSE_FROM kith_common_test_headers)
  target_link_libraries(${target} PRIVATE ${ARGN} kith_test_support GTest::gtest_main)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  gtest_discover_tests(${target} PROPERTIES LABELS ${label} TIMEOUT 300 DISCOVERY_TIMEOUT 60)
endfunction()

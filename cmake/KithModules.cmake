# kith_module(NAME libraries...): the folder NAME, with its sub-folders, becomes the library kith_NAME (of the laboratory: kith_lab_NAME); the *_test.cc beside
# the code become test programs.
# What is slow to read and used everywhere is precompiled, once for libraries and once, with gtest, for programs.
set(KITH_PRECOMPILED <algorithm> <array> <cmath> <cstdint> <expected> <filesystem> <functional> <map> <memory> <optional> <set> <span> <string> <string_view> <utility>
  <variant> <vector> <fmt/format.h>)

function(kith_precompiled_headers)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cc CONTENT "int main() {}\n")
  add_library(kith_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
  target_link_libraries(kith_precompiled PRIVATE fmt::fmt)
  target_precompile_headers(kith_precompiled PRIVATE ${KITH_PRECOMPILED})
  if(KITH_TESTS)
    add_executable(kith_precompiled_tests ${PROJECT_BINARY_DIR}/precompiled.cc)
    target_link_libraries(kith_precompiled_tests PRIVATE fmt::fmt GTest::gtest)
    target_precompile_headers(kith_precompiled_tests PRIVATE ${KITH_PRECOMPILED} <gtest/gtest.h>)
  endif()
endfunction()

function(kith_module folder)
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  set(name ${KITH_MODULE_PREFIX}${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cc ${dir}/*/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  add_library(kith_${name} STATIC ${sources})
  target_precompile_headers(kith_${name} REUSE_FROM kith_precompiled)
  target_include_directories(kith_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(kith_${name} PUBLIC ${ARGN})
  if(KITH_TESTS)
    kith_tests(${name} ${dir} kith_${name})
  endif()
endfunction()

# kith_tests(NAME DIR libraries...): the *_test.cc of DIR and its sub-folders: a program for each kind of test, which the ending of the file's name says.
function(kith_tests name dir)
  file(GLOB tests CONFIGURE_DEPENDS ${dir}/*_test.cc ${dir}/*/*_test.cc)
  foreach(kind property law stat crash)
    set(of_kind ${tests})
    list(FILTER of_kind INCLUDE REGEX "_${kind}_test\\.cc$")
    list(FILTER tests EXCLUDE REGEX "_${kind}_test\\.cc$")
    kith_test_program(${name}_${kind}_tests ${kind} "${of_kind}" ${ARGN})
  endforeach()
  kith_test_program(${name}_tests unit "${tests}" ${ARGN})
endfunction()

# kith_test_program(TARGET LABEL "files" libraries...): short tests run in one process, since a start takes longer than most of them; the others are long,
# or end their process. tools/run_tests counts and names the single tests.
function(kith_test_program target label files)
  if(NOT files)
    return()
  endif()
  add_executable(${target} ${files})
  target_precompile_headers(${target} REUSE_FROM kith_precompiled_tests)
  target_link_libraries(${target} PRIVATE ${ARGN} kith_test_support GTest::gtest_main)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  # Two tiers (tools/run_tests): core is what make test runs, check what make check runs.
  if(label MATCHES "^(unit|golden)$")
    set(label ${label} core)
  elseif(label STREQUAL crash)
    set(label crash core check)  # few steps, and all
  else()
    set(label ${label} check)
  endif()
  # Tests that share what took long to make share a process; those that measure their process have one of their own.
  set(alone SketchTest.WideFilesTakeLittleMemory)
  if(core IN_LIST label AND NOT crash IN_LIST label OR target STREQUAL quantile_bruteforce_property_tests)
    add_test(NAME ${target} COMMAND ${target} --gtest_filter=-${alone})
    set_tests_properties(${target} PROPERTIES LABELS "${label}" TIMEOUT ${KITH_TEST_TIMEOUT} COST 10)
    if(target STREQUAL engine_tests)
      add_test(NAME ${target}.alone COMMAND ${target} --gtest_filter=${alone})
      set_tests_properties(${target}.alone PROPERTIES LABELS "${label}" TIMEOUT ${KITH_TEST_TIMEOUT} COST 5)
    endif()
  else()
    list(JOIN label "-" label)  # a list would lose all but its first
    gtest_discover_tests(${target} PROPERTIES LABELS ${label} TIMEOUT ${KITH_TEST_TIMEOUT} COST 3 DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

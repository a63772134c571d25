# kith_module(NAME [LIGHT] [HEADERS set] deps...): src/NAME, with its sub-folders, becomes the static library kith_NAME. Tests beside the code become
# one program for each kind of test, distinguished by the file's ending, and carry the kind as their ctest label.
set(KITH_TEST_KINDS property law stat crash)

# Which tests start first: with the long ones at the front all cores end at the same time. About the seconds of a test.
set(KITH_COST_postgresql 20)
set(KITH_COST_crash 9)
set(KITH_COST_stat 8)
set(KITH_COST_e2e 6)
set(KITH_COST_docs 3)
set(KITH_COST_property 2)

# Kinds whose tests share a process; the others are long, or end their process. The longest programs are cut into parts, for the same end.
set(KITH_LABELS_TOGETHER "unit|golden")
set(KITH_PROGRAMS_TOGETHER quantile_bruteforce_property_tests)  # whose tests look at the same answers
set(KITH_PARTS_engine_tests 4)
set(KITH_PARTS_release_tests 2)
set(KITH_ALONE_engine_tests SketchTest.WideFilesTakeLittleMemory)

# Programs that compute much themselves: they are compiled as the product is, whatever compiles the other tests.
set(KITH_COMPUTING_TESTS transfer_property_tests mechanism_law_tests mechanism_stat_tests query_property_tests analysis_property_tests estimate_property_tests estimate_stat_tests quantile_bruteforce_property_tests)

# Read once for all modules, and once for all tests: half of the time went into these.
set(KITH_COMMON_HEADERS <${PROJECT_SOURCE_DIR}/cmake/few_functions.h> <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <span>
  <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)

# What many tests read as well. Clang reads of a set only what a file uses, so that these cost the other tests next to nothing.
set(KITH_TEST_HEADERS_MORE <atomic> <chrono> <fstream> <iostream> <numeric> <random> <sstream> <thread>)
# And what the tests of these sets read of ours: a tenth of their time. (Those of `release` have most of it already.)
set(KITH_TEST_HEADERS_OF_common <transfer/transfer.h> <policy/policy.h> <ledger/ledger.h> <tests/support/stat.h>)
set(KITH_TEST_HEADERS_OF_query <engine/duckdb/duckdb_session.h> <ledger/ledger.h> <tests/support/stat.h> <tests/support/policies.h> <tests/support/tiny_db_engine.h>)

# kith_light(TARGET): less optimisation, for code whose speed nobody notices; a fifth of the time to compile. (None at all would slow
# down other modules too: of functions that several files instantiate the linker keeps one.)
function(kith_light target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# kith_cold(pattern...): the same for files of a module that is otherwise optimised: what runs once per question. (Precompiled headers work for every
# degree of optimisation.)
function(kith_cold)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  list(FILTER files EXCLUDE REGEX "_test\\.cc$")
  foreach(file IN LISTS files)
    set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# kith_as_test(TARGET): optimised as little as makes tests run well; what is inside loops of millions is in modules.
function(kith_as_test target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
endfunction()

# The compiler of most tests, if setup has brought it and they are not built for something special.
if(KITH_TESTS AND PROJECT_IS_TOP_LEVEL AND NOT KITH_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE STREQUAL Release)
  find_program(KITH_TEST_COMPILER clang++-14)
endif()
set(KITH_TEST_COMPILER_OPTIONS -O0 -Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow -Werror)

# kith_by_test_compiler(TARGET HEADERS "files"): these tests are compiled by KITH_TEST_COMPILER, unoptimised and with its own form of the
# precompiled headers HEADERS: in two thirds of the time. Modules, and what is linked, stay with the compiler of the product.
function(kith_by_test_compiler target headers files)
  set_target_properties(${target} PROPERTIES KITH_TEST_COMPILER ON
    CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/tools/compile_instead;${KITH_TEST_COMPILER};${CMAKE_CXX_COMPILER_LAUNCHER};--")
  target_compile_options(${target} PRIVATE ${KITH_TEST_COMPILER_OPTIONS} -include-pch ${PROJECT_BINARY_DIR}/kith_test_headers_${headers}.pch)
  set_property(SOURCE ${files} APPEND PROPERTY OBJECT_DEPENDS ${PROJECT_BINARY_DIR}/kith_test_headers_${headers}.pch)
endfunction()

# kith_test_compiler_headers(TARGET header...): TARGET.pch, with the definitions and folders of TARGET.
function(kith_test_compiler_headers target)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \\1\n")
  list(JOIN ARGN "" content)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${target}.h CONTENT "${content}" @ONLY)
  set(pch ${PROJECT_BINARY_DIR}/${target}.pch)
  set(folders $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  add_custom_command(OUTPUT ${pch} DEPFILE ${pch}.d DEPENDS ${PROJECT_BINARY_DIR}/${target}.h
    COMMAND ${KITH_TEST_COMPILER} -x c++-header -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/src "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>" "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
      $<TARGET_PROPERTY:GTest::gtest,INTERFACE_COMPILE_OPTIONS> -std=c++${CMAKE_CXX_STANDARD} -fPIE -ffp-contract=off ${KITH_TEST_COMPILER_OPTIONS} -fpch-instantiate-templates -Xclang -fno-pch-timestamp
      -MD -MF ${pch}.d -o ${pch} ${PROJECT_BINARY_DIR}/${target}.h
    COMMENT "Precompiling ${target}" COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${target}_pch DEPENDS ${pch})
endfunction()

# The sets of precompiled headers. A module uses the largest one that has nothing from below it in the list of modules (src/CMakeLists.txt).
# What a set instantiates is instantiated again by every file that uses it: nlohmann's JSON, which a seventh of the files read, would cost the others
# more than it saves these.
set(KITH_HEADER_SETS common policy query release)
set(KITH_HEADERS_OF_policy <policy/policy.h>)
set(KITH_HEADERS_OF_query <mechanism/noise.h> <numeric> <query/plan.h>)
set(KITH_HEADERS_OF_release <release/release.h>)
set(KITH_TEST_HEADER_SETS common query release)  # the tests' common one has policies as well

# kith_header_set(TARGET SET header...): the precompiled headers of TARGET, with those of SET. It is not linked with what it has headers of, so that
# it need not wait for them.
function(kith_header_set target set)
  target_link_libraries(${target} PRIVATE fmt::fmt)
  if(KITH_HEADERS_OF_${set})
    target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:kith_${set},INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:kith_${set},INTERFACE_COMPILE_DEFINITIONS>)
  endif()
  target_precompile_headers(${target} PRIVATE ${KITH_COMMON_HEADERS} ${ARGN} ${KITH_HEADERS_OF_${set}})
endfunction()

# kith_common_headers(): makes the sets, for libraries and for programs, which are compiled with different flags: kith_headers_SET and
# kith_test_headers_SET.
function(kith_common_headers)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/common_headers.cc CONTENT "int main() {}\n")
  foreach(set IN LISTS KITH_HEADER_SETS)
    add_library(kith_headers_${set} OBJECT ${PROJECT_BINARY_DIR}/common_headers.cc)
    kith_header_set(kith_headers_${set} ${set})
  endforeach()
  if(KITH_TESTS)
    foreach(set IN LISTS KITH_TEST_HEADER_SETS)
      add_executable(kith_test_headers_${set} ${PROJECT_BINARY_DIR}/common_headers.cc)
      target_link_libraries(kith_test_headers_${set} PRIVATE GTest::gtest)
      kith_header_set(kith_test_headers_${set} ${set} <gtest/gtest.h>)
      kith_as_test(kith_test_headers_${set})
      if(KITH_TEST_COMPILER)
        kith_test_compiler_headers(kith_test_headers_${set} ${KITH_COMMON_HEADERS} ${KITH_TEST_HEADERS_MORE} <gtest/gtest.h> ${KITH_HEADERS_OF_${set}}
          ${KITH_TEST_HEADERS_OF_${set}})
        if(NOT set STREQUAL common)  # of the others only that compiler's form is used
          set_target_properties(kith_test_headers_${set} PROPERTIES EXCLUDE_FROM_ALL ON)
        endif()
      endif()
    endforeach()
  endif()
endfunction()

function(kith_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LIGHT" "HEADERS" "")
  if(NOT arg_HEADERS)
    set(arg_HEADERS common)
  endif()
  set(dir ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cc ${dir}/*/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(kith_${name} STATIC ${sources})
    if(arg_LIGHT)
      kith_light(kith_${name})
    endif()
    target_precompile_headers(kith_${name} REUSE_FROM kith_headers_${arg_HEADERS})
    set(scope PUBLIC)
  else()
    add_library(kith_${name} INTERFACE)  # headers only
    set(scope INTERFACE)
  endif()
  target_include_directories(kith_${name} ${scope} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(kith_${name} ${scope} ${arg_UNPARSED_ARGUMENTS})
  if(KITH_TESTS)
    set(KITH_TEST_HEADERS common)
    if(arg_HEADERS IN_LIST KITH_TEST_HEADER_SETS)
      set(KITH_TEST_HEADERS ${arg_HEADERS})
    endif()
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

# kith_all_of(VARIABLE TARGET): the static libraries of ours that a target links, however far down.
function(kith_all_of variable target)
  set(found)
  get_target_property(linked ${target} LINK_LIBRARIES)
  foreach(library IN LISTS linked)
    if(TARGET ${library} AND library MATCHES "^kith_" AND NOT library STREQUAL target)
      get_target_property(type ${library} TYPE)
      if(type STREQUAL STATIC_LIBRARY)
        kith_all_of(below ${library})
        list(APPEND found ${below} ${library})
      endif()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES found)
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# kith_modules_first(TARGET): of functions that several files instantiate (those of std::string, say) the linker keeps the first one it
# sees. That must not be a test's, which is not optimised: modules would call it, and take up to twice as long.
function(kith_modules_first target)
  kith_all_of(libraries ${target})
  list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  target_link_options(${target} PRIVATE LINKER:--whole-archive ${libraries} LINKER:--no-whole-archive)
endfunction()

# kith_compile_tests(TARGET HEADERS "files"): how the files of a test program are compiled.
function(kith_compile_tests target headers files)
  if(KITH_TEST_COMPILER)
    cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL kith_modules_first ${target})")  # when all libraries are known
  endif()
  if(KITH_TEST_COMPILER AND NOT target IN_LIST KITH_COMPUTING_TESTS)
    kith_by_test_compiler(${target} ${headers} "${files}")
  else()
    kith_as_test(${target})
    if(KITH_TEST_COMPILER)
      set(headers common)  # the other sets take longer to make than these few programs gain by them
    endif()
    target_precompile_headers(${target} REUSE_FROM kith_test_headers_${headers})
  endif()
endfunction()

# kith_test_program(TARGET LABEL "files" libraries...)
function(kith_test_program target label files)
  if(NOT files)
    return()
  endif()
  add_executable(${target} ${files})
  if(NOT KITH_TEST_HEADERS)
    set(KITH_TEST_HEADERS common)
  endif()
  kith_compile_tests(${target} ${KITH_TEST_HEADERS} "${files}")
  target_link_libraries(${target} PRIVATE ${ARGN} kith_test_support GTest::gtest_main)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  set(cost 0)
  if(DEFINED KITH_COST_${label})
    set(cost ${KITH_COST_${label}})
  endif()
  if(label MATCHES "^(${KITH_LABELS_TOGETHER})$" OR target IN_LIST KITH_PROGRAMS_TOGETHER)
    kith_tests_together(${target} ${label})
  else()
    gtest_discover_tests(${target} PROPERTIES LABELS ${label} TIMEOUT ${KITH_TEST_TIMEOUT} COST ${cost} DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

# kith_tests_together(TARGET LABEL): its tests in one process, or in as many as KITH_PARTS_TARGET says, since a start takes longer than most tests.
# Those of KITH_ALONE_TARGET, which measure their process, have their own. tools/run_tests counts and names the single tests.
function(kith_tests_together target label)
  set(parts 1)
  if(DEFINED KITH_PARTS_${target})
    set(parts ${KITH_PARTS_${target}})
  endif()
  math(EXPR last "${parts} - 1")
  foreach(part RANGE ${last})
    add_test(NAME ${target}.${part} COMMAND ${target} --gtest_filter=-${KITH_ALONE_${target}})
    set_tests_properties(${target}.${part} PROPERTIES LABELS ${label} TIMEOUT ${KITH_TEST_TIMEOUT} COST 5 ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${part}")
  endforeach()
  if(KITH_ALONE_${target})
    add_test(NAME ${target}.alone COMMAND ${target} --gtest_filter=${KITH_ALONE_${target}})
    set_tests_properties(${target}.alone PROPERTIES LABELS ${label} TIMEOUT ${KITH_TEST_TIMEOUT} COST 5)
  endif()
endfunction()

# Everything kith builds on. Debian packages are found the ordinary way; DuckDB is put into third_party/duckdb by ./setup.
find_package(OpenSSL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(hwy REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
if(KITH_TESTS)
  find_package(GTest REQUIRED)
  find_package(EXPAT REQUIRED)
  include(GoogleTest)
endif()
if(KITH_BENCH)
  find_package(benchmark REQUIRED)
endif()

get_filename_component(KITH_DUCKDB_DIR ${CMAKE_CURRENT_LIST_DIR}/../third_party/duckdb ABSOLUTE)
set(KITH_DUCKDB_DIR ${KITH_DUCKDB_DIR} CACHE PATH "where libduckdb.so and duckdb.h are")
if(NOT EXISTS ${KITH_DUCKDB_DIR}/libduckdb.so)
  message(FATAL_ERROR "DuckDB is missing: run ./setup first (it installs everything kith needs, by package name), or set KITH_DUCKDB_DIR")
endif()
# Program, library and tests find it in a folder of its own, as it was published (an installed program does, too: KithInstall.cmake).
set(engines ${PROJECT_BINARY_DIR}/engines)
file(MAKE_DIRECTORY ${engines})
file(CREATE_LINK ${KITH_DUCKDB_DIR}/libduckdb.so ${engines}/libduckdb.so SYMBOLIC)
add_library(duckdb SHARED IMPORTED)
set_target_properties(duckdb PROPERTIES IMPORTED_LOCATION ${engines}/libduckdb.so INTERFACE_INCLUDE_DIRECTORIES ${KITH_DUCKDB_DIR})

# Libraries that take long to load are loaded when they are first called (base/late_library.h): only their headers are used here.
foreach(library duckdb PostgreSQL::PostgreSQL)
  string(REGEX REPLACE ".*:" "" name ${library})
  add_library(late_${name} INTERFACE IMPORTED)
  set_target_properties(late_${name} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>
    INTERFACE_COMPILE_DEFINITIONS "$<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>")
endforeach()
set(CMAKE_BUILD_RPATH ${engines})
if(KITH_SANITIZE)
  target_link_libraries(late_duckdb INTERFACE duckdb)  # sanitizers load by their own path: here it is already loaded
endif()

add_library(pg_query INTERFACE IMPORTED)
target_link_libraries(pg_query INTERFACE -lpg_query)

find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)  # its headers are among the system's, as are those of Clp; both are loaded late
add_library(zstd INTERFACE IMPORTED)
target_link_libraries(zstd INTERFACE -lzstd)

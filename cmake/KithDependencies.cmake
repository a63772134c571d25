# Everything kith builds on. Debian packages are found the ordinary way; DuckDB is put into third_party/duckdb by ./setup.
find_package(OpenSSL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
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
add_library(duckdb SHARED IMPORTED)
set_target_properties(duckdb PROPERTIES
  IMPORTED_LOCATION ${KITH_DUCKDB_DIR}/libduckdb.so
  INTERFACE_INCLUDE_DIRECTORIES ${KITH_DUCKDB_DIR})

add_library(pg_query INTERFACE IMPORTED)
target_link_libraries(pg_query INTERFACE -lpg_query)

add_library(clp INTERFACE IMPORTED)
target_link_libraries(clp INTERFACE -lClp -lCoinUtils)

find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)
add_library(curl INTERFACE IMPORTED)  # its headers are among the system's
target_link_libraries(curl INTERFACE ${CURL_LIBRARIES})
add_library(zstd INTERFACE IMPORTED)
target_link_libraries(zstd INTERFACE -lzstd)

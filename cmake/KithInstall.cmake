# The library as other programs see it: libkith.so with only the names of include/kith, and what find_package(kith) needs
# (docs/adr/0014-one-shared-library.md).
include(CMakePackageConfigHelpers)
add_library(kith_library SHARED $<TARGET_OBJECTS:kith_api>)
set_target_properties(kith_library PROPERTIES
  OUTPUT_NAME kith EXPORT_NAME kith VERSION ${PROJECT_VERSION}
  # Before 1.0 a minor version may break programs.
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/kith.map
  LINKER_LANGUAGE CXX)
target_include_directories(kith_library INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(kith_library INTERFACE cxx_std_20)
target_link_libraries(kith_library PRIVATE kith_api)
target_link_options(kith_library PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/kith.map)
if(NOT KITH_SANITIZE)  # what sanitizers call is in the program
  target_link_options(kith_library PRIVATE LINKER:--no-undefined)
endif()
add_library(kith::kith ALIAS kith_library)

# DuckDB is not a Debian package: it is in a folder of ours, where program and library find it wherever the tree is put.
set(private ${CMAKE_INSTALL_LIBDIR}/kith)
file(RELATIVE_PATH from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/kith)
# Built as they are installed: what CMake would change at installation is padded with an empty folder, which means the current one. In the build
# folder DuckDB is in engines (KithDependencies.cmake).
set_target_properties(kith_library kith PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
set_target_properties(kith_library PROPERTIES INSTALL_RPATH "$ORIGIN/kith;$ORIGIN/engines")
set_target_properties(kith PROPERTIES INSTALL_RPATH "$ORIGIN/${from_program};$ORIGIN/engines")
if(TARGET kith-lab)
  set_target_properties(kith-lab PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/${from_program};$ORIGIN/engines")
endif()
install(IMPORTED_RUNTIME_ARTIFACTS duckdb LIBRARY DESTINATION ${private} RUNTIME DESTINATION ${private})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/kith)
install(TARGETS kith RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS kith_library EXPORT kith-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT kith-targets NAMESPACE kith:: DESTINATION ${package})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kith ${PROJECT_BINARY_DIR}/include/kith DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/kith-config.cmake.in ${PROJECT_BINARY_DIR}/package/kith-config.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/kith-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/kith-config.cmake ${PROJECT_BINARY_DIR}/package/kith-config-version.cmake DESTINATION ${package})

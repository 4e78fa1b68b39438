# The libraries that Floe is built with, from third_party/ (packaging/bundle.sh puts them there):
# where only a compiler and CMake are installed, every find_package() below finds these instead.
#
# Each is a target of the name that the library's own package gives, and an empty configuration file
# where find_package() looks first, so that the rest of the build does not know the difference.
set(third_party ${PROJECT_SOURCE_DIR}/third_party)
function(floe_bundled package version)
    string(TOLOWER ${package} lower)
    file(WRITE ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/${lower}-config.cmake "")
    file(WRITE ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/${lower}-config-version.cmake
        "set(PACKAGE_VERSION ${version})\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
    message(STATUS "${package}: from third_party")
endfunction()
function(floe_bundled_headers target)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE ${third_party}/include)
endfunction()

floe_bundled_headers(nlohmann_json::nlohmann_json)
floe_bundled(nlohmann_json 3.11.2)
floe_bundled_headers(CLI11::CLI11)
floe_bundled(CLI11 2.3.2)
floe_bundled_headers(spdlog::spdlog)
target_compile_definitions(spdlog::spdlog INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)
floe_bundled(spdlog 1.10.0)
floe_bundled_headers(xxhash)
target_compile_definitions(xxhash INTERFACE XXH_INLINE_ALL)
set(ASIO_INCLUDE_DIR ${third_party}/include)
# NanoVDB is included by name only.
include_directories(SYSTEM ${third_party}/include)

set(CMAKE_POLICY_DEFAULT_CMP0077 NEW) # options of these projects may be set from here
set(CMAKE_WARN_DEPRECATED OFF)
function(floe_bundled_project name)
    set(BUILD_TESTING OFF)
    # Our symbols are hidden unless marked; a shared library of theirs must show its own.
    set(CMAKE_C_VISIBILITY_PRESET default)
    set(CMAKE_CXX_VISIBILITY_PRESET default)
    set(CMAKE_VISIBILITY_INLINES_HIDDEN OFF)
    set(CMAKE_C_FLAGS "${CMAKE_C_FLAGS} -w") # their warnings are theirs
    set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -w")
    add_subdirectory(${third_party}/${name} ${CMAKE_BINARY_DIR}/third_party/${name}
        EXCLUDE_FROM_ALL SYSTEM)
endfunction()
set(TBB_TEST OFF)
set(TBB_STRICT OFF)
set(TBB_INSTALL OFF)
set(TBB_ENABLE_IPO OFF)
set(TBBMALLOC_BUILD OFF)
set(TBB_DISABLE_HWLOC_AUTOMATIC_SEARCH ON)
unset(TBB_DIR CACHE)      # which, from an earlier run, would be taken for an installed one
set(BUILD_SHARED_LIBS ON) # one scheduler for the program and its plugins
floe_bundled_project(onetbb)
unset(BUILD_SHARED_LIBS)
floe_bundled(TBB 2021.8)

set(ENABLE_SAMPLES OFF)
set(ENABLE_OPENMP OFF)
set(BUILD_SHARED_LIBS OFF)
floe_bundled_project(muparser)
floe_bundled(muparser 2.3.3)

if(FLOE_TESTS)
    set(INSTALL_GTEST OFF)
    floe_bundled_project(googletest)
    foreach(library gtest gtest_main gmock gmock_main)
        if(NOT TARGET GTest::${library})
            add_library(GTest::${library} ALIAS ${library})
        endif()
    endforeach()
    floe_bundled(GTest 1.12.1)
endif()
if(FLOE_BENCH)
    set(BENCHMARK_ENABLE_TESTING OFF)
    set(BENCHMARK_ENABLE_INSTALL OFF)
    set(BENCHMARK_ENABLE_WERROR OFF)
    set(GIT_VERSION 1.7.1) # Debian's build gives it so
    floe_bundled_project(benchmark)
    floe_bundled(benchmark 1.7.1)
endif()
unset(BUILD_SHARED_LIBS)

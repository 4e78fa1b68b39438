# Options, compiler settings and the functions every CMakeLists.txt of Floe uses.

include(GNUInstallDirs)
include(CTest OPTIONAL)

option(FLOE_TESTS "Build the tests" ON)
option(FLOE_BENCH "Build the benchmarks" OFF)
option(FLOE_GPU_TESTS "Tests on a CUDA device too, labelled gpu; skipped where there is none" OFF)
set(FLOE_EDITOR AUTO CACHE STRING "The Qt 6 editor: AUTO (when Qt 6 and SDL 2 are found), ON or OFF")
option(FLOE_WERROR "Treat warnings as errors" OFF)
# A bundle (packaging/bundle.sh) has in third_party/ what builds without any other package.
if(EXISTS ${PROJECT_SOURCE_DIR}/third_party)
    set(complete OFF)
else()
    set(complete ON)
endif()
option(FLOE_OPENVDB "OpenVDB: volume and mesh files, surfaces, combined shapes" ${complete})
option(FLOE_VULKAN "Pictures, drawn with Vulkan" ${complete})
set(FLOE_CUDA AUTO CACHE STRING "CUDA kernels: AUTO (when nvcc is found), ON or OFF")
set(FLOE_CUDA_ARCHITECTURES AUTO CACHE STRING
    "CUDA architectures: AUTO (this machine's GPUs; where there are none, all from Turing on) or a list")
set(FLOE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them (address,undefined or thread)")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
find_program(FLOE_CCACHE ccache)
if(FLOE_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${FLOE_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${FLOE_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${FLOE_CCACHE})
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The build tree has the layout of an installation, so that the program finds its plugins in both.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(FLOE_PLUGIN_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/floe/plugins)

find_package(Threads REQUIRED)
if(FLOE_EDITOR STREQUAL "AUTO" AND NOT FLOE_VULKAN)
    set(FLOE_EDITOR OFF)
elseif(FLOE_EDITOR STREQUAL "AUTO")
    find_package(Qt6 6.4 QUIET COMPONENTS Widgets Network Svg Test LinguistTools)
    find_package(SDL2 2.0.18 QUIET) # gamepads
elseif(FLOE_EDITOR)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets Network Svg Test LinguistTools)
    find_package(SDL2 2.0.18 REQUIRED)
endif()
if(Qt6_FOUND AND SDL2_FOUND AND FLOE_EDITOR)
    set(FLOE_HAVE_EDITOR ON)
endif()
message(STATUS "Editor: ${FLOE_HAVE_EDITOR}")

add_custom_target(floe_all)   # the program and its plugins
add_custom_target(unit_tests) # the tests of kind unit, and what they load
add_custom_target(gpu_tests)  # the tests labelled gpu, and what they load

add_library(floe_options INTERFACE)
target_compile_options(floe_options INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wno-unknown-pragmas>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-missing-field-initializers -Wno-psabi
        -Wno-restrict> # GCC bug 105329: false positives in std::string
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-missing-field-initializers -Wno-psabi
        -Wno-unknown-warning-option>
    $<$<COMPILE_LANG_AND_ID:C,GNU,Clang>:-Wno-missing-field-initializers>)
if(FLOE_WERROR)
    target_compile_options(floe_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>)
endif()
if(FLOE_SANITIZE)
    add_compile_options(-fsanitize=${FLOE_SANITIZE} -fno-omit-frame-pointer -g1)
    if(FLOE_SANITIZE MATCHES undefined) # what the address sanitizer finds anyway only costs time here
        add_compile_options(-fno-sanitize=null,vptr,object-size,nonnull-attribute,returns-nonnull-attribute)
    endif()
    add_link_options(-fsanitize=${FLOE_SANITIZE})
endif()

# floe_heavy_templates(SANITIZER FILE ...): sources that instantiate so much of a library (OpenVDB)
# or so many kernels that SANITIZER ("undefined" or "all") would multiply the time they take to
# compile; they go without it.
function(floe_heavy_templates sanitizer)
    if(FLOE_SANITIZE AND (sanitizer STREQUAL "all" OR FLOE_SANITIZE MATCHES ${sanitizer}))
        set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=${sanitizer})
    endif()
endfunction()

if(FLOE_CUDA STREQUAL "AUTO" OR FLOE_CUDA)
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        set(CMAKE_CUDA_ARCHITECTURES ${FLOE_CUDA_ARCHITECTURES})
        if(FLOE_CUDA_ARCHITECTURES STREQUAL "AUTO")
            include(FloeGpus)
            floe_gpu_architectures(CMAKE_CUDA_ARCHITECTURES)
            if(NOT CMAKE_CUDA_ARCHITECTURES) # others translate 75 when they first use it
                set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90-real)
            endif()
        endif()
        set(CMAKE_CUDA_STANDARD 20)
        set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
        enable_language(CUDA)
        if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25 does not know nvcc has it
            set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
            set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
        endif()
        set(FLOE_HAVE_CUDA ON)
        find_package(CUDAToolkit REQUIRED)
    elseif(NOT FLOE_CUDA STREQUAL "AUTO")
        message(FATAL_ERROR "FLOE_CUDA is ON but no CUDA compiler was found: put nvcc on PATH or set CUDACXX")
    endif()
endif()
message(STATUS "CUDA kernels: ${FLOE_HAVE_CUDA} ${CMAKE_CUDA_ARCHITECTURES}")
if(FLOE_GPU_TESTS AND NOT FLOE_HAVE_CUDA)
    message(FATAL_ERROR "FLOE_GPU_TESTS is ON but no CUDA compiler was found: put nvcc on PATH or set CUDACXX")
endif()
if(NOT FLOE_OPENVDB)
    message(STATUS "OpenVDB: off; left out are mesh and file shapes, combined shapes, surfaces, "
        "and volume files")
endif()
if(NOT FLOE_VULKAN)
    message(STATUS "Vulkan: off; pictures cannot be drawn")
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/third_party)
    include(FloeBundled)
endif()

# floe_library(NAME SOURCES a.cpp ... [LINK lib ...] [PRIVATE_LINK lib ...])
# A static library floe_NAME (alias floe::NAME) of runtime/NAME, with its public headers in include/.
function(floe_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
    add_library(floe_${name} STATIC ${ARG_SOURCES})
    add_library(floe::${name} ALIAS floe_${name})
    target_include_directories(floe_${name} PUBLIC include)
    target_link_libraries(floe_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK}
        $<BUILD_INTERFACE:floe_options>)
endfunction()

# floe_embed(TARGET NAME FILE): the bytes of a file become part of a library, so that nothing is looked up
# when it runs: #include "embedded/NAME.inc" between the braces of an array of unsigned char.
function(floe_embed target name file)
    set(list ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.inc)
    set(script ${PROJECT_SOURCE_DIR}/packaging/cmake/FloeEmbed.cmake)
    add_custom_command(OUTPUT ${list}
        COMMAND ${CMAKE_COMMAND} -D SOURCE=${file} -D LIST=${list} -P ${script}
        DEPENDS ${file} ${script} COMMENT "Embedding ${name}" VERBATIM)
    target_sources(${target} PRIVATE ${list})
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# floe_embed_texts(TARGET NAME FILE ...): the same for text files: #include "embedded/NAME.inc" gives
# {"file name", "content"}, for each.
function(floe_embed_texts target name)
    set(list ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.inc)
    set(script ${PROJECT_SOURCE_DIR}/packaging/cmake/FloeEmbedTexts.cmake)
    add_custom_command(OUTPUT ${list}
        COMMAND ${CMAKE_COMMAND} -D LIST=${list} -P ${script} ${ARGN}
        DEPENDS ${ARGN} ${script} COMMENT "Embedding ${name}" VERBATIM)
    target_sources(${target} PRIVATE ${list})
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# floe_editor_library(NAME SOURCES a.cpp ... [LINK lib ...])
# A static library editor_NAME of editor/NAME; its headers are included as "NAME/header.hpp".
function(floe_editor_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
    add_library(editor_${name} STATIC ${ARG_SOURCES})
    set_target_properties(editor_${name} PROPERTIES AUTOMOC ON)
    target_include_directories(editor_${name} PUBLIC ${PROJECT_SOURCE_DIR}/editor)
    target_link_libraries(editor_${name} PUBLIC Qt6::Widgets ${ARG_LINK} PRIVATE floe_options)
    target_precompile_headers(editor_${name} PRIVATE <QtWidgets>)
endfunction()

# floe_test(KIND NAME [PREFIX PREFIX] SOURCES a.cpp ... [LINK lib ...] [FOREIGN_THREADS] [THREADED FILTER] [LONG FILTER] [GPU FILTER])
# A GoogleTest program KIND_NAME in tests/KIND/NAME; each case is a CTest test labelled KIND.
# Kind gpu runs on a card; GPU: the cases, as GoogleTest's filter, that do so too (floe_test_on_card).
# FOREIGN_THREADS: what runs in parallel is inside a library (OpenVDB, the Vulkan driver) that the
# thread sanitizer does not see into; such tests are left out under it.
# PREFIX: of the tests' names, in place of KIND, where the same sources make two programs.
# THREADED: the cases that run threads, as GoogleTest's filter; under the thread sanitizer the others
# are left out, or all if it is NONE.
# LONG: cases, as such a filter, that simulate for long what others do shortly; left out under any
# sanitizer, where they take minutes and run no other code.
function(floe_test kind name)
    cmake_parse_arguments(ARG "FOREIGN_THREADS" "THREADED;LONG;GPU;PREFIX" "SOURCES;LINK" ${ARGN})
    set(prefix ${kind}.)
    if(ARG_PREFIX)
        set(prefix ${ARG_PREFIX}.)
    endif()
    set(cases *)
    if(FLOE_SANITIZE MATCHES thread)
        if(ARG_FOREIGN_THREADS OR ARG_THREADED STREQUAL "NONE")
            return()
        endif()
        if(ARG_THREADED)
            set(cases ${ARG_THREADED})
        endif()
    endif()
    if(FLOE_SANITIZE AND ARG_LONG)
        string(APPEND cases -${ARG_LONG})
    endif()
    set(target ${kind}_${name})
    add_executable(${target} ${ARG_SOURCES})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
    target_link_libraries(${target} PRIVATE ${ARG_LINK} GTest::gtest_main GTest::gmock floe_options)
    target_compile_definitions(${target} PRIVATE
        FLOE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" FLOE_BINARY_DIR="${CMAKE_BINARY_DIR}")
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    if(kind STREQUAL "unit")
        add_dependencies(unit_tests ${target})
    endif()
    if(kind STREQUAL "gpu")
        if(NOT FLOE_GPU_TESTS) # it must compile
            set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
        endif()
        add_dependencies(gpu_tests ${target})
        floe_test_on_card(${target} gpu. * cuda)
        return()
    endif()
    gtest_discover_tests(${target} TEST_PREFIX ${prefix} TEST_FILTER ${cases} PROPERTIES LABELS ${kind} TIMEOUT 900
        DISCOVERY_TIMEOUT 120 NO_PRETTY_VALUES)
    if(ARG_GPU)
        floe_test_on_card(${target} gpu.${kind}. ${ARG_GPU} cpu)
    endif()
endfunction()

# floe_test_on_card(TARGET PREFIX FILTER DEVICE): cases of a GoogleTest program, as its filter has them,
# as CTest tests labelled gpu with FLOE_TEST_DEVICE=cuda in their environment; skipped where there is no
# card. Run by hand, without that variable, the program asks for DEVICE.
function(floe_test_on_card target prefix filter device)
    if(NOT FLOE_GPU_TESTS)
        return()
    endif()
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/needs_device.cpp)
    target_compile_definitions(${target} PRIVATE FLOE_TEST_DEVICE_ELSE="${device}")
    target_link_libraries(${target} PRIVATE floe::compute)
    add_dependencies(gpu_tests ${target})
    gtest_discover_tests(${target} TEST_PREFIX ${prefix} TEST_FILTER ${filter}
        PROPERTIES LABELS gpu ENVIRONMENT FLOE_TEST_DEVICE=cuda TIMEOUT 300 DISCOVERY_TIMEOUT 120
        NO_PRETTY_VALUES)
endfunction()

# floe_add_plugin(NAME [SOURCES a.cpp ...] [MANIFEST plugin.json] [FILES f ...] [LINK lib ...]
#                 [NO_INSTALL])
#
# Builds the plugin folder NAME: the shared library libNAME.so (unless there are no SOURCES), its
# manifest, FILES, and what lies beside the manifest: the translations of its texts,
# translations/LANGUAGE.json, and pictures of its presets, pictures/NAME.jpg or .png.
# NAME is the manifest's "library". Sources may be C, C++ or CUDA.
# The folder is made in FLOE_PLUGIN_OUTPUT_DIRECTORY (by default <build>/floe-plugins) and installed
# to lib/floe/plugins/NAME, where the program of the same prefix finds it.
# The target check_NAME runs `floe plugin check` on the folder, when the program was found.
function(floe_add_plugin name)
    cmake_parse_arguments(ARG "NO_INSTALL" "MANIFEST" "SOURCES;FILES;LINK" ${ARGN})
    if(ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "floe_add_plugin(${name}): unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT ARG_MANIFEST)
        set(ARG_MANIFEST plugin.json)
    endif()
    set(manifest ${ARG_MANIFEST})
    cmake_path(ABSOLUTE_PATH manifest BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    if(NOT FLOE_PLUGIN_OUTPUT_DIRECTORY)
        set(FLOE_PLUGIN_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/floe-plugins)
    endif()
    set(folder ${FLOE_PLUGIN_OUTPUT_DIRECTORY}/${name})
    set(installed lib/floe/plugins/${name})

    # The manifest names the library; a difference would show up only when the plugin is loaded.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manifest})
    file(READ ${manifest} text)
    string(JSON library ERROR_VARIABLE fault GET "${text}" library)
    if(ARG_SOURCES AND NOT library STREQUAL name)
        message(FATAL_ERROR "floe_add_plugin(${name}): ${manifest} must say \"library\": \"${name}\"")
    endif()

    set(copied)
    foreach(file ${manifest} ${ARG_FILES})
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        cmake_path(GET file FILENAME base)
        if(file STREQUAL manifest)
            set(base plugin.json)
        endif()
        add_custom_command(OUTPUT ${folder}/${base}
            COMMAND ${CMAKE_COMMAND} -E copy ${file} ${folder}/${base}
            DEPENDS ${file} VERBATIM)
        list(APPEND copied ${folder}/${base})
    endforeach()
    cmake_path(GET manifest PARENT_PATH beside)
    foreach(kind translations pictures)
        set(in_${kind})
        if(kind STREQUAL translations)
            file(GLOB files CONFIGURE_DEPENDS ${beside}/${kind}/*.json)
        else()
            file(GLOB files CONFIGURE_DEPENDS ${beside}/${kind}/*.jpg ${beside}/${kind}/*.png)
        endif()
        foreach(file ${files})
            cmake_path(GET file FILENAME base)
            add_custom_command(OUTPUT ${folder}/${kind}/${base}
                COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/${kind}
                COMMAND ${CMAKE_COMMAND} -E copy ${file} ${folder}/${kind}/${base}
                DEPENDS ${file} VERBATIM)
            list(APPEND in_${kind} ${folder}/${kind}/${base})
        endforeach()
    endforeach()
    add_custom_target(${name}_files ALL DEPENDS ${copied} ${in_translations} ${in_pictures})
    if(NOT ARG_NO_INSTALL)
        if(TARGET floe_all)
            add_dependencies(floe_all ${name}_files)
        endif()
        install(FILES ${copied} DESTINATION ${installed} COMPONENT runtime)
        foreach(kind translations pictures)
            if(in_${kind})
                install(FILES ${in_${kind}} DESTINATION ${installed}/${kind} COMPONENT runtime)
            endif()
        endforeach()
    endif()

    if(ARG_SOURCES)
        add_library(${name} MODULE ${ARG_SOURCES})
        add_dependencies(${name} ${name}_files)
        if(TARGET floe_all AND NOT ARG_NO_INSTALL)
            add_dependencies(floe_all ${name})
        endif()
        target_link_libraries(${name} PRIVATE floe::sdk ${ARG_LINK})
        if(TARGET floe_options)
            target_link_libraries(${name} PRIVATE floe_options)
        endif()
        if(CMAKE_CXX_COMPILER_LOADED)
            target_compile_features(${name} PRIVATE cxx_std_20)
        endif()
        # Not as a feature: older CMakes do not know that newer CUDA compilers have it.
        if(CMAKE_CUDA_COMPILER_LOADED AND NOT CMAKE_CUDA_STANDARD)
            target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
        endif()
        if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT FLOE_SANITIZE)
            target_link_options(${name} PRIVATE LINKER:--no-undefined) # tell it now, not on loading
        endif()
        set_target_properties(${name} PROPERTIES
            PREFIX lib
            LIBRARY_OUTPUT_DIRECTORY ${folder}
            POSITION_INDEPENDENT_CODE ON
            CUDA_RUNTIME_LIBRARY Static
            C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
            VISIBILITY_INLINES_HIDDEN ON)
        if(NOT ARG_NO_INSTALL)
            install(TARGETS ${name} LIBRARY DESTINATION ${installed} COMPONENT runtime)
        endif()
    endif()

    if(FLOE_PROGRAM)
        add_custom_target(check_${name} COMMAND ${FLOE_PROGRAM} plugin check ${folder} VERBATIM)
        add_dependencies(check_${name} ${name}_files)
        if(ARG_SOURCES)
            add_dependencies(check_${name} ${name})
        endif()
    endif()
endfunction()

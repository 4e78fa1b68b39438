# floe_add_plugin(NAME SOURCES a.cpp ... [MANIFEST plugin.json] [FILES f ...] [LINK lib ...])
#
# Builds the plugin folder NAME: the shared library libNAME.so (unless there are no SOURCES), its
# manifest and FILES. The folder is made in FLOE_PLUGIN_OUTPUT_DIRECTORY (by default
# <build>/floe-plugins) and installed to lib/floe/plugins/NAME.
function(floe_add_plugin name)
    cmake_parse_arguments(ARG "" "MANIFEST" "SOURCES;FILES;LINK" ${ARGN})
    if(NOT ARG_MANIFEST)
        set(ARG_MANIFEST plugin.json)
    endif()
    if(NOT FLOE_PLUGIN_OUTPUT_DIRECTORY)
        set(FLOE_PLUGIN_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/floe-plugins)
    endif()
    set(folder ${FLOE_PLUGIN_OUTPUT_DIRECTORY}/${name})
    set(installed ${CMAKE_INSTALL_LIBDIR}/floe/plugins/${name})
    if(NOT CMAKE_INSTALL_LIBDIR)
        set(installed lib/floe/plugins/${name})
    endif()

    set(copied)
    foreach(file ${ARG_MANIFEST} ${ARG_FILES})
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        cmake_path(GET file FILENAME base)
        if(file STREQUAL "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_MANIFEST}")
            set(base plugin.json)
        endif()
        add_custom_command(OUTPUT ${folder}/${base}
            COMMAND ${CMAKE_COMMAND} -E copy ${file} ${folder}/${base}
            DEPENDS ${file} VERBATIM)
        list(APPEND copied ${folder}/${base})
    endforeach()
    add_custom_target(${name}_files ALL DEPENDS ${copied})
    if(TARGET floe_all)
        add_dependencies(floe_all ${name}_files)
    endif()
    install(FILES ${copied} DESTINATION ${installed} COMPONENT runtime)

    if(ARG_SOURCES)
        add_library(${name} MODULE ${ARG_SOURCES})
        add_dependencies(${name} ${name}_files)
        if(TARGET floe_all)
            add_dependencies(floe_all ${name})
        endif()
        target_link_libraries(${name} PRIVATE floe::sdk ${ARG_LINK})
        if(TARGET floe_options)
            target_link_libraries(${name} PRIVATE floe_options)
        endif()
        set_target_properties(${name} PROPERTIES
            LIBRARY_OUTPUT_DIRECTORY ${folder}
            C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
            VISIBILITY_INLINES_HIDDEN ON)
        install(TARGETS ${name} LIBRARY DESTINATION ${installed} COMPONENT runtime)
    endif()
endfunction()

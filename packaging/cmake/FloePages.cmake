# Pages of the documentation, whose links are those of the repository, are installed under other
# names. A link to something that is installed is made to lead there; any other becomes plain text.

# Where an installation has what the repository has elsewhere: "here=there", both from the roots.
set(FLOE_INSTALLED
    README.md=share/doc/floe/README.md
    LICENSE=share/doc/floe/copyright
    packaging/CHANGELOG.md=share/doc/floe/changes.md
    runtime/render/DejaVuSans.license.txt=share/doc/floe/DejaVuSans.license.txt
    runtime/app/README.md=share/doc/floe/command-line.md
    runtime/python/README.md=share/doc/floe/python.md
    packaging/blender/README.md=share/doc/floe/blender.md
    packaging/HOUDINI.md=share/doc/floe/houdini.md
    runtime/graph/README.md=share/doc/floe/graph-format.md
    runtime/ranks/README.md=share/doc/floe/ranks.md
    runtime/graph/schema/graph.schema.json=share/floe/schema/graph.schema.json
    runtime/graph/schema/plugin.schema.json=share/floe/schema/plugin.schema.json
    runtime/serve/PROTOCOL.md=share/doc/floe/protocol.md
    runtime/serve/protocol.schema.json=share/floe/schema/protocol.schema.json
    runtime/sdk/README.md=share/doc/floe/sdk.md
    runtime/sdk/SHIPPING.md=share/doc/floe/shipping.md
    graphs/activation/README.md=share/floe/graphs/activation/README.md
    plugins/activation/training/README.md=share/floe/training/README.md)
foreach(folder graphs=share/floe/graphs editor/manual=share/doc/floe/manual
        plugins/activation/training=share/floe/training)
    string(REGEX MATCH "^([^=]*)=(.*)$" folder ${folder})
    set(from ${CMAKE_MATCH_1})
    set(to ${CMAKE_MATCH_2})
    file(GLOB_RECURSE files RELATIVE ${PROJECT_SOURCE_DIR}/${from} ${PROJECT_SOURCE_DIR}/${from}/*)
    foreach(file ${files})
        if(file MATCHES "\\.(floe\\.json|jpg|png|obj|md|py)$" AND NOT file STREQUAL README.md)
            list(APPEND FLOE_INSTALLED ${from}/${file}=${to}/${file})
        endif()
    endforeach()
endforeach()
list(REMOVE_DUPLICATES FLOE_INSTALLED)

# floe_install_page(PAGE COMPONENT): installs a page of FLOE_INSTALLED.
function(floe_install_page page component)
    set(target ${FLOE_INSTALLED})
    list(FILTER target INCLUDE REGEX "^${page}=")
    string(REPLACE "${page}=" "" target "${target}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${page})
    file(READ ${PROJECT_SOURCE_DIR}/${page} text)
    cmake_path(GET page PARENT_PATH here)
    cmake_path(GET target PARENT_PATH there)
    foreach(pair ${FLOE_INSTALLED})
        string(REGEX MATCH "^([^=]*)=(.*)$" pair ${pair})
        file(RELATIVE_PATH link ${PROJECT_SOURCE_DIR}/${here} ${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_1})
        file(RELATIVE_PATH moved /${there} /${CMAKE_MATCH_2})
        # "@" marks what is done.
        string(REPLACE "](${link})" "](@${moved})" text "${text}")
        string(REPLACE "](${link}#" "](@${moved}#" text "${text}")
    endforeach()
    string(REGEX REPLACE "!?\\[([^]]*)\\]\\(([^):#@][^):]*)\\)" "\\1" text "${text}")
    string(REPLACE "](@" "](" text "${text}")
    set(made ${PROJECT_BINARY_DIR}/${target})
    file(WRITE ${made} "${text}")
    install(FILES ${made} DESTINATION ${there} COMPONENT ${component})
endfunction()

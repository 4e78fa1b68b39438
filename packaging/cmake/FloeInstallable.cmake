# `cmake --install` works from whatever the scripts have built (packaging/run.sh leaves out the editor and the
# pages, for example): what is missing is built first. Included before the rules that copy files.
set(products ${PROJECT_BINARY_DIR}/nodes.md)
if(FLOE_HAVE_EDITOR)
    list(APPEND products ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/floe-editor)
endif()
install(CODE "
    foreach(product ${products})
        if(NOT EXISTS \${product})
            message(STATUS \"Building what is to be installed\")
            execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" --target installable
                COMMAND_ERROR_IS_FATAL ANY)
            break()
        endif()
    endforeach()" COMPONENT runtime)

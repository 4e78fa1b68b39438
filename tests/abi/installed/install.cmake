# Installs COMPONENTS (separated by commas) of the build in BINARY to an empty PREFIX.
file(REMOVE_RECURSE ${PREFIX})
string(REPLACE "," ";" components "${COMPONENTS}")
foreach(component ${components})
    execute_process(COMMAND ${CMAKE_COMMAND} --install ${BINARY} --prefix ${PREFIX}
        --component ${component} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

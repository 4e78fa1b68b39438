# The GPUs that a stand-in for nvidia-smi has decide what is compiled for.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../../../packaging/cmake/FloeGpus.cmake)

function(expect script wanted)
    file(MAKE_DIRECTORY ${FOLDER})
    file(WRITE ${FOLDER}/nvidia-smi "#!/bin/sh\n${script}\n")
    file(CHMOD ${FOLDER}/nvidia-smi PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    set(ENV{PATH} "${FOLDER}:$ENV{PATH}")
    floe_gpu_architectures(found)
    if(NOT found STREQUAL wanted)
        message(SEND_ERROR "'${script}': '${found}', not '${wanted}'")
    endif()
endfunction()

expect("printf '8.9\\n'" "89")
expect("printf '12.0\\n9.0\\n8.0\\n9.0\\n'" "80;90;120")
expect("printf '6.1\\n8.6\\n'" "86") # nvcc 13 cannot serve the first
expect("echo 'No devices were found'" "")
expect("echo 'cannot reach the driver' >&2; exit 9" "")

# floe_gpu_architectures(OUT): what this machine's NVIDIA GPUs need, as CMAKE_CUDA_ARCHITECTURES takes
# it: "80;89". Empty where there is none, or no driver to ask.
function(floe_gpu_architectures out)
    set(${out} "" PARENT_SCOPE)
    find_program(FLOE_NVIDIA_SMI nvidia-smi NO_CACHE)
    if(NOT FLOE_NVIDIA_SMI)
        return()
    endif()
    execute_process(COMMAND ${FLOE_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
        OUTPUT_VARIABLE answer ERROR_QUIET RESULT_VARIABLE failed)
    if(failed)
        return()
    endif()
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${answer}")
    list(TRANSFORM capabilities REPLACE "\\." "")
    list(REMOVE_DUPLICATES capabilities)
    list(SORT capabilities COMPARE NATURAL)
    # What is older than Floe and its compiler know how to serve must not stand in the way of the rest.
    list(FILTER capabilities EXCLUDE REGEX "^([1-6][0-9]|7[0-4])$")
    set(${out} "${capabilities}" PARENT_SCOPE)
endfunction()

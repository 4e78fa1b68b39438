# FLOE_PYTHON: a Python that has NumPy, as runtime/python needs it; empty without one. Where several are
# installed, the first on PATH need not have it, so Debian's own is tried too.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT DEFINED FLOE_PYTHON)
    set(found "")
    foreach(candidate ${Python3_EXECUTABLE} /usr/bin/python3)
        execute_process(COMMAND ${candidate} -c "import sys, numpy; sys.exit(sys.version_info < (3, 9))"
            RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
        if(result EQUAL 0)
            set(found ${candidate})
            break()
        endif()
    endforeach()
    if(found) # asked again as long as there is none
        set(FLOE_PYTHON ${found} CACHE FILEPATH "Python with NumPy, for the tests of runtime/python")
    endif()
endif()

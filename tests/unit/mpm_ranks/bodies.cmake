# Tests of several ranks that tests/parity/mpm and tests/gpu/mpm compile for CUDA, too.
set(mpm_ranks ${CMAKE_CURRENT_LIST_DIR})
set(mpm_ranks_bodies
    ${mpm_ranks}/kept_particles_test.cpp
    ${mpm_ranks}/own_emission_test.cpp
    ${mpm_ranks}/saved_parts_test.cpp
    ${mpm_ranks}/several_ranks_test.cpp
    ${mpm_ranks}/sleeping_ranks_test.cpp)

# Test bodies that are written once for every backend (backends.hpp): run on the CPU by tests/unit/mpm, under the
# emulator by tests/parity/mpm, on a card by tests/gpu/mpm.
set(mpm_bodies body_contact_test.cpp conservation_test.cpp contact_test.cpp cubic_test.cpp custom_test.cpp flip_test.cpp guard_test.cpp periodic_test.cpp surface_tension_test.cpp walls_test.cpp)
list(TRANSFORM mpm_bodies PREPEND ${CMAKE_CURRENT_LIST_DIR}/)

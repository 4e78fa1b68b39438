/// Functions compiled for several instruction sets.
#pragma once

// One source, compiled for three instruction sets; the loader picks one, on any maker's processor
// ("arch=haswell" would be Intel's alone). Not with sanitizers.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) &&    \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&                             \
    !defined(FLOE_NO_TARGET_CLONES)
#define FLOE_EACH_INSTRUCTION_SET                                                                  \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FLOE_EACH_INSTRUCTION_SET
#endif

#include "kernels.hpp"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace floe::mpm {

const Kernels* findKernels(const char* name)
{
    if (std::strcmp(name, "baseline") == 0)
        return &kBaselineKernels;
#if FLOE_MPM_AVX2
    __builtin_cpu_init();
    if (std::strcmp(name, "avx2") == 0 && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("fma"))
        return &kAvx2Kernels;
#endif
#if FLOE_MPM_AVX512
    if (std::strcmp(name, "avx512") == 0 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw"))
        return &kAvx512Kernels;
#endif
    return nullptr;
}

const Kernels& chooseKernels()
{
    if (const char* asked = std::getenv("FLOE_SIMD"))
        if (const Kernels* kernels = findKernels(asked))
            return *kernels;
    for (const char* name : {"avx512", "avx2"})
        if (const Kernels* kernels = findKernels(name))
            return *kernels;
    return kBaselineKernels;
}

} // namespace floe::mpm

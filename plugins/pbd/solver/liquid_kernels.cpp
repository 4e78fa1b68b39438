#include "liquid_kernels.hpp"

#include "liquid_loops.hpp"

#include <cstdlib>
#include <cstring>

namespace floe::pbd {

extern const LiquidKernels kLiquidAvx2;
constinit const LiquidKernels kLiquidBaseline{"baseline", &near,   &densities,
                                              &impulses,  &smooth, &derive};

const LiquidKernels& liquidKernels()
{
#if FLOE_PBD_AVX2
    static const bool fast = [] {
        __builtin_cpu_init();
        const char* asked = std::getenv("FLOE_SIMD");
        return (!asked || std::strcmp(asked, "baseline") != 0) && __builtin_cpu_supports("avx2") &&
               __builtin_cpu_supports("fma");
    }();
    if (fast)
        return kLiquidAvx2;
#endif
    return kLiquidBaseline;
}

} // namespace floe::pbd

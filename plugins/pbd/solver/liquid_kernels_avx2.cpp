// Compiled for AVX2 and FMA (CMakeLists.txt).
#include "liquid_loops.hpp"

namespace floe::pbd {

extern const LiquidKernels kLiquidAvx2;
constinit const LiquidKernels kLiquidAvx2{"avx2", &near, &densities, &impulses, &smooth, &derive};

} // namespace floe::pbd

#define FLOE_MPM_SUPPORT 4
#define FLOE_MPM_KERNELS kAvx2Cubic
#define FLOE_MPM_KERNELS_NAME "AVX2"
#define FLOE_MPM_IMPLICIT kAvx2CubicImplicit
#include "kernels_body.inl"

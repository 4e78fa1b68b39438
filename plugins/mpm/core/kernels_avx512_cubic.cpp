#define FLOE_MPM_SUPPORT 4
#define FLOE_MPM_KERNELS kAvx512Cubic
#define FLOE_MPM_KERNELS_NAME "AVX-512"
#define FLOE_MPM_IMPLICIT kAvx512CubicImplicit
#include "kernels_body.inl"

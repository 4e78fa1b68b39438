#define FLOE_MPM_SUPPORT 3
#define FLOE_MPM_KERNELS kAvx2Kernels
#define FLOE_MPM_KERNELS_NAME "AVX2"
#define FLOE_MPM_IMPLICIT kAvx2Implicit
#define FLOE_MPM_CUBIC kAvx2Cubic
#include "kernels_body.inl"

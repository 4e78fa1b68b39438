#define FLOE_MPM_SUPPORT 3
#define FLOE_MPM_KERNELS kAvx512Kernels
#define FLOE_MPM_KERNELS_NAME "AVX-512"
#define FLOE_MPM_IMPLICIT kAvx512Implicit
#define FLOE_MPM_CUBIC kAvx512Cubic
#include "kernels_body.inl"

#define FLOE_MPM_KERNELS kAvx512Kernels
#define FLOE_MPM_KERNELS_NAME "AVX-512"
#include "kernels_body.inl"

#define FLOE_MPM_KERNELS kAvx2Kernels
#define FLOE_MPM_KERNELS_NAME "AVX2"
#include "kernels_body.inl"

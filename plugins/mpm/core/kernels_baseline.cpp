#define FLOE_MPM_KERNELS kBaselineKernels
#define FLOE_MPM_KERNELS_NAME "baseline"
#include "kernels_body.inl"

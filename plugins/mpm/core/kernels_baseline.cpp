#define FLOE_MPM_SUPPORT 3
#define FLOE_MPM_KERNELS kBaselineKernels
#define FLOE_MPM_KERNELS_NAME "baseline"
#define FLOE_MPM_IMPLICIT kBaselineImplicit
#define FLOE_MPM_CUBIC kBaselineCubic
#include "kernels_body.inl"

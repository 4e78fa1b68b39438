#define FLOE_MPM_SUPPORT 4
#define FLOE_MPM_KERNELS kBaselineCubic
#define FLOE_MPM_KERNELS_NAME "baseline"
#define FLOE_MPM_IMPLICIT kBaselineCubicImplicit
#include "kernels_body.inl"

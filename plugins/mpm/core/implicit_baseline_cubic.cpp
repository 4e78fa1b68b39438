#define FLOE_MPM_SUPPORT 4
#define FLOE_MPM_IMPLICIT kBaselineCubicImplicit
#include "implicit_body.inl"

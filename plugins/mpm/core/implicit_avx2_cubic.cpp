#define FLOE_MPM_SUPPORT 4
#define FLOE_MPM_IMPLICIT kAvx2CubicImplicit
#include "implicit_body.inl"

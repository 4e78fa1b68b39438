#define FLOE_MPM_SUPPORT 3
#define FLOE_MPM_IMPLICIT kBaselineImplicit
#include "implicit_body.inl"

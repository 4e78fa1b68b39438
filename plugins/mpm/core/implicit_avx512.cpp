#define FLOE_MPM_SUPPORT 3
#define FLOE_MPM_IMPLICIT kAvx512Implicit
#include "implicit_body.inl"

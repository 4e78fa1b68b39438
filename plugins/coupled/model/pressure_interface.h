/* What the solver asks a model of pressures: the record "floe.pressure" has the field `model`, an
 * interface FLOE_PRESSURE_INTERFACE. All arrays are in host memory, owned by the solver and valid
 * during the call. */
#ifndef FLOE_COUPLED_PRESSURE_INTERFACE_H
#define FLOE_COUPLED_PRESSURE_INTERFACE_H

#include "floe/sdk/floe.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FLOE_PRESSURE_INTERFACE "floe.coupled.pressure/1"
#define FLOE_PRESSURE_MAX_PAST 16
#define FLOE_PRESSURE_FIELDS 6

/* Solved pressures [Pa] by blocks of 4x4x4 cells; not a number where there was no unknown. */
typedef struct floe_pressure_field {
    uint32_t block_count;
    const int32_t* block; /* 3 per block: index of its first cell / 4 */
    /* FLOE_PRESSURE_FIELDS x 64 per block, cell 16 x + 4 y + z: solid, fluid, interface, and walls
     * at the lower face of the cell along x, y and z */
    const float* value;
} floe_pressure_field;

/* The linear system A x = b of a step (system/pressure_system.hpp) and what is known before it is
 * solved. */
typedef struct floe_pressure_request {
    uint32_t struct_size;
    uint32_t rows;
    uint32_t first[5];      /* rows of solid, fluid, wall and interface pressures: k has those from
                               first[k] to first[k + 1] */
    uint32_t past_count;    /* as many as any model needs, or more; fewer in the first steps */
    const int32_t* cell;    /* 3 per row */
    const uint8_t* axis;    /* per row: of a wall pressure, that of the cell's lower face; else 0 */
    const double* right;    /* b */
    const double* diagonal; /* of A */
    const double* start; /* x with which the solve would begin, with the wall pressures that belong
                            to the others [Pa] */
    const double* residual;          /* b - A start */
    const floe_pressure_field* past; /* of the last steps, newest first */
    double cell_size;                /* [m] */
    double time, dt;                 /* of the simulation, and length of the step [s] */
    double frame;
    uint64_t step; /* number since the first frame, from 0 */
} floe_pressure_request;

/* Functions do not change the object. */
typedef struct floe_pressure_interface {
    uint32_t struct_size;
    uint32_t past; /* steps whose pressures it needs, at most FLOE_PRESSURE_MAX_PAST; no guess is
                      asked for before there are as many */
    /* ? Guesses the solution. In: `start`; out: the guess [Pa], whose wall pressures do not matter.
     * The solver goes towards it as far as the energy of the error falls, and drops it where the
     * residual is not smaller then. */
    floe_status (*guess)(void* self, const floe_context* context,
                         const floe_pressure_request* request, double* x);
    /* ? Told the solution. */
    floe_status (*solved)(void* self, const floe_context* context,
                          const floe_pressure_request* request, const double* x);
} floe_pressure_interface;

#ifdef __cplusplus
}
#endif

#endif

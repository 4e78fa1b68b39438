/* Solid bodies that move by the momentum they stop: how a solver of matter and a solver of bodies
 * work on one world, step by step.
 *
 * The solver of bodies gives out a record "floe.coupling"; linked to the colliders of a solver of
 * matter, it is stepped by that solver. In each frame the host cooks the solver of bodies first
 * (it reads its inputs), then the solver of matter (it moves both), then the solver of bodies once
 * more for the same frame (it gives its outputs): see Evaluator. On the simulation's first frame
 * the solver of bodies does not know yet whether it will be stepped; nothing moves there.
 *
 *     attach                        once a frame
 *     begin  distances ...          as often as a step is tried, with any length
 *     end                           when the step is taken
 *
 * Nothing moves before `end`: a step that is tried again, shorter, just begins again. */
#ifndef FLOE_SDK_COUPLING_H
#define FLOE_SDK_COUPLING_H

#include "floe/sdk/floe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* record "floe.coupling"
 *   bodies   interface FLOE_COUPLING_INTERFACE
 */
#define FLOE_COUPLING_RECORD "floe.coupling"
#define FLOE_COUPLING_INTERFACE "floe.coupling/1"

/* A rigid body at the beginning of a step. Matrices are row-major, everything in world space. */
typedef struct floe_coupling_body {
    uint32_t struct_size;
    uint32_t reserved;         /* 0 */
    double center[3];          /* of mass [m] */
    double velocity[3];        /* at the step's end, as far as matter does not change it [m/s] */
    double spin[3];            /* the same [rad/s] */
    double inverse_mass;       /* [1/kg]; 0: nothing moves it */
    double inverse_inertia[9]; /* about its centre [1/(kg m^2)] */
    double reach;              /* no point of it is farther from its centre [m] */
    double friction;           /* Coulomb's coefficient, >= 0 */
} floe_coupling_body;

/* What matter gave a body in a step. */
typedef struct floe_coupling_push {
    double impulse[3]; /* [kg m/s] */
    double moment[3];  /* about the centre that `begin` said [kg m^2/s] */
} floe_coupling_push;

typedef struct floe_coupling_interface {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    /* Announces the solver that is going to step the bodies. FLOE_BAD_ARGUMENT, with a message: an
     * other one does already, or its frames do not last as long.
     * @param owner          distinguishes solvers; the same in every frame
     * @param frame_seconds  simulated time from one frame to the next [s] */
    floe_status (*attach)(void* self, const floe_context* context, const void* owner,
                          double frame_seconds);
    /* Prepares a step of this length. `*bodies` is valid until the next call; their number and
     * order do not change within a frame. */
    floe_status (*begin)(void* self, const floe_context* context, double dt,
                         const floe_coupling_body** bodies, uint32_t* count);
    /* Signed distances of points from one body as it lies at the step's beginning, negative inside
     * [m], and unit normals outwards, or 0 where there is no way out. Exact near the surface only;
     * far outside a lower bound. From many threads at once.
     * @param x  3 a point, from the body's centre, in world space [m] */
    void (*distances)(void* self, uint32_t body, uint32_t count, const float* x, float* distance,
                      float* normal);
    /* Takes the step: one push for each body of `begin`. FLOE_DIVERGED, with a message. */
    floe_status (*end)(void* self, const floe_context* context, const floe_coupling_push* pushes);
} floe_coupling_interface;

#ifdef __cplusplus
}
#endif

#endif

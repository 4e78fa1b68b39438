/* The records that Floe's own nodes exchange, and the interfaces they carry. A third-party node
 * that fills the same fields works with Floe's solver, and vice versa. Fields marked ? may be
 * absent. */
#ifndef FLOE_SDK_RECORDS_H
#define FLOE_SDK_RECORDS_H

#include "floe/sdk/floe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* record "material"
 *   name           string   shown in legends
 *   color          vector   linear RGB
 *   opacity?       number   for pictures, 0 to 1; below 1 light enters (1)
 *   colorDepth?    number   depth at which light that entered has the colour [m] (0.5)
 *   density        number   rest density [kg/m^3]
 *   law            string   fixedCorotated | neoHookean | hencky | liquid | snow | druckerPrager |
 *                           vonMises | herschelBulkley | camClay | custom
 *   parameters     record   "material.<law>": the numbers of that law, named as in
 *                           floe/sdk/physics (youngModulus [Pa], poissonRatio, ...)
 *   model?         interface FLOE_MATERIAL_INTERFACE, law "custom" only
 *   staysWhole?    boolean  elastic laws: what an emitter gives at once is a body that does not
 *                           tear; not every solver knows it (false)
 *   friction?      number   Coulomb's coefficient of its bodies where they meet others, at least 0;
 *                           not every solver knows it (the solver's)
 *
 * record "floe.friction"         of a pair of materials whose bodies meet
 *   first, second  record   materials, which may be the same
 *   friction       number   Coulomb's coefficient, at least 0, in place of what the two say
 *
 * record "emitter"
 *   material       record   material
 *   source         interface FLOE_EMITTER_INTERFACE
 *   avoidOverlap   boolean  leave out new particles in cells that already hold some
 *   settled?       boolean  start compressed by the overburden
 *
 * record "collider"
 *   shape?         volume   signed distance in the collider's own space; there is one, or a surface
 *   surface?       mesh     own space: triangles that stop what meets them on either side, thin as
 *                           they may be; not every solver knows them
 *   transform      transform own space to world, keys covering [frame - 1, frame]
 *   nextShape?     volume   deforming: shape at `frame` (shape is then the one at frame - 1)
 *   velocity?      volume   Vec3f, deforming: velocity [m/s] in own space
 *   contact        string   stick | slip | separate
 *   friction       number   Coulomb coefficient, >= 0
 *   particles      string   none | bounce | delete: effect on particles inside
 *   mesh?          mesh     for pictures, own space
 *   color?         vector
 *
 * record "domain"
 *   bounded        boolean  false: unbounded, other fields are ignored
 *   center         vector   [m]
 *   size           vector   [m], along the box's axes
 *   rotation       vector   Euler XYZ [degrees]
 *   xMin xMax yMin yMax zMin zMax  string  open | slip | stick | separate
 *   friction       number   for separate
 *
 * record "force"
 *   type           string   gravity | drag | wind | attractor | field | custom
 *   vector?        vector   gravity: acceleration [m/s^2]; wind: air velocity [m/s]
 *   strength?      number   drag, wind: rate [1/s]; attractor: acceleration at `radius` [m/s^2],
 *                           negative pushes; field: factor
 *   center? radius? falloff?  attractor: position [m], [m], exponent
 *   turbulence? frequency? seed?  wind: speed [m/s], [1/m], whole number
 *   field?         volume   Vec3f in world space: acceleration [m/s^2]; wind: velocity added [m/s]
 *   model?         interface FLOE_FORCE_INTERFACE, type "custom" only
 *
 * record "activation"
 *   strategy       interface FLOE_ACTIVATION_INTERFACE
 *   evaluationsPerFrame?  integer  evaluations of the strategy: 1 (default) to 1000 per frame; 0
 *                           none, all blocks stay active; -1 before every step; -2 each time the
 *                           fastest particle or collider crosses two cells, at least once. Fewer
 *                           while nothing sleeps (down to every fourth frame) or, with a guard,
 *                           most blocks are active (every tenth step); not if it looks ahead
 *   restSpeed?     number   speed below which rest_time counts [m/s]; negative: its amount times
 *                           domain_scale / 400 per second of the picture
 *   wakeSpeed?     number   the guard: a boundary block whose particles would move faster than
 *                           this wakes within the step; 0 or absent: no guard [m/s]; negative:
 *                           its amount times domain_scale / 400 per second of the picture
 *   stiffSpeed?    number   connected blocks of material with at least this speed of sound wake
 *                           together; 0 or absent: each block separately [m/s]
 *   neverSleeps?   string   names of materials that always stay active, separated by commas
 *   startsPassive? boolean  particles that are emitted at rest begin passive
 *
 * record "camera"
 *   eye target up  vector
 *   fieldOfView    number   vertical [degrees]
 *   before?        record   the same at the frame before; missing: the camera stands still
 *   aperture?      number   diameter of the lens [m]; missing: 0, everything is sharp
 *   focus?         number   distance along the view of what is sharp [m]; 0: of the target
 *
 * record "light"
 *   type           string   sun | point | sky | environment: in place of sky and background
 *   color          vector
 *   intensity      number
 *   direction? position?    vector
 *   softness?      number   sun: angular diameter [degrees]
 *   image?         image    environment: all that is around, row by row from straight up to
 *                           straight down; a row's middle looks along -z, its right along +x
 *   rotation?      number   of the environment about the vertical [degrees]
 *
 * particles "contacts": pushes within a frame, summed up by the two that touch, and by cells
 *   x              3 float32  mean point [m]
 *   normal         3 float32  from b to a, unit
 *   impulse        3 float32  what a got from b; b got the opposite [N s]
 *   couple         3 float32  the angular impulse about x that a got [N m s]
 *   a b            1 uint32   who
 *   aKind bKind    1 uint8    what that numbers: 0 bodies, 1 materials of free particles,
 *                             2 colliders in the order of links, 3 sides of a domain
 *   seconds?       number     the frame's duration [s], a field; missing: nobody recorded
 *   bodies? colliders? walls?  number  how many of each there are, fields; 0: they are not recorded
 *   cell?          number     edge of the cells in each of which two that touch have a sum of
 *                             their own [m], a field; missing or 0: one sum everywhere
 */

/* --------------------------------------------------------------------------------- emitter */

#define FLOE_EMITTER_INTERFACE "floe.emitter/1"

/* A part of space: what one of several ranks (floe/sdk/ranks.h) owns. Its functions answer the same
 * during the whole call of emit, from any thread. */
typedef struct floe_emission_region {
    uint32_t struct_size;
    uint32_t reserved;
    const void* self;
    /* Returns 0 where no place of a box is in the region, corners [m]; it may return 1 too often.
     */
    int32_t (*meets)(const void* self, const double low[3], const double high[3]);
    /* inside[i]: 1 where position i (3 numbers of `x`, as they are emitted [m]) is in it, else 0.
     */
    void (*find)(const void* self, const float* x, uint64_t count, uint8_t* inside);
} floe_emission_region;

typedef struct floe_emission {
    uint32_t struct_size;
    int32_t start;    /* 1: the simulation's first frame */
    double cell_size; /* of the calling solver [m] */
    double frame;     /* emission at the start of the step from frame - 1 to frame; at the
                         simulation's start, of frame itself */
    double fps;
    /* Where the caller's particles are, of several ranks that each ask for their own; NULL:
     * everywhere. See `emit`. */
    const floe_emission_region* region;
} floe_emission;

typedef struct floe_emitter_interface {
    uint32_t struct_size;
    /* Makes the particles of this frame: attributes x, v (FLOAT32, 3), volume (FLOAT32, 1) and,
     * when they vary, stiffnessScale and densityScale. `*particles` may stay NULL: nothing to emit.
     * The caller owns the reference. The same request gives the same particles on every machine and
     * with any number of threads.
     *
     * Where a region is given, an emitter may ignore it: the caller then takes its own of all. One
     * that leaves out all others says which of all its particles each is: attribute `place`
     * (UINT64, 1), ascending, the same whoever asks for that particle, and in the order in which
     * they come without a region. Some hundreds of near ones should have the upper 32 bits in
     * common: ranks that share such a group tell each other the lower ones. */
    floe_status (*emit)(void* self, const floe_context* context, const floe_emission* request,
                        floe_value** particles);
} floe_emitter_interface;

/* -------------------------------------------------------------------------------- material */

#define FLOE_MATERIAL_INTERFACE "floe.material/1"

/* A batch of particles of one material, component by component: F[3 * row + column][particle].
 * All arrays are `count` long, 64-byte aligned, `count` a multiple of 16 (padding lanes hold an
 * undeformed particle); in `device` memory. */
typedef struct floe_material_batch {
    uint32_t struct_size;
    uint32_t count;
    double time_step; /* [s] */
    float* F[9];      /* in: trial elastic deformation gradient; out: after the return map */
    float* state[4];  /* in, out: the law's own variables */
    const float* gradient[9]; /* velocity gradient [1/s] */
    const float* stiffness;   /* per-particle factor on stiffness */
    float* stress[6];         /* out: Kirchhoff stress xx, yy, zz, xy, xz, yz [Pa] */
} floe_material_batch;

typedef struct floe_material_interface {
    uint32_t struct_size;
    uint32_t state_count; /* 0 to 4 */
    float initial_state[4];
    /* Largest speed of sound at rest [m/s]; bounds the time step. */
    double (*sound_speed)(void* self);
    /* Enqueued on device->stream. Called from many threads at once. FLOE_UNSUPPORTED for a kind of
     * device that the model does not know: on a CUDA device it is then asked with host memory, to
     * which the solver copies what it reads. So is a model of a plugin none of whose nodes says
     * "cuda" in its manifest's `backends`. */
    floe_status (*update)(void* self, const floe_device* device, const floe_material_batch* batch);
} floe_material_interface;

/* ----------------------------------------------------------------------------------- force */

#define FLOE_FORCE_INTERFACE "floe.force/1"

/* Points that are near each other. All arrays are `count` long, 64-byte aligned, `count` a multiple
 * of 16 (padding lanes hold a point at rest); in `device` memory. */
typedef struct floe_force_batch {
    uint32_t struct_size;
    uint32_t count;
    double time;            /* simulated, since the first frame [s] */
    double corner[3];       /* what x counts from, in world space: far from the origin floats alone
                               would be too coarse [m] */
    const float* x[3];      /* offset from the corner [m] */
    const float* v[3];      /* velocity [m/s] */
    float* acceleration[3]; /* out, every one of them [m/s^2] */
} floe_force_batch;

typedef struct floe_force_interface {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    /* Enqueued on device->stream. Called from many threads at once; the object must not change. A
     * force that holds only for one frame is made anew by its node's next cook. Floe's solver asks
     * with host memory, also when it simulates on a CUDA device; FLOE_UNSUPPORTED for a kind of
     * device that the force does not know. */
    floe_status (*accelerate)(void* self, const floe_device* device, const floe_force_batch* batch);
} floe_force_interface;

/* ------------------------------------------------------------------------------ activation */

#define FLOE_ACTIVATION_INTERFACE "floe.activation/1"

enum { FLOE_PASSIVE = 0, FLOE_ACTIVE = 1, FLOE_BOUNDARY = 2 };

/* Optional inputs that a strategy may request; each costs the solver time. */
enum {
    FLOE_SPEED_FIELD = 1,     /* field_block, field_speed */
    FLOE_NEXT_STEP_SPEED = 2, /* future_speed: after one step */
    FLOE_EVALUATION_SPEED = 4 /* future_speed: the largest until the next evaluation */
};

/* Blocks of 4x4x4 cells that hold particles, in the same, arbitrary order in all arrays. All arrays
 * are in host memory, owned by the solver and valid during the call. */
typedef struct floe_activation_request {
    uint32_t struct_size;
    uint32_t block_count;
    const int32_t* block;      /* 3 per block: index of its first cell / 4 */
    const float* max_speed;    /* maximum over its particles [m/s] */
    const float* rest_time;    /* time for which max_speed has been below restSpeed, or below a
                                  small speed of the solver's own; reset on every wake-up [s] */
    const uint8_t* push_known; /* 1: a boundary block; push_speed is from the last step */
    const float* push_speed;   /* that active neighbours would have given its particles [m/s] */
    const float* sound_speed;  /* of its stiffest material at rest [m/s] */
    const float* liquid_share; /* share of its particles that are liquid, 0 to 1 */
    const float* future_speed; /* of its fastest particle if everything were active [m/s]; NULL
                                  unless requested and needed */
    /* Speed of matter per cell, in the blocks with motion; all others are at rest. Includes blocks
     * without particles that a moving collider overlaps. */
    uint32_t field_count;
    const int32_t* field_block; /* 3 per block, ascending by x, then y, then z; NULL as above */
    const float* field_speed;   /* 64 per block, 16 x + 4 y + z: mass-weighted mean over the
                                   particles of the cell, or the speed of a moving collider at most
                                   one cell away, if larger [m/s] */
    double cell_size;           /* [m] */
    double domain_scale;        /* cube root of the volume of the domain or, without one, of the
                                   smallest box around the blocks [m] */
    double fps;
    double frame;
    double horizon;            /* expected time until the next evaluation [s] */
    const floe_device* device; /* the solver's */
    double time_scale; /* simulated seconds per second of the picture; at 0.001 (slow motion)
                          a thousand times the speed looks the same */
} floe_activation_request;

typedef struct floe_activation_interface {
    uint32_t struct_size;
    uint32_t wants; /* FLOE_SPEED_FIELD, ... or 0 */
    /* In: the present state of each block; out: FLOE_PASSIVE or FLOE_ACTIVE. The solver itself
     * turns passive neighbours of active blocks into FLOE_BOUNDARY. */
    floe_status (*evaluate)(void* self, const floe_context* context,
                            const floe_activation_request* request, uint8_t* state);
    /* ? Called just before evaluate, without the inputs that `wants` names. Returns 0 when the
     * result does not depend on these; they are then not computed (NULL, field_count 0). NULL: the
     * result always depends on them. */
    int32_t (*depends)(void* self, const floe_activation_request* request, const uint8_t* state);
} floe_activation_interface;

#ifdef __cplusplus
}
#endif

#endif

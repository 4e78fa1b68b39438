/* Host extension: processes ("ranks") that simulate one scene together. A rank is one process of
 * floe with its share of the world; all of them run the same graph, and nodes without state cook on
 * each. A solver that uses this extension says `"ranks": true` among its manifest's backends.
 *
 * Every rank calls the same functions in the same order, from one thread at a time: a call on one
 * rank answers the same call on the others. What differs between ranks is whom they send what.
 * Where there is one rank, all functions work and nothing travels.
 *
 * A rank that fails ends the others: its node returns its status as usual, and the host stops them.
 */
#ifndef FLOE_SDK_RANKS_H
#define FLOE_SDK_RANKS_H

#include "floe/sdk/floe.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FLOE_RANKS_EXTENSION "floe.ranks/1"

enum {
    FLOE_RANKS_MIN = 1,
    FLOE_RANKS_MAX = 2,
    FLOE_RANKS_SUM = 3, /* of doubles: in an order that is not fixed, so not the same bits */
    FLOE_RANKS_OR = 4   /* of the bits of integers */
};

/* What one rank sends to another, or where it puts what it receives. */
typedef struct floe_ranks_part {
    int32_t peer; /* a rank, the caller itself excepted */
    uint32_t reserved;
    void* data; /* the caller's host memory (see device_memory); not written where it is sent */
    uint64_t bytes;
} floe_ranks_part;

/* What this process has sent so far, and how long finish() has waited. */
typedef struct floe_ranks_traffic {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t messages;
    uint64_t bytes;
    uint64_t reductions;
    uint64_t exchanges;
    double waiting_seconds;
    double waiting_processor_seconds; /* processor time of that; messages are copied in it */
} floe_ranks_traffic;

/* Something begun and not yet finished. */
typedef struct floe_ranks_work floe_ranks_work;

typedef struct floe_ranks floe_ranks;
struct floe_ranks {
    uint32_t struct_size;
    int32_t rank; /* of this process, 0 to size - 1 */
    int32_t size;
    int32_t local_size; /* ranks on this machine */
    void* self;         /* the host's */
    /* How the user wants space divided: "bisection" (floe/sdk/grid/bisection.hpp), "curve", "boxes"
     * or "fixed" (partition.hpp there); or "particles": each rank keeps what it was given.
     * "curve:particles", "boxes:blocks" and so on say what is to be equal, instead of measured
     * time, "fixed:2x2x1" how many boxes there are along each axis. A solver that knows no such way
     * takes its own. */
    const char* partition;

    /* Replaces `values` on every rank by their minimum, maximum or sum, entry by entry. The memory
     * belongs to the call until finish(). NaN counts as nothing. */
    floe_status (*begin_reduce)(const floe_ranks*, int32_t operation, double* values,
                                uint32_t count, floe_ranks_work** work);
    floe_status (*begin_reduce_integers)(const floe_ranks*, int32_t operation, int64_t* values,
                                         uint32_t count, floe_ranks_work** work);

    /* Sends and receives, at most one part to and from each peer. A rank receives exactly what its
     * peers send to it: both sides know the sizes (see `sizes`). The memory of all parts belongs to
     * the call until finish(); the arrays of parts do not. */
    floe_status (*begin_exchange)(const floe_ranks*, const floe_ranks_part* sends,
                                  uint32_t send_count, const floe_ranks_part* receives,
                                  uint32_t receive_count, floe_ranks_work** work);

    /* Waits. The work is gone afterwards, whatever the status. FLOE_CANCELLED: the run is to end
     * and the others did not answer any more; FLOE_FAILED: one of them was lost. */
    floe_status (*finish)(const floe_ranks*, const floe_context*, floe_ranks_work* work);

    /* Tells every rank one number and is told one by each: how much is to be sent, for example.
     * Both arrays have `size` entries; a rank's own is copied. */
    floe_status (*sizes)(const floe_ranks*, const floe_context*, const uint64_t* to_each,
                         uint64_t* from_each);

    /* Puts the data of all ranks behind each other in `all` of rank `root`; its `bytes_of_each` has
     * `size` entries. Both are NULL on the others. */
    floe_status (*gather)(const floe_ranks*, const floe_context*, int32_t root, const void* data,
                          uint64_t bytes, void* all, const uint64_t* bytes_of_each);

    /* Ends all ranks, this one too, with a sentence that says why. Does not return. For code that
     * cannot return a status. */
    void (*stop)(const floe_ranks*, const char* reason);

    void (*traffic)(const floe_ranks*, floe_ranks_traffic* traffic);

    /* Of a run that writes files; these may be NULL, with one rank and in tests. */

    /* For a solver's cook: returns 1 where all that use an output want of every rank its own part
     * (particles that it has, where there are no others of them), and 0 where rank 0 is to give
     * those of all. The same on every rank. */
    int32_t (*in_parts)(const floe_ranks*, const floe_context*, const char* output);
    /* From any thread: returns 1 when another rank is gone, so that waiting for what it would have
     * done (a file) has no sense any more. */
    int32_t (*lost)(const floe_ranks*);
    /* A name of this run, the same on every rank, and another for the next run: hexadecimal digits;
     * "0" where the launcher gives none. */
    const char* run;

    /* 1: the memory of an exchange's parts may be that of a CUDA device, whose kernels have ended;
     * 0, or missing: host memory alone. */
    int32_t device_memory;
    int32_t local_rank; /* among those on this machine, 0 to local_size - 1 */
};

#ifdef __cplusplus
}
#endif

#endif

/* What the library that is linked to MPI exports, as C: it is loaded by name. */
#pragma once

#include "floe/sdk/ranks.h"

extern "C" {

/// Fills `reason` (of `size` bytes) and returns 1 when waiting has no sense any more.
typedef int (*FloeLostFunction)(char* reason, unsigned size);

struct FloeMpi {
    const floe_ranks* ranks;
    void (*leave)();
};

/// Starts MPI. @return null: MPI did not start
/// @param lost       asked now and then while a call waits
/// @param partition  floe_ranks::partition; not copied
typedef const FloeMpi* (*FloeMpiOpen)(FloeLostFunction lost, const char* partition);
#define FLOE_MPI_OPEN "floeMpiOpen"
}

#version 450
#extension GL_GOOGLE_include_directive : require
#define ACCESS
#include "gaussians.glsl"

// Third step: each key goes to its place. Equal digits keep their order (Satish et al. 2009): threads
// count digits in the order of their keys, and counts before them, digit by digit, are their ranks.
layout(local_size_x = 128) in;

shared uint ranks[kDigits * kThreads]; // digit by digit, within a digit thread by thread
shared uint sums[kThreads];
shared uint starts[kDigits];

void main()
{
    uint thread = gl_LocalInvocationID.x;
    for (uint digit = 0u; digit < kDigits; ++digit)
        ranks[digit * kThreads + thread] = 0u;
    uint begin = (gl_WorkGroupID.x * kThreads + thread) * kEach;
    uint end = min(begin + kEach, step.count);
    for (uint i = begin; i < end; ++i)
        ++ranks[(unsorted[i].x >> step.shift & (kDigits - 1u)) * kThreads + thread];
    barrier();

    // A thread's part of all ranks is as long as there are digits.
    uint part = thread * kDigits;
    uint sum = 0u;
    for (uint k = 0u; k < kDigits; ++k)
        sum += ranks[part + k];
    sums[thread] = sum;
    barrier();
    for (uint reach = 1u; reach < kThreads; reach *= 2u) {
        uint before = thread >= reach ? sums[thread - reach] : 0u;
        barrier();
        sums[thread] += before;
        barrier();
    }
    uint rank = sums[thread] - sum;
    for (uint k = 0u; k < kDigits; ++k) {
        uint own = ranks[part + k];
        ranks[part + k] = rank;
        rank += own;
    }
    barrier();
    if (thread < kDigits)
        starts[thread] = ranks[thread * kThreads];
    barrier();

    for (uint i = begin; i < end; ++i) {
        uvec2 pair = unsorted[i];
        uint digit = pair.x >> step.shift & (kDigits - 1u);
        uint place = ranks[digit * kThreads + thread]++ - starts[digit];
        sorted[counts[digit * step.groups + gl_WorkGroupID.x] + place] = pair;
    }
}

#version 450
#extension GL_GOOGLE_include_directive : require
#define ACCESS
#include "gaussians.glsl"

// First step of a pass of the sort: how often each digit occurs in a group's keys.
layout(local_size_x = 128) in;

shared uint bins[kDigits];

void main()
{
    uint thread = gl_LocalInvocationID.x;
    if (thread < kDigits)
        bins[thread] = 0u;
    barrier();
    uint begin = gl_WorkGroupID.x * kThreads * kEach;
    for (uint k = 0u; k < kEach; ++k) {
        uint i = begin + k * kThreads + thread;
        if (i < step.count)
            atomicAdd(bins[unsorted[i].x >> step.shift & (kDigits - 1u)], 1u);
    }
    barrier();
    if (thread < kDigits)
        counts[thread * step.groups + gl_WorkGroupID.x] = bins[thread];
}

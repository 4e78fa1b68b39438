#version 450
#extension GL_GOOGLE_include_directive : require
#define ACCESS
#include "gaussians.glsl"

// Second step: counts become places, digit by digit, within a digit group by group. One group alone.
layout(local_size_x = 128) in;

shared uint sums[kThreads];

void main()
{
    uint thread = gl_LocalInvocationID.x;
    uint total = kDigits * step.groups;
    uint each = (total + kThreads - 1u) / kThreads;
    uint begin = min(thread * each, total);
    uint end = min(begin + each, total);
    uint sum = 0u;
    for (uint i = begin; i < end; ++i)
        sum += counts[i];
    sums[thread] = sum;
    barrier();
    for (uint reach = 1u; reach < kThreads; reach *= 2u) {
        uint before = thread >= reach ? sums[thread - reach] : 0u;
        barrier();
        sums[thread] += before;
        barrier();
    }
    uint place = sums[thread] - sum;
    for (uint i = begin; i < end; ++i) {
        uint own = counts[i];
        counts[i] = place;
        place += own;
    }
}

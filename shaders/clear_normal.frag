#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// Normals of the smoothed surface, from its distances.
layout(set = 0, binding = 9) uniform sampler2D distances;
layout(location = 0) out vec4 outNormal;

ivec2 last;

float at(ivec2 p)
{
    return texelFetch(distances, clamp(p, ivec2(0), last), 0).x;
}

vec3 pointAt(ivec2 p, float distance)
{
    return rayThrough((vec2(p) + 0.5) * frame.clear.y * frame.size.zw) * distance;
}

// From the texel before to the one after, or to one of them where the other is another surface.
vec3 along(ivec2 p, ivec2 step, float here)
{
    float before = at(p - step);
    float after = at(p + step);
    float toBefore = before > 0.0 ? abs(before - here) : 1e30;
    float toAfter = after > 0.0 ? abs(after - here) : 1e30;
    vec3 middle = pointAt(p, here);
    if (toBefore > 4.0 * toAfter + 1e-6 * here)
        return pointAt(p + step, after > 0.0 ? after : here) - middle;
    if (toAfter > 4.0 * toBefore + 1e-6 * here)
        return middle - pointAt(p - step, before);
    return pointAt(p + step, after > 0.0 ? after : here) -
           pointAt(p - step, before > 0.0 ? before : here);
}

void main()
{
    last = textureSize(distances, 0) - 1;
    ivec2 p = ivec2(gl_FragCoord.xy);
    float here = at(p);
    outNormal = vec4(0.0);
    if (here == 0.0)
        return;
    vec3 n = cross(along(p, ivec2(0, 2), here), along(p, ivec2(2, 0), here));
    float size = length(n);
    vec3 v = -normalize(pointAt(p, here));
    n = size > 0.0 ? n / size : v;
    outNormal = vec4(dot(n, v) < 0.0 ? -n : n, 1.0);
}

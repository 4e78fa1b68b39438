#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "gbuffer.glsl"

layout(location = 0) flat in vec4 sphere;
layout(location = 1) flat in vec3 colour;
layout(location = 2) flat in vec4 surface;
layout(location = 3) flat in vec3 grains; // diameter [m], 0: none; share that glints; number, 0..1

// The sphere lies behind the triangle drawn for it, and depth is reversed.
layout(depth_less) out float gl_FragDepth;

// Three numbers of 0..1 for a cell (PCG3D, Jarzynski and Olano 2020).
vec3 randomOf(ivec3 cell)
{
    uvec3 v = uvec3(cell) * 1664525u + 1013904223u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v ^= v >> 16u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    return vec3(v >> 8u) / 16777216.0;
}

// The grain at a place, in diameters: its middle relative to it, and the numbers of its cell.
vec3 nearestGrain(vec3 place, out vec3 numbers)
{
    ivec3 first = ivec3(floor(place - 0.5));
    vec3 nearest = vec3(9.0);
    for (int n = 0; n < 8; ++n) {
        ivec3 cell = first + ivec3(n & 1, n >> 1 & 1, n >> 2);
        vec3 own = randomOf(cell);
        vec3 to = vec3(cell) + 0.5 + 0.7 * (own - 0.5) - place;
        if (dot(to, to) < dot(nearest, nearest)) {
            nearest = to;
            numbers = own;
        }
    }
    return nearest;
}

// Grains of a particle, which go with it: each has its own shade and bulges a little; some turn a
// facet to the sun. hit: relative to the particle's middle [m]; v: to the eye; sample_: [m]
void showGrains(vec3 hit, vec3 v, float sample_)
{
    float seen = smoothstep(0.7, 2.0, grains.x / sample_);
    if (seen == 0.0)
        return;
    vec3 numbers = vec3(0.5);
    vec3 to = nearestGrain(hit / grains.x + 61.0 * grains.z, numbers);
    outColour.rgb *= 1.0 + seen * (0.36 * (numbers.x - 0.5) + 0.5 * (0.16 - dot(to, to)));
    outNormal.xyz = normalize(outNormal.xyz - 0.9 * seen * to);
    vec3 facet = normalize(numbers - 0.5 + 1e-6);
    vec3 between = normalize(v + frame.sunDirection.xyz);
    if (abs(dot(facet, between)) > 1.0 - 0.06 * grains.y * seen) {
        outNormal.xyz = between;
        outSurface = vec4(0.25, 0.28, 0.0, outSurface.w);
    }
}

void main()
{
    vec3 ray = rayThrough(gl_FragCoord.xy * frame.size.zw);
    float stretch = length(ray);
    vec3 direction = ray / stretch;
    // Distance from the centre to the ray, without cancellation (Haines et al. 2019).
    float along = dot(sphere.xyz, direction);
    vec3 offset = sphere.xyz - along * direction;
    float inside = sphere.w * sphere.w - dot(offset, offset);
    if (inside < 0.0)
        discard;
    float t = along - sqrt(inside);
    gl_FragDepth = depthOf(t / stretch);
    outColour = vec4(colour, kParticle);
    outNormal = vec4((t * direction - sphere.xyz) / sphere.w, sphere.w / frame.depthTerms.z);
    outSurface = surface;
    if (grains.x > 0.0)
        showGrains(t * direction - sphere.xyz, -direction, t / (stretch * frame.forward.w));
}

#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "gbuffer.glsl"

layout(location = 0) flat in vec4 sphere;
layout(location = 1) flat in vec3 colour;
layout(location = 2) flat in vec4 surface;

// The sphere lies behind the triangle drawn for it, and depth is reversed.
layout(depth_less) out float gl_FragDepth;

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
}

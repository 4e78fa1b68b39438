#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "particles.glsl"

layout(location = 0) flat in vec4 sphere;
layout(location = 1) flat in uint element;
layout(location = 0) out uvec2 outVisible; // number of the object, of its particle

// The sphere lies behind the triangle drawn for it, and depth is reversed.
layout(depth_less) out float gl_FragDepth;

void main()
{
    vec3 ray = rayThrough(gl_FragCoord.xy * frame.size.zw);
    float stretch = length(ray);
    vec3 direction = ray / stretch;
    float along = dot(sphere.xyz, direction);
    vec3 offset = sphere.xyz - along * direction;
    float inside = sphere.w * sphere.w - dot(offset, offset);
    if (inside < 0.0)
        discard;
    gl_FragDepth = depthOf((along - sqrt(inside)) / stretch);
    outVisible = uvec2(set.object, element);
}

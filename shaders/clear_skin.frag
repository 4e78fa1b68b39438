#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// The nearest clear particle in each pixel.
layout(location = 0) flat in vec4 sphere;
layout(location = 1) flat in vec4 matter;
layout(location = 0) out vec4 outColour;    // of the matter; opacity
layout(location = 1) out float outDistance; // along the viewing direction [m]; 0 where there is none

layout(depth_less) out float gl_FragDepth;

void main()
{
    vec3 ray = rayThrough(gl_FragCoord.xy * frame.clear.y * frame.size.zw);
    float stretch = length(ray);
    vec3 direction = ray / stretch;
    float along = dot(sphere.xyz, direction);
    vec3 offset = sphere.xyz - along * direction;
    float inside = sphere.w * sphere.w - dot(offset, offset);
    if (inside < 0.0)
        discard;
    float distance = (along - sqrt(inside)) / stretch;
    gl_FragDepth = depthOf(distance);
    outColour = matter;
    outDistance = distance;
}

#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "particles.glsl"

layout(location = 0) flat out vec4 sphere; // relative centre, radius
layout(location = 1) flat out uint element;

void main()
{
    uint i = particleOf(gl_VertexIndex);
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // outside: all three, so nothing is drawn
    sphere = vec4(0.0);
    element = set.first + i;
    vec3 centre;
    if (!particlePosition(i, centre) || length(centre) <= set.radius)
        return;
    sphere = vec4(centre, set.radius);
    gl_Position = sphereCorner(sphere, kCorners[uint(gl_VertexIndex) % 3u]);
}

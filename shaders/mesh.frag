#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "gbuffer.glsl"
#include "mesh.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 colour;

void main()
{
    float size = length(normal);
    vec3 n = size > 0.0 ? normal / size : vec3(0.0, 1.0, 0.0);
    if (dot(n, position) > 0.0)
        n = -n;
    outColour = vec4(colour, kMesh);
    outNormal = vec4(n, 0.0);
    outSurface = mesh.surface;
}

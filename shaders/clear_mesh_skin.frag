#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "mesh.glsl"

// The nearest side of clear meshes in each sample.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 colour;
layout(location = 0) out vec4 outColour;    // of the matter; opacity
layout(location = 1) out float outDistance; // along the viewing direction [m]; 0 where there is none
layout(location = 2) out vec4 outNormal;

void main()
{
    vec3 v = -normalize(position);
    vec3 n = dot(normal, normal) > 0.0 ? normalize(normal) : v;
    // Seen from inside, or bent over an outline by interpolation.
    float facing = dot(n, v);
    if (!gl_FrontFacing)
        n = -n;
    else if (facing < 0.0)
        n = normalize(n - facing * v);
    outColour = vec4(colour, mesh.colour.a);
    outDistance = dot(position, frame.forward.xyz);
    outNormal = vec4(n, 1.0);
}

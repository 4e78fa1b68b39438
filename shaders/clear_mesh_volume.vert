#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "mesh.glsl"

layout(location = 0) in vec3 point;
layout(location = 0) out vec3 outPosition;

void main()
{
    vec4 position = mesh.model * vec4(point, 1.0);
    gl_Position = frame.projection * vec4(position.xyz, 1.0);
    outPosition = position.xyz;
}

#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "mesh.glsl"

layout(location = 0) in vec3 point;
layout(location = 0) out float depth;

void main()
{
    vec4 position = mesh.model * vec4(point, 1.0);
    vec3 map = (frame.shadow * vec4(position.xyz, 1.0)).xyz;
    depth = map.z;
    gl_Position = vec4(2.0 * map.xy - 1.0, 0.5, 1.0);
}

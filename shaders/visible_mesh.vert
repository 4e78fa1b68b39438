#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "mesh.glsl"

layout(location = 0) in vec3 point;
layout(location = 0) flat out uint element;

void main()
{
    gl_Position = frame.projection * vec4((mesh.model * vec4(point, 1.0)).xyz, 1.0);
    element = uint(gl_VertexIndex) / 3u;
}

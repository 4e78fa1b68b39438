#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "mesh.glsl"

layout(location = 0) in vec3 point;
layout(location = 0) flat out uint element;

void main()
{
    vec3 position = (mesh.model * vec4(point, 1.0)).xyz;
    gl_Position = frame.projection * vec4(position, 1.0);
    gl_ClipDistance[0] = mesh.whole > 0.5 ? 1.0 : beforeCut(position);
    element = uint(gl_VertexIndex) / 3u;
}

#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "mesh.glsl"

layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 colour;
layout(location = 0) out vec3 outPosition;
layout(location = 1) out vec3 outNormal;
layout(location = 2) out vec3 outColour;

void main()
{
    vec4 position = mesh.model * vec4(point, 1.0);
    gl_ClipDistance[0] = mesh.whole > 0.5 ? 1.0 : beforeCut(position.xyz);
    gl_Position = frame.projection * vec4(position.xyz, 1.0);
    outPosition = position.xyz;
    outColour = mesh.colour.rgb * colour;
    // The cofactor matrix turns normals rightly, also for mirrored or flattened transforms.
    mat3 m = mat3(mesh.model);
    outNormal = mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])) * normal;
}

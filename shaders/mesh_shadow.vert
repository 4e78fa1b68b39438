#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "mesh.glsl"

layout(location = 0) in vec3 point;

void main()
{
    vec4 position = mesh.model * vec4(point, 1.0);
    gl_ClipDistance[0] = mesh.whole > 0.5 ? 1.0 : beforeCut(position.xyz);
    vec3 map = (frame.shadow * vec4(position.xyz, 1.0)).xyz;
    gl_Position = vec4(2.0 * map.xy - 1.0, clamp(map.z, 0.0, 0.9999), 1.0);
}

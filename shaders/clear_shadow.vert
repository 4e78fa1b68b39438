#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "particles.glsl"

layout(location = 0) out vec2 place; // in the disc, radius 1
layout(location = 1) flat out vec4 medium;

const float kTexels = 4.0; // a texel of this map holds so many of the other one, a side

void main()
{
    place = kCorners[uint(gl_VertexIndex) % 3u];
    medium = vec4(0.0);
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    vec3 centre;
    uint i = particleOf(gl_VertexIndex);
    if (!particlePosition(i, centre))
        return;
    Look look = looks[lookOf(i)];
    if (!isDrawn(i))
        return;
    vec3 map = (frame.shadow * vec4(centre, 1.0)).xyz;
    float r = max(1.5 * set.radius, 1.5 * kTexels * frame.shadowSize.z);
    float reach = r / (frame.shadowSize.z * frame.shadowSize.x);
    gl_Position = vec4(2.0 * (map.xy + reach * place) - 1.0, 0.5, 1.0);
    // The same matter in a larger sphere; scattered light is not lost to what lies below.
    float kept = set.radius / r;
    vec3 taken = look.medium.rgb * (1.0 + 2.0 * look.medium.w);
    medium = vec4(min(taken * 2.0 * r * kept * kept * kept, 40.0), clamp(map.z, 0.0, 1.0));
}

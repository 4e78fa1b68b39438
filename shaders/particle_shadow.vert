#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "particles.glsl"

layout(location = 0) out vec2 place; // in the disc, radius 1

void main()
{
    place = kCorners[uint(gl_VertexIndex) % 3u];
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    vec3 centre;
    uint i = particleOf(gl_VertexIndex);
    if (!particlePosition(i, centre) || !isDrawn(i))
        return;
    // A disc through the centre: a sphere never shades its own lit side.
    vec3 map = (frame.shadow * vec4(centre, 1.0)).xyz;
    float reach = radiusOf(looks[lookOf(i)]) / (frame.shadowSize.z * frame.shadowSize.x);
    gl_Position = vec4(2.0 * (map.xy + reach * place) - 1.0, clamp(map.z, 0.0, 0.9999), 1.0);
}

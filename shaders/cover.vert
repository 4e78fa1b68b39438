#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "particles.glsl"

// What particles surely hide, at half the resolution: a disc inside each sphere's outline, shrunk
// so that a texel counts only where all four samples are covered, as deep as the sphere's back.
// What lies farther in such a texel cannot be seen (after Greene, Kass and Miller 1993).
layout(location = 0) out vec2 place; // in the disc, radius 1

void main()
{
    place = kCorners[uint(gl_VertexIndex) % 3u];
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    vec3 centre;
    uint i = particleOf(gl_VertexIndex);
    if (!particlePosition(i, centre) || !isDrawn(i))
        return;
    float distance = dot(centre, frame.forward.xyz);
    // The near plane cuts the front ones open: they hide nothing for sure.
    if (distance - set.radius <= frame.depthTerms.w)
        return;
    float reach = frame.forward.w * set.radius / distance - 0.7072; // [samples]
    if (reach <= 0.0)
        return;
    vec4 clip = frame.projection * vec4(centre, 1.0);
    gl_Position = vec4(clip.xy / clip.w + 2.0 * reach * place * frame.size.zw,
                       depthOf(distance + set.radius), 1.0);
}

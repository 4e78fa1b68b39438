#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// One direction of a bilateral filter of the particles' normals: what is about as far away and
// within a few radii melts into one surface (after van der Laan et al. 2009).
layout(set = 0, binding = 4) uniform sampler2D depths;
layout(set = 0, binding = 9) uniform sampler2D normals;
layout(push_constant) uniform Direction { ivec2 direction; };
layout(location = 0) out vec4 outNormal;

const int kReach = 10;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 here = texelFetch(normals, at, 0);
    outNormal = here;
    float length_ = here.w * frame.depthTerms.z * 4.0;
    if (length_ <= 0.0)
        return;
    float distance = distanceOf(texelFetch(depths, at, 0).x);
    float reach = min(length_ * frame.forward.w / distance, 40.0); // [samples]
    if (reach < 0.7)
        return;
    float stride = max(reach / float(kReach), 1.0);
    ivec2 last = ivec2(frame.size.xy) - 1;
    vec3 sum = here.xyz;
    for (int i = -kReach; i <= kReach; ++i) {
        float offset = float(i) * stride;
        if (i == 0 || abs(offset) > reach)
            continue;
        ivec2 p = clamp(at + direction * int(round(offset)), ivec2(0), last);
        vec4 there = texelFetch(normals, p, 0);
        float apart = (distanceOf(texelFetch(depths, p, 0).x) - distance) / length_;
        float w = there.w > 0.0 ? exp(-2.0 * (offset * offset) / (reach * reach) - apart * apart) : 0.0;
        sum += w * there.xyz;
    }
    outNormal = vec4(normalize(sum + 1e-6 * here.xyz), here.w);
}

#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// One direction of a blur of what clear matter absorbs, over a few particles, that stops at the
// edges of the opaque things within it.
layout(set = 0, binding = 4) uniform sampler2D depths;
layout(set = 0, binding = 9) uniform sampler2D source;
layout(push_constant) uniform Direction { ivec2 direction; };
layout(location = 0) out vec4 outMatter;

float endAt(ivec2 p)
{
    ivec2 at = ivec2((vec2(p) + 0.5) * frame.clear.z);
    return distanceOf(texelFetch(depths, min(at, ivec2(frame.size.xy) - 1), 0).x);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(source, 0) - 1;
    float end = endAt(at);
    vec4 sum = texelFetch(source, at, 0);
    float weights = 1.0;
    for (int i = -2; i <= 2; ++i) {
        ivec2 p = clamp(at + direction * i, ivec2(0), last);
        if (i == 0)
            continue;
        float apart = abs(endAt(p) - end) / (8.0 * frame.clear.x + 0.02 * frame.shift.w * min(end, 1e12));
        float w = exp(-float(i * i) / 2.5) / (1.0 + apart * apart);
        sum += w * texelFetch(source, p, 0);
        weights += w;
    }
    outMatter = sum / weights;
}

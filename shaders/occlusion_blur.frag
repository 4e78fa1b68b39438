#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// One direction of a blur of the occlusion that stops at edges of depth and normal.
layout(set = 0, binding = 4) uniform sampler2D depths;
layout(set = 0, binding = 3) uniform sampler2D fineNormals;
layout(set = 0, binding = 5) uniform sampler2D smoothNormals;
layout(set = 0, binding = 9) uniform sampler2D source;
layout(push_constant) uniform Direction { ivec2 direction; };
layout(location = 0) out float outOpen;

vec3 normalAt(ivec2 p)
{
    vec4 normal = texelFetch(fineNormals, p, 0);
    return normal.w > 0.0 ? texelFetch(smoothNormals, p, 0).xyz : normal.xyz;
}

void main()
{
    int side = int(frame.occlusion.w);
    ivec2 lastSample = ivec2(frame.size.xy) - 1;
    ivec2 last = textureSize(source, 0) - 1;
    ivec2 at = ivec2(gl_FragCoord.xy);
    ivec2 sampleAt = min(at * side + side / 2, lastSample);
    float distance = distanceOf(texelFetch(depths, sampleAt, 0).x);
    vec3 n = normalAt(sampleAt);
    float sum = 0.0;
    float weights = 0.0;
    for (int i = -4; i <= 4; ++i) {
        ivec2 p = clamp(at + direction * i, ivec2(0), last);
        ivec2 s = min(p * side + side / 2, lastSample);
        float apart = abs(distanceOf(texelFetch(depths, s, 0).x) - distance) /
                      (0.5 * frame.occlusion.y);
        float w = exp(-float(i * i) / 8.0) * max(1.0 - apart, 0.0) *
                  max(dot(normalAt(s), n), 0.0);
        w += i == 0 ? 1e-4 : 0.0;
        sum += w * texelFetch(source, p, 0).x;
        weights += w;
    }
    outOpen = sum / weights;
}

#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// Scalable ambient obscurance (McGuire, Mara and Luebke 2012): how much of the hemisphere over a
// point is covered by what is seen around it.
layout(set = 0, binding = 4) uniform sampler2D depths;
layout(set = 0, binding = 3) uniform sampler2D fineNormals;
layout(set = 0, binding = 5) uniform sampler2D smoothNormals;
layout(location = 0) out float outOpen;

vec3 positionAt(ivec2 p)
{
    return rayThrough((vec2(p) + 0.5) * frame.size.zw) * distanceOf(texelFetch(depths, p, 0).x);
}

void main()
{
    int side = int(frame.occlusion.w);
    ivec2 last = ivec2(frame.size.xy) - 1;
    ivec2 at = min(ivec2(gl_FragCoord.xy) * side + side / 2, last);
    outOpen = 1.0;
    float depth = texelFetch(depths, at, 0).x;
    if (depth <= 0.0 || frame.occlusion.x <= 0.0)
        return;
    vec4 normal = texelFetch(fineNormals, at, 0);
    if (normal.w > 0.0)
        normal = texelFetch(smoothNormals, at, 0);
    vec3 n = normal.xyz;
    // Gaps between particles are not part of the surface that they stand for.
    float rough = normal.w * frame.depthTerms.z;
    vec3 p = positionAt(at);
    float distance = distanceOf(depth);
    float radius = frame.occlusion.y;
    float reach = radius * frame.forward.w / distance; // [samples]
    if (reach < 1.0)
        return;
    reach = min(reach, 0.25 * frame.size.y);
    p += n * (0.02 * radius + 0.001 * distance * frame.shift.w + rough);

    int count = int(frame.occlusion.z);
    float turn = 6.2831853 * noise(gl_FragCoord.xy);
    float jitter = fract(noise(gl_FragCoord.yx + 17.0) + 0.5);
    float sum = 0.0;
    for (int i = 0; i < count; ++i) {
        float share = (float(i) + jitter) / float(count);
        float angle = turn + 2.3999632 * float(i);
        ivec2 q = at + ivec2(round(reach * share * vec2(cos(angle), sin(angle))));
        if (any(lessThan(q, ivec2(0))) || any(greaterThan(q, last)))
            continue;
        vec3 v = positionAt(q) - p;
        float vv = dot(v, v);
        float vn = dot(v, n);
        float close = vv / (radius * radius);
        float fall = max(1.0 - close * close, 0.0);
        sum += fall * max(vn * inversesqrt(vv + 1e-12) - 0.06, 0.0);
    }
    outOpen = clamp(1.0 - 4.2 * frame.occlusion.x * sum / float(count), 0.0, 1.0);
}

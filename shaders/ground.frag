#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "gbuffer.glsl"

// Share of a line of this width within a pixel of this size, for lines 1 apart
// (box-filtered grid, after Quilez 2017).
float lineShare(vec2 place, vec2 pixel, float width)
{
    vec2 w = max(pixel, vec2(1e-6));
    vec2 a = place + 0.5 * w + 0.5 * width;
    vec2 b = place - 0.5 * w + 0.5 * width;
    vec2 share = (floor(a) + min(fract(a) / width, 1.0) - floor(b) - min(fract(b) / width, 1.0)) *
                 width / w;
    share = clamp(share, 0.0, 1.0);
    return share.x + share.y - share.x * share.y;
}

void main()
{
    vec3 ray = rayThrough(gl_FragCoord.xy * frame.size.zw);
    float height = frame.ground.x;
    if (height >= 0.0 || ray.y >= -1e-6)
        discard;
    float t = height / ray.y;
    vec2 place = t * ray.xz;
    gl_FragDepth = depthOf(t);

    // Movement on the ground from one sample to the next, from the ray's derivative.
    vec3 dx = 2.0 * frame.size.z * frame.right.xyz;
    vec3 dy = -2.0 * frame.size.w * frame.up.xyz;
    vec2 stepX = t * (dx.xz - ray.xz * dx.y / ray.y);
    vec2 stepY = t * (dy.xz - ray.xz * dy.y / ray.y);
    vec2 pixel = abs(stepX) + abs(stepY);

    vec2 world = place + mod(frame.eye.xz, 10.0 * frame.ground.y);
    float spacing = frame.ground.y;
    float fine = lineShare(world / spacing, pixel / spacing, 0.02);
    float strong = lineShare(world / (10.0 * spacing), pixel / (10.0 * spacing), 0.004);
    float line = max(0.55 * fine, strong);
    float away = length(place - vec2(frame.groundColour.w, frame.lineColour.w)) / frame.ground.z;
    line *= exp(-away * away * 1.2);

    outColour = vec4(mix(frame.groundColour.rgb, frame.lineColour.rgb, line), kGround);
    outNormal = vec4(0.0, 1.0, 0.0, 0.0);
    outSurface = vec4(0.9, 0.02, 0.0, 0.0);
}

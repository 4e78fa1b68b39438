#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "gbuffer.glsl"
#include "grid.glsl"

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
    float line = gridShare(world / spacing, pixel / spacing);
    float away = length(place - vec2(frame.groundColour.w, frame.lineColour.w)) / frame.ground.z;
    line *= exp(-away * away * 1.2);

    outColour = vec4(mix(frame.groundColour.rgb, frame.lineColour.rgb, line), kGround);
    outNormal = vec4(0.0, 1.0, 0.0, 0.0);
    outSurface = vec4(0.9, 0.02, 0.0, 0.0);
}

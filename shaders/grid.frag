#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "gbuffer.glsl"
#include "grid.glsl"

// Where there is nothing, a grid in the plane through the camera's target that is across the line of
// sight, which goes along an axis.

// The two coordinates of that plane.
vec2 across(vec3 v)
{
    vec3 along = step(0.5, abs(frame.forward.xyz));
    return along.x * v.zy + along.y * v.xz + along.z * v.xy;
}

void main()
{
    float distance = frame.ground.x;
    float spacing = frame.ground.y;
    vec2 place = across(distance * rayThrough(gl_FragCoord.xy * frame.size.zw));
    vec2 pixel = 2.0 * distance *
                 (frame.size.z * abs(across(frame.right.xyz)) + frame.size.w * abs(across(frame.up.xyz)));
    vec2 world = place + across(mod(frame.eye.xyz, 10.0 * spacing));
    outColour = vec4(gridShare(world / spacing, pixel / spacing), 0.0, 0.0, kNothing);
    outNormal = vec4(0.0);
    outSurface = vec4(0.0);
}

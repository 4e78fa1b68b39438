#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// Adds up the clear matter along each ray, as far as the nearest opaque thing.
layout(set = 0, binding = 4) uniform sampler2D depths;
layout(location = 0) flat in vec4 sphere;
layout(location = 1) flat in vec4 matter;
layout(location = 0) out vec4 outMatter; // what it absorbs of each colour (exponents); length [radii]

void main()
{
    vec2 place = gl_FragCoord.xy * frame.clear.z;
    vec3 ray = rayThrough(place * frame.size.zw);
    float stretch = length(ray);
    vec3 direction = ray / stretch;
    float along = dot(sphere.xyz, direction);
    vec3 offset = sphere.xyz - along * direction;
    float inside = sphere.w * sphere.w - dot(offset, offset);
    if (inside < 0.0)
        discard;
    float half_ = sqrt(inside);
    float depth = texelFetch(depths, min(ivec2(place), ivec2(frame.size.xy) - 1), 0).x;
    float end = depth > 0.0 ? distanceOf(depth) * stretch : 1e30;
    float path = clamp(end - (along - half_), 0.0, 2.0 * half_) * matter.w;
    outMatter = vec4(min(matter.rgb * path, 40.0), path / frame.clear.x); // halfs end at 65504
}

#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "tone.glsl"

// Gaussians behind the surface of clear matter become a part of what is seen through it.
layout(set = 0, binding = 1) uniform sampler2D front; // Gaussians before that surface; see splat.frag
layout(set = 0, binding = 8) uniform sampler2D lights;
layout(set = 0, binding = 9) uniform sampler2D whole; // all Gaussians
layout(location = 0) out vec4 outColour;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 light = texelFetch(lights, at, 0);
    outColour = light;
    // All of them are the front ones over those behind.
    vec4 before = texelFetch(front, at, 0);
    float through = 1.0 - before.a;
    if (through < 0.004)
        return;
    vec4 behind = max((texelFetch(whole, at, 0) - before) / through, 0.0);
    if (behind.a < 0.002)
        return;
    // Blended as in resolve.frag.
    float kept = frame.backgroundTop.w > 0.0 ? light.a : 1.0;
    vec3 seen = behind.rgb + (1.0 - behind.a) * encode(shown(light.rgb)) * kept;
    kept = behind.a + (1.0 - behind.a) * kept;
    vec3 colour = decode(clamp(seen / kept, 0.0, 1.0));
    outColour = vec4((frame.tone.y > 0.5 ? unfilmic(colour) : colour) / frame.tone.x,
                     behind.a + (1.0 - behind.a) * light.a);
}

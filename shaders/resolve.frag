#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "tone.glsl"

// Samples to pixels: exposure, tone mapping of each sample (so that bright edges stay smooth), mean.
layout(set = 0, binding = 4) uniform sampler2D depths;
layout(set = 0, binding = 8) uniform sampler2D lights;
layout(set = 0, binding = 9) uniform sampler2D gaussians; // see splat.frag
layout(location = 0) out vec4 outDisplay; // sRGB-encoded; coverage
layout(location = 1) out vec4 outLinear;  // scene-referred; coverage
layout(location = 2) out float outDepth;  // distance along the viewing direction

void main()
{
    int side = int(frame.tone.z);
    ivec2 corner = ivec2(gl_FragCoord.xy) * side;
    vec3 display = vec3(0.0);
    vec3 linear = vec3(0.0);
    float coverage = 0.0;
    float depth = 0.0;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            ivec2 p = corner + ivec2(x, y);
            vec4 light = texelFetch(lights, p, 0);
            vec3 c = light.rgb * frame.tone.x;
            float kept = frame.backgroundTop.w > 0.0 ? light.a : 1.0;
            vec3 mapped = shown(light.rgb);
            vec4 before = frame.gaussians.z > 0.5 ? texelFetch(gaussians, p, 0) : vec4(0.0);
            if (before.a > 0.0) {
                // Colours of captures are as on a screen, and were fitted to be blended so.
                float through = 1.0 - before.a;
                vec3 seen = before.rgb + through * encode(mapped) * kept;
                linear += decode(max(before.rgb / before.a, 0.0)) * before.a + through * c * kept;
                kept = before.a + through * kept;
                mapped = decode(clamp(seen / kept, 0.0, 1.0));
                display += mapped * kept;
                coverage += before.a + through * light.a;
            } else {
                display += mapped * kept;
                linear += c * kept;
                coverage += light.a;
            }
            depth = max(depth, texelFetch(depths, p, 0).x);
        }
    float count = float(side * side);
    display /= count;
    coverage /= count;
    float alpha = frame.backgroundTop.w > 0.0 ? coverage : 1.0;
    if (alpha > 0.0)
        display /= alpha; // PNG keeps colour and coverage apart
    // Less than one step of noise, so that gradients show no bands.
    float grain = (noise(gl_FragCoord.xy) - 0.5) / 255.0;
    outDisplay = vec4(encode(clamp(display, 0.0, 1.0)) + grain, alpha);
    outLinear = vec4(linear / count, coverage);
    outDepth = depth > 0.0 ? distanceOf(depth) : uintBitsToFloat(0x7f800000u);
}

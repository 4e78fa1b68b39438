#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// One direction of the narrow-range filter (Truong and Yuksel 2018): the particles' distances melt
// into a surface; what lies well before it is left out, what lies well behind it counts as near.
layout(set = 0, binding = 9) uniform sampler2D source;
layout(push_constant) uniform Direction { ivec2 direction; float reachInRadii; } pass;
layout(location = 0) out float outDistance;

const int kTaps = 14;

float at(ivec2 p, ivec2 last)
{
    return texelFetch(source, clamp(p, ivec2(0), last), 0).x;
}

void main()
{
    ivec2 place = ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(source, 0) - 1;
    float here = texelFetch(source, place, 0).x;
    outDistance = here;
    if (here == 0.0)
        return;
    float radius = frame.clear.x;
    float texel = here * frame.clear.y / frame.forward.w; // [m]
    float reach = min(pass.reachInRadii * radius / texel, 64.0);
    if (reach < 0.7)
        return;
    float stride = max(reach / float(kTaps), 1.0);
    float margin = 8.0 * radius;
    float nearest = here - margin;
    float farthest = here + margin;
    float behind = here + 0.3 * radius;
    float sum = here;
    float weights = 1.0;
    for (int i = 1; i <= kTaps; ++i) {
        float offset = float(i) * stride;
        if (offset > reach)
            break;
        ivec2 step = pass.direction * int(round(offset));
        float a = at(place + step, last);
        float b = at(place - step, last);
        // Leaving out both of a pair keeps the surface from tilting.
        if ((a > 0.0 && a < nearest) || (b > 0.0 && b < nearest))
            continue;
        if (a == 0.0 || a > farthest)
            a = behind;
        else {
            nearest = min(nearest, a - margin);
            farthest = max(farthest, a + margin);
        }
        if (b == 0.0 || b > farthest)
            b = behind;
        else {
            nearest = min(nearest, b - margin);
            farthest = max(farthest, b + margin);
        }
        float w = exp(-2.5 * (offset * offset) / (reach * reach));
        sum += w * (a + b);
        weights += 2.0 * w;
    }
    outDistance = sum / weights;
}

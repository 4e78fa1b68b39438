#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#define ACCESS
#include "gaussians.glsl"

// Turns Gaussians into ellipses of the picture (Zwicker et al. 2001), with the colours seen from the
// eye, and gives them keys that sort the farthest first. What is not seen is sorted last.
layout(local_size_x = 128) in;

// Without the set's own shadows: those are in its colours already.
layout(set = 0, binding = 11) uniform sampler2D shadowMap;
#include "sun.glsl"

// What a shadow leaves of a colour as on a screen. The surface is not known, nor what of its light was
// the sun's: as on the ground, or where the sun is low, on what faces it halfway.
vec3 leftInShadow(vec3 position, uint i)
{
    float share = sunShare(position, frame.sunDirection.xyz, 0.0, vec2(i & 1023u, i >> 10));
    vec3 sun = frame.sunColour.rgb * max(frame.sunDirection.y, 0.5);
    vec3 sky = frame.skyZenith.rgb;
    return pow((sky + share * sun) / max(sky + sun, vec3(1e-6)), vec3(1.0 / 2.2));
}

// The colour seen along a direction: coefficients red, green, blue times functions.
vec3 colourAlong(vec3 d, uint i)
{
    uint at = 3u * (step.degree + 1u) * (step.degree + 1u) * i;
    float x = d.x, y = d.y, z = d.z;
    float xx = x * x, yy = y * y, zz = z * z;
    float values[16] = float[](
        0.28209479177387814,
        -0.4886025119029199 * y, 0.4886025119029199 * z, -0.4886025119029199 * x,
        1.0925484305920792 * x * y, -1.0925484305920792 * y * z,
        0.31539156525252005 * (2.0 * zz - xx - yy), -1.0925484305920792 * x * z,
        0.5462742152960396 * (xx - yy),
        -0.5900435899266435 * y * (3.0 * xx - yy), 2.890611442640554 * x * y * z,
        -0.4570457994644658 * y * (4.0 * zz - xx - yy),
        0.3731763325901154 * z * (2.0 * zz - 3.0 * xx - 3.0 * yy),
        -0.4570457994644658 * x * (4.0 * zz - xx - yy), 1.445305721320277 * z * (xx - yy),
        -0.5900435899266435 * x * (xx - 3.0 * yy));
    vec3 sum = vec3(0.5);
    uint terms = (step.degree + 1u) * (step.degree + 1u);
    for (uint k = 0u; k < terms; ++k, at += 3u)
        sum += values[k] * vec3(harmonics[at], harmonics[at + 1u], harmonics[at + 2u]);
    return clamp(sum, 0.0, 1000.0);
}

// False when nothing of it is seen.
bool project(uint i, out Splat splat)
{
    splat = Splat(vec4(0.0), uvec4(0u));
    vec3 position;
    mat3 axes;
    if (!gaussian(i, frame.eye.xyz, position, axes) || beforeCut(position) < 0.0)
        return false;
    float distance = dot(position, frame.forward.xyz);
    if (distance <= frame.depthTerms.w || depthOf(distance) < 0.0)
        return false;

    // Of the camera: right, down, forward; lengths of frame.right and frame.up are half the picture.
    vec3 right = normalize(frame.right.xyz);
    vec3 down = -normalize(frame.up.xyz);
    vec2 halfSize = vec2(length(frame.right.xyz), length(frame.up.xyz));
    float focal = frame.forward.w;
    vec2 slope = vec2(dot(position, right), dot(position, down)) / distance;
    vec2 middle = 0.5 * frame.size.xy * (1.0 + frame.shift.xy) + focal * slope;

    // The projection's derivative, held where it would grow without bound outside the picture.
    vec2 held = clamp(slope, -1.3 * halfSize, 1.3 * halfSize);
    vec3 rowX = focal / distance * (right - held.x * frame.forward.xyz);
    vec3 rowY = focal / distance * (down - held.y * frame.forward.xyz);
    vec3 alongX = rowX * axes;
    vec3 alongY = rowY * axes;
    float xx = dot(alongX, alongX), xy = dot(alongX, alongY), yy = dot(alongY, alongY);
    float opacity = clamp(opacities[i], 0.0, 1.0);
    float before = max(xx * yy - xy * xy, 0.0);
    xx += frame.gaussians.x;
    yy += frame.gaussians.x;
    float after = xx * yy - xy * xy;
    if (frame.gaussians.y > 0.5) // the filter spreads it, but adds nothing (Yu et al. 2024)
        opacity *= sqrt(max(before / after, 0.000025));
    if (opacity < kFaintest || !isNumber(after) || after <= 0.0)
        return false;

    float mean = 0.5 * (xx + yy);
    float apart = sqrt(max(0.25 * (xx - yy) * (xx - yy) + xy * xy, 0.0));
    float longer = mean + apart;
    float shorter = after / longer;
    vec2 axis = abs(xy) > 1e-6 * mean ? normalize(vec2(xy, longer - xx))
                                      : (xx >= yy ? vec2(1.0, 0.0) : vec2(0.0, 1.0));
    float reach = sqrt(2.0 * log(opacity / kFaintest)); // where it is as faint as can be seen
    vec2 longAxis = reach * sqrt(longer) * axis;
    float shortAxis = reach * sqrt(shorter);
    vec2 extent = reach * sqrt(vec2(xx, yy));
    if (any(lessThan(middle + extent, vec2(0.0))) ||
        any(greaterThan(middle - extent, frame.size.xy)))
        return false;

    vec3 direction = normalize(position);
    if (step.turned != 0u) {
        vec4 turn = turns[i];
        float size = dot(turn, turn);
        if (isNumber(size) && size > 1e-12) // backwards: a vector times a matrix
            direction = direction * rotationOf(turn * inversesqrt(size));
    }
    vec3 colour = colourAlong(direction, i);
    if (step.shaded != 0u)
        colour *= leftInShadow(position, i);
    splat.place = vec4(middle, distance, shortAxis);
    splat.look = uvec4(floatBitsToUint(longAxis.x), floatBitsToUint(longAxis.y),
                       packHalf2x16(colour.rg), packHalf2x16(vec2(colour.b, opacity)));
    return true;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= step.count)
        return;
    uint number = step.first + i;
    Splat splat;
    uint key = 0xffffffffu;
    if (project(i, splat)) {
        key = ~floatBitsToUint(splat.place.z); // positive floats sort like whole numbers
        atomicAdd(draw.x, 6u);
    }
    splats[number] = splat;
    unsorted[number] = uvec2(key, number);
}

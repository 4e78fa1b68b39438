#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "reflectance.glsl"
#include "sky.glsl"

// Puts clear particles before what was lit.
layout(set = 0, binding = 1) uniform sampler2D colours;   // see clear_skin.frag
layout(set = 0, binding = 2) uniform sampler2D matter;    // see clear_volume.frag
layout(set = 0, binding = 3) uniform sampler2D normals;
layout(set = 0, binding = 4) uniform sampler2D depths;    // of opaque things
layout(set = 0, binding = 5) uniform sampler2D distances; // smoothed
layout(set = 0, binding = 7) uniform sampler2D shadowMap;
layout(set = 0, binding = 8) uniform sampler2D lights;
layout(location = 0) out vec4 outColour; // linear light; coverage

#include "clear.glsl"

// The surface at a place [samples], from the texels around that have one of about the same distance.
Skin skinAt(vec2 place)
{
    ivec2 last = textureSize(distances, 0) - 1;
    vec2 at = place / frame.clear.y - 0.5;
    ivec2 corner = ivec2(floor(at));
    vec2 share = at - vec2(corner);
    float nearest = 1e30;
    for (int k = 0; k < 4; ++k) {
        ivec2 p = clamp(corner + ivec2(k & 1, k >> 1), ivec2(0), last);
        float d = texelFetch(distances, p, 0).x;
        if (d > 0.0)
            nearest = min(nearest, d);
    }
    Skin skin = Skin(0.0, vec3(0.0), vec4(0.0));
    float weights = 0.0;
    for (int k = 0; k < 4; ++k) {
        ivec2 o = ivec2(k & 1, k >> 1);
        ivec2 p = clamp(corner + o, ivec2(0), last);
        float d = texelFetch(distances, p, 0).x;
        if (d == 0.0 || d > nearest + 6.0 * frame.clear.x)
            continue;
        vec2 bilinear = mix(1.0 - share, share, vec2(o));
        float w = bilinear.x * bilinear.y + 1e-4;
        skin.distance += w * d;
        skin.normal += w * texelFetch(normals, p, 0).xyz;
        skin.colour += w * texelFetch(colours, p, 0);
        weights += w;
    }
    if (weights > 0.0) {
        skin.distance /= weights;
        skin.normal = normalize(skin.normal + 1e-6);
        skin.colour /= weights;
    }
    return skin;
}

vec4 matterAt(vec2 place)
{
    ivec2 last = textureSize(matter, 0) - 1;
    vec2 at = place / frame.clear.z - 0.5;
    ivec2 corner = ivec2(floor(at));
    vec2 share = at - vec2(corner);
    vec4 sum = vec4(0.0);
    for (int k = 0; k < 4; ++k) {
        ivec2 o = ivec2(k & 1, k >> 1);
        vec2 bilinear = mix(1.0 - share, share, vec2(o));
        sum += bilinear.x * bilinear.y *
               texelFetch(matter, clamp(corner + o, ivec2(0), last), 0);
    }
    return vec4(sum.rgb, sum.w * frame.clear.x);
}

void main()
{
    vec4 lit = texelFetch(lights, ivec2(gl_FragCoord.xy), 0);
    outColour = lit;
    vec4 here = matterAt(gl_FragCoord.xy);
    float coverage = smoothstep(0.02, 0.15, 0.5 * here.w / frame.clear.x);
    if (coverage <= 0.0)
        return;
    Skin skin = skinAt(gl_FragCoord.xy);
    if (skin.distance == 0.0 || skin.distance >= opaqueDistance(gl_FragCoord.xy))
        return;
    vec3 light = throughClear(skin, here, 0.15, 2.0 * frame.clear.x, 0.0);
    outColour = vec4(mix(lit.rgb, light, coverage), max(lit.a, coverage));
}

#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "reflectance.glsl"
#include "sky.glsl"

// Puts clear meshes before what was lit.
layout(set = 0, binding = 1) uniform sampler2D colours;   // see clear_mesh_skin.frag
layout(set = 0, binding = 2) uniform sampler2D matter;    // see clear_mesh_volume.frag; one a pixel
layout(set = 0, binding = 3) uniform sampler2D normals;
layout(set = 0, binding = 4) uniform sampler2D depths;    // of opaque things
layout(set = 0, binding = 5) uniform sampler2D distances;
layout(set = 0, binding = 7) uniform sampler2D shadowMap;
layout(set = 0, binding = 8) uniform sampler2D lights;
layout(location = 0) out vec4 outColour; // linear light; coverage

#include "clear.glsl"

vec4 matterAt(vec2 place)
{
    ivec2 last = textureSize(matter, 0) - 1;
    vec2 at = place / frame.clear.y - 0.5;
    ivec2 corner = ivec2(floor(at));
    vec2 share = at - vec2(corner);
    vec4 sum = vec4(0.0);
    for (int k = 0; k < 4; ++k) {
        ivec2 o = ivec2(k & 1, k >> 1);
        vec2 bilinear = mix(1.0 - share, share, vec2(o));
        sum += bilinear.x * bilinear.y *
               texelFetch(matter, clamp(corner + o, ivec2(0), last), 0);
    }
    return max(sum, 0.0);
}

vec3 placeAt(ivec2 at, float distance)
{
    return rayThrough((vec2(at) + 0.5) * frame.size.zw) * distance;
}

// Mean curvature [1/m] of the surface as far as it ends two radii away on both sides, as those of
// drops and threads do, and bumps and rims of a larger body do not. What is larger in the picture bends as a slab.
float dropCurvature(ivec2 at, Skin skin)
{
    const ivec2 around[8] = ivec2[](ivec2(1, 0), ivec2(-1, 0), ivec2(0, 1), ivec2(0, -1), ivec2(1, 1),
                                    ivec2(-1, -1), ivec2(1, -1), ivec2(-1, 1));
    ivec2 last = ivec2(frame.size.xy) - 1;
    vec3 position = placeAt(at, skin.distance);
    float sampleSide = skin.distance / frame.forward.w; // [m]
    float sum = 0.0;
    float count = 0.0;
    for (int k = 0; k < 4; ++k) {
        ivec2 p = clamp(at + around[k], ivec2(0), last);
        float there = texelFetch(distances, p, 0).x;
        vec3 along = placeAt(p, there) - position;
        float step2 = dot(along, along);
        if (there == 0.0 || step2 == 0.0 || step2 > 36.0 * sampleSide * sampleSide)
            continue; // another surface
        sum += dot(texelFetch(normals, p, 0).xyz - skin.normal, along) / step2;
        count += 1.0;
    }
    if (sum <= 0.0)
        return 0.0;
    float radius = count / sum;
    int reach = int(clamp(2.0 * radius / sampleSide, 2.0, 0.08 * frame.size.x));
    float ends = 0.0;
    for (int k = 0; k < 8; k += 2) {
        float both = 1.0;
        for (int side = k; side < k + 2; ++side) {
            ivec2 p = clamp(at + (k < 4 ? reach : reach * 5 / 7) * around[side], ivec2(0), last);
            float there = texelFetch(distances, p, 0).x;
            float away = abs(there - skin.distance) / radius;
            both = min(both, there == 0.0 ? 1.0 : smoothstep(2.0, 8.0, away));
        }
        ends += 0.25 * both;
    }
    return smoothstep(0.6, 0.85, ends) / radius;
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    outColour = texelFetch(lights, at, 0);
    Skin skin;
    skin.distance = texelFetch(distances, at, 0).x;
    if (skin.distance == 0.0 || skin.distance >= opaqueDistance(gl_FragCoord.xy))
        return;
    skin.normal = texelFetch(normals, at, 0).xyz;
    skin.colour = texelFetch(colours, at, 0);
    outColour = vec4(throughClear(skin, matterAt(gl_FragCoord.xy), 0.03, 0.0, dropCurvature(at, skin)),
                     1.0);
}

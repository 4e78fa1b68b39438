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
    outColour = vec4(throughClear(skin, matterAt(gl_FragCoord.xy), 0.03, 0.0), 1.0);
}

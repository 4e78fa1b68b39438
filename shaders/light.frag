#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

layout(set = 0, binding = 1) uniform sampler2D colours;
layout(set = 0, binding = 2) uniform sampler2D surfaces;
layout(set = 0, binding = 3) uniform sampler2D fineNormals;
layout(set = 0, binding = 4) uniform sampler2D depths;
layout(set = 0, binding = 5) uniform sampler2D smoothNormals;
layout(set = 0, binding = 6) uniform sampler2D openness;
layout(set = 0, binding = 7) uniform sampler2D shadowMap;
layout(location = 0) out vec4 outColour; // linear light; coverage


vec2 spiral(int i, int count, float turn)
{
    float angle = turn + 2.3999632 * float(i);
    return sqrt((float(i) + 0.5) / float(count)) * vec2(cos(angle), sin(angle));
}

// Share of the sun that reaches a point (percentage-closer soft shadows, Fernando 2005).
float sunShare(vec3 position, vec3 n, float smoothing)
{
    if (frame.sunColour.w == 0.0)
        return 1.0;
    float texel = frame.shadowSize.z;
    float grazing = 1.0 - max(dot(n, frame.sunDirection.xyz), 0.0);
    vec3 lifted = position + n * (texel * (1.0 + 2.0 * grazing)) +
                  (frame.sunDirection.xyz + n) * smoothing;
    vec3 map = (frame.shadow * vec4(lifted, 1.0)).xyz;
    if (any(lessThan(map.xy, vec2(0.0))) || any(greaterThan(map.xy, vec2(1.0))))
        return 1.0;
    float perDepth = frame.shadowSize.w;
    float side = texel * frame.shadowSize.x; // of the whole map [m]
    float spread = frame.sunDirection.w;
    float turn = 6.2831853 * noise(gl_FragCoord.xy);
    float search = clamp(spread * min(map.z * perDepth, 0.12 * side), 2.0 * texel, 0.06 * side) / side;
    float bias = 1.5 * texel / perDepth;
    // Samples of a pixel look at different points, and share the work.
    int blockerTaps = frame.tone.z > 1.0 ? 5 : 8;
    int shadowTaps = frame.tone.z > 1.0 ? 9 : 16;
    float blockers = 0.0;
    float blockerDepth = 0.0;
    for (int i = 0; i < blockerTaps; ++i) {
        float d = textureLod(shadowMap, map.xy + search * spiral(i, blockerTaps, turn), 0.0).x;
        if (d < min(map.z - bias, 1.0)) {
            blockers += 1.0;
            blockerDepth += d;
        }
    }
    if (blockers == 0.0)
        return 1.0;
    float gap = (map.z - blockerDepth / blockers) * perDepth;
    float width = clamp(spread * gap, 1.5 * texel, 0.06 * side) / side;
    float lit = 0.0;
    for (int i = 0; i < shadowTaps; ++i) {
        float d = textureLod(shadowMap, map.xy + width * spiral(i, shadowTaps, turn), 0.0).x;
        lit += d < min(map.z - bias, 1.0) ? 0.0 : 1.0;
    }
    return lit / float(shadowTaps);
}

// Openness at this sample from the coarser buffer, from texels of about the same distance.
float opennessAt(ivec2 at, float distance)
{
    int side = int(frame.occlusion.w);
    if (side == 1)
        return texelFetch(openness, at, 0).x;
    ivec2 last = textureSize(openness, 0) - 1;
    ivec2 lastSample = ivec2(frame.size.xy) - 1;
    vec2 place = (vec2(at) + 0.5) / float(side) - 0.5;
    ivec2 corner = ivec2(floor(place));
    vec2 share = place - vec2(corner);
    float sum = 0.0;
    float weights = 0.0;
    for (int k = 0; k < 4; ++k) {
        ivec2 o = ivec2(k & 1, k >> 1);
        ivec2 p = clamp(corner + o, ivec2(0), last);
        float there = distanceOf(texelFetch(depths, min(p * side + side / 2, lastSample), 0).x);
        vec2 bilinear = mix(1.0 - share, share, vec2(o));
        float w = bilinear.x * bilinear.y /
                  (0.02 + min(abs(there - distance) / (0.2 * frame.occlusion.y), 50.0));
        sum += w * texelFetch(openness, p, 0).x;
        weights += w;
    }
    return weights > 0.0 ? sum / weights : 1.0;
}

vec3 fresnel(vec3 f0, float cosine)
{
    float x = clamp(1.0 - cosine, 0.0, 1.0);
    float x2 = x * x;
    return f0 + (1.0 - f0) * (x2 * x2 * x);
}

// GGX distribution with Smith's visibility (Walter et al. 2007; Hammon 2017's fit).
vec3 specularLobe(vec3 n, vec3 v, vec3 l, float roughness, vec3 f0)
{
    float a = roughness * roughness;
    float nl = max(dot(n, l), 0.0);
    float nv = max(dot(n, v), 1e-3);
    vec3 h = normalize(l + v);
    float nh = max(dot(n, h), 0.0);
    float d = nh * nh * (a * a - 1.0) + 1.0;
    float distribution = a * a / (3.14159265 * d * d);
    float visibility = 0.5 / max(mix(2.0 * nl * nv, nl + nv, a), 1e-4);
    return fresnel(f0, max(dot(h, v), 0.0)) * (distribution * visibility * nl);
}

// Of balls on a surface one sees the sides turned to the eye: the mean of their normals is the
// surface's normal plus a share of the direction to the eye, which this takes away.
vec3 surfaceNormal(vec3 mean, vec3 v)
{
    const float share = 0.42;
    float facing = dot(mean, v);
    float size = share * facing + sqrt(1.0 - share * share * (1.0 - facing * facing));
    return normalize(size * mean - share * v + 1e-6 * mean);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec3 ray = rayThrough(gl_FragCoord.xy * frame.size.zw);
    vec4 colour = texelFetch(colours, at, 0);
    if (colour.a < 0.5 * kParticle) {
        outColour = vec4(background(ray), 0.0);
        return;
    }
    float distance = distanceOf(texelFetch(depths, at, 0).x);
    vec3 position = ray * distance;
    vec3 v = -normalize(ray);
    vec4 surface = texelFetch(surfaces, at, 0);
    vec4 fine = texelFetch(fineNormals, at, 0);
    float radius = fine.w * frame.depthTerms.z;
    vec3 n = fine.xyz;
    if (surface.z > 0.0)
        n = normalize(mix(n, surfaceNormal(texelFetch(smoothNormals, at, 0).xyz, v), surface.z));
    float nv = dot(n, v);
    if (nv < 0.02)
        n = normalize(n + (0.02 - nv) * v); // smoothed normals may face away at silhouettes

    float roughness = max(surface.x, 0.05);
    vec3 f0 = vec3(surface.y);
    if (surface.y > 0.3)
        f0 = surface.y * colour.rgb; // metals tint what they mirror
    float translucency = surface.w;
    float open = opennessAt(at, distance);
    // Light bounces in bright crevices (Jimenez et al. 2016).
    vec3 openColour = max(vec3(open),
                          ((open * (2.0404 * colour.rgb - 0.3324) - (4.7951 * colour.rgb - 0.6417)) *
                               open + (2.7552 * colour.rgb + 0.6903)) * open);

    float facing = dot(n, frame.sunDirection.xyz);
    float wrap = 0.5 * translucency;
    float share = 0.0;
    if (facing > -wrap)
        share = sunShare(position, n, radius * surface.z * (1.5 + 2.0 * surface.z * surface.z * surface.z));
    float lambert = max((facing + wrap) / ((1.0 + wrap) * (1.0 + wrap)), 0.0);
    vec3 sun = frame.sunColour.rgb * share;
    // Light that entered elsewhere comes out in the shade, bluish for what scatters long paths.
    vec3 inner = translucency * 0.10 * frame.sunColour.rgb * mix(vec3(0.75, 0.9, 1.1), vec3(1.0), share);

    vec3 diffuse = colour.rgb * (1.0 - surface.y);
    vec3 light = diffuse * (sun * lambert + inner * openColour + skyLight(n) * openColour);
    if (roughness < 0.9) {
        light += sun * specularLobe(n, v, frame.sunDirection.xyz, roughness, f0) * step(0.0, facing);

        // The sky's mirror image, blurred towards its mean with roughness.
        vec3 mirrored = reflect(-v, n);
        vec3 seen = mirrored.y > 0.0 ? background(mirrored) : mix(frame.backgroundHorizon.rgb, frame.skyGround.rgb, min(-3.0 * mirrored.y, 1.0));
        vec3 mirror = mix(seen, skyLight(mirrored), roughness);
        light += mirror * fresnel(f0, max(dot(n, v), 0.0)) * (1.0 - 0.85 * roughness) * open * (0.4 + 0.6 * share);
    }

    int points = int(frame.tone.w);
    for (int i = 0; i < points; ++i) {
        vec3 to = frame.pointPosition[i].xyz - position;
        float d2 = max(dot(to, to), 1e-6);
        vec3 l = to * inversesqrt(d2);
        vec3 arriving = frame.pointColour[i].rgb / d2;
        light += arriving * (diffuse * max(dot(n, l), 0.0) * openColour +
                             specularLobe(n, v, l, roughness, f0));
    }

    float coverage = 1.0;
    if (colour.a > 0.5 * (kMesh + kGround)) {
        // The ground dissolves into the horizon.
        float away = length(position.xz - vec2(frame.groundColour.w, frame.lineColour.w)) /
                     frame.ground.z;
        float kept = 1.0 / (1.0 + away * away);
        light = mix(background(ray), light, kept);
    }
    outColour = vec4(light, coverage);
}

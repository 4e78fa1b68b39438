#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "reflectance.glsl"
#include "sky.glsl"

layout(set = 0, binding = 1) uniform sampler2D colours;
layout(set = 0, binding = 2) uniform sampler2D surfaces;
layout(set = 0, binding = 3) uniform sampler2D fineNormals;
layout(set = 0, binding = 4) uniform sampler2D depths;
layout(set = 0, binding = 5) uniform sampler2D smoothNormals;
layout(set = 0, binding = 6) uniform sampler2D openness;
layout(set = 0, binding = 7) uniform sampler2D shadowMap;
layout(set = 0, binding = 9) uniform sampler2D clearShadow; // see clear_shadow.frag
layout(location = 0) out vec4 outColour; // linear light; coverage


#include "sun.glsl"

const float kGridStrength = 0.4;

// Share of the sun's light that clear matter lets through to a point, for each colour.
vec3 clearShare(vec3 position)
{
    if (frame.clear.w == 0.0 || frame.sunColour.w == 0.0)
        return vec3(1.0);
    vec3 map = (frame.shadow * vec4(position, 1.0)).xyz;
    if (any(lessThan(map.xy, vec2(0.0))) || any(greaterThan(map.xy, vec2(1.0))))
        return vec3(1.0);
    float turn = 6.2831853 * noise(gl_FragCoord.xy);
    float width = 2.5 / float(textureSize(clearShadow, 0).x);
    float margin = 2.0 * frame.clear.x / frame.shadowSize.w;
    const int kTaps = 6;
    vec3 sum = vec3(0.0);
    for (int i = 0; i < kTaps; ++i) {
        vec4 matter = textureLod(clearShadow, map.xy + width * spiral(i, kTaps, turn), 0.0);
        sum += map.z > 1.0 - matter.a + margin ? exp(-matter.rgb) : vec3(1.0);
    }
    return sum / float(kTaps);
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
        outColour = vec4(background(ray) * (1.0 - kGridStrength * colour.r), 0.0); // see grid.frag
        return;
    }
    float distance = distanceOf(texelFetch(depths, at, 0).x);
    vec3 position = ray * distance;
    vec3 v = -normalize(ray);
    vec4 surface = texelFetch(surfaces, at, 0);
    vec4 fine = texelFetch(fineNormals, at, 0);
    bool ball = fine.w > 0.0; // else a mesh or the ground
    float radius = (ball ? fine.w : 1.0) * frame.depthTerms.z;
    vec3 n = fine.xyz;
    if (surface.z > 0.0 && ball)
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
        share = sunShare(position, n, radius * surface.z * (1.5 + 2.0 * surface.z * surface.z * surface.z),
                         gl_FragCoord.xy);
    float lambert = max((facing + wrap) / ((1.0 + wrap) * (1.0 + wrap)), 0.0);
    vec3 sun = frame.sunColour.rgb * share * clearShare(position);
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
        if (frame.environment.x > 0.0) // the lobe is some 2 roughness^2 wide
            mirror = environmentAt(mirrored, log2(max(frame.environment.x * roughness * roughness / 3.14159265, 1.0)));
        // What hides the sun hides some of the sky; a surface that is turned away from the sun does not.
        float hidden = (1.0 - share) * smoothstep(0.0, 0.3, facing);
        light += mirror * fresnel(f0, max(dot(n, v), 0.0)) * (1.0 - 0.85 * roughness) * open * (1.0 - 0.6 * hidden);
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

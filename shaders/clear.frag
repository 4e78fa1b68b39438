#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "reflectance.glsl"
#include "sky.glsl"

// Puts clear matter before what was lit: light from behind it, bent and absorbed (Beer and Lambert),
// light scattered in it, and the surroundings mirrored on it (van der Laan et al. 2009).
layout(set = 0, binding = 1) uniform sampler2D colours;   // see clear_skin.frag
layout(set = 0, binding = 2) uniform sampler2D matter;    // see clear_volume.frag
layout(set = 0, binding = 3) uniform sampler2D normals;
layout(set = 0, binding = 4) uniform sampler2D depths;    // of opaque things
layout(set = 0, binding = 5) uniform sampler2D distances; // smoothed
layout(set = 0, binding = 7) uniform sampler2D shadowMap;
layout(set = 0, binding = 8) uniform sampler2D lights;
layout(location = 0) out vec4 outColour; // linear light; coverage

#include "sun.glsl"

const float kRefraction = 1.33;

struct Skin {
    float distance; // 0: there is none
    vec3 normal;
    vec4 colour; // w: opacity
};

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
    return sum;
}

float opaqueDistance(vec2 place)
{
    float depth = texelFetch(depths, clamp(ivec2(place), ivec2(0), ivec2(frame.size.xy) - 1), 0).x;
    return depth > 0.0 ? distanceOf(depth) : 1e30;
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 behind = texelFetch(lights, at, 0);
    outColour = behind;
    vec4 here = matterAt(gl_FragCoord.xy); // w: length [radii], from here on [m]
    float coverage = smoothstep(0.02, 0.15, 0.5 * here.w);
    if (coverage <= 0.0)
        return;
    here.w *= frame.clear.x;
    Skin skin = skinAt(gl_FragCoord.xy);
    if (skin.distance == 0.0 || skin.distance >= opaqueDistance(gl_FragCoord.xy))
        return;
    vec3 absorption = here.rgb / here.w; // [1/m], for what lies along this ray
    vec3 ray = rayThrough(gl_FragCoord.xy * frame.size.zw);
    float stretch = length(ray);
    vec3 position = ray * skin.distance;
    vec3 v = -ray / stretch;
    vec3 n = skin.normal;
    float nv = max(dot(n, v), 0.15); // outlines are not known well enough to mirror like glass

    // Where the bent ray leaves, as far as the picture knows what is seen there.
    float gap = (opaqueDistance(gl_FragCoord.xy) - skin.distance) * stretch;
    vec3 bent = refract(-v, n, 1.0 / kRefraction);
    vec4 clip = frame.projection * vec4(position + bent * min(here.w, gap), 1.0);
    vec2 offset = (0.5 + 0.5 * clip.xy / clip.w) * frame.size.xy - gl_FragCoord.xy;
    vec2 place = gl_FragCoord.xy;
    for (float share = 1.0; clip.w > 0.0 && share > 0.1; share -= 0.2) {
        vec2 there = gl_FragCoord.xy + share * offset;
        // Neither beyond the picture nor on something before the surface.
        if (all(greaterThan(there, vec2(0.5))) && all(lessThan(there, frame.size.xy - 0.5)) &&
            opaqueDistance(there) > skin.distance) {
            place = there;
            break;
        }
    }
    behind = texelFetch(lights, ivec2(place), 0);
    vec4 through = matterAt(place);
    through.w *= frame.clear.x;
    float path = min(max(through.w, 0.25 * here.w),
                     (opaqueDistance(place) - skin.distance) * stretch);
    if (through.w > 0.0)
        absorption = through.rgb / through.w;

    // Scattering takes as much as absorption times a share that opacity gives.
    vec3 tint = skin.colour.rgb;
    float opacity = skin.colour.a;
    vec3 exponents = absorption * path;
    float depth = dot(exponents, vec3(1.0)) / max(dot(-log(clamp(tint, 0.01, 0.97)), vec3(1.0)), 0.05);
    float milk = -log(max(1.0 - opacity, 1e-4)) * depth;
    vec3 kept = exp(-exponents - milk);
    float scattered = milk / (milk + 0.3 * dot(exponents, vec3(0.3333)) + 1e-6);

    float share = sunShare(position, n, 2.0 * frame.clear.x, gl_FragCoord.xy);
    float facing = dot(n, frame.sunDirection.xyz);
    vec3 sun = frame.sunColour.rgb * share;
    vec3 inside = tint * (sun * (0.25 + 0.75 * max(facing, 0.0)) + skyLight(n));
    vec3 light = behind.rgb * kept + inside * scattered * (1.0 - kept);

    vec3 f = fresnel(vec3(0.04), nv);
    vec3 mirror = surroundings(reflect(-v, n));
    light = light * (1.0 - f) + mirror * f;
    light += sun * specularLobe(n, v, frame.sunDirection.xyz, 0.22, vec3(0.03)) *
             step(0.0, facing) * smoothstep(0.05, 0.3, dot(n, v));
    outColour = vec4(mix(texelFetch(lights, at, 0).rgb, light, coverage),
                     max(texelFetch(lights, at, 0).a, coverage));
}

// Light that comes through clear matter, for the passes that put it before what was lit: light from
// behind it, bent and absorbed (Beer and Lambert), light scattered in it, and the surroundings
// mirrored on it (van der Laan et al. 2009). Wants `depths` of opaque things, `lights`, `shadowMap`.
#include "sun.glsl"

const float kRefraction = 1.33;

struct Skin {
    float distance; // 0: there is none
    vec3 normal;
    vec4 colour; // w: opacity
};

// What a ray through a place [samples] meets: absorption (exponents), and the way through it [m].
vec4 matterAt(vec2 place);

float opaqueDistance(vec2 place)
{
    float depth = texelFetch(depths, clamp(ivec2(place), ivec2(0), ivec2(frame.size.xy) - 1), 0).x;
    return depth > 0.0 ? distanceOf(depth) : 1e30;
}

// here: what lies along the ray
// grazing: the least cosine that reflects; outlines of blurred surfaces are not known well enough
// to mirror like glass
// lift: of the surface towards the sun, before its shadow is looked up [m]
// curvature: of the surface where it bounds a drop or a thread, else 0 [1/m]
vec3 throughClear(Skin skin, vec4 here, float grazing, float lift, float curvature)
{
    vec3 absorption = here.rgb / max(here.w, 1e-9); // [1/m], for what lies along this ray
    vec3 ray = rayThrough(gl_FragCoord.xy * frame.size.zw);
    float stretch = length(ray);
    vec3 position = ray * skin.distance;
    vec3 v = -ray / stretch;
    vec3 n = skin.normal;
    float nv = max(dot(n, v), grazing);

    // Where the bent ray leaves, as far as the picture knows what is seen there.
    float gap = (opaqueDistance(gl_FragCoord.xy) - skin.distance) * stretch;
    vec3 bent = refract(-v, n, 1.0 / kRefraction);
    vec4 clip = frame.projection * vec4(position + bent * min(here.w, gap), 1.0);
    vec2 offset = (0.5 + 0.5 * clip.xy / clip.w) * frame.size.xy - gl_FragCoord.xy;
    // As far as it goes in the picture, and nothing lies before the surface there. Where that ends
    // is found finely: it shows as the edge of what is seen through a rim.
    float seen = 0.0;
    float unseen = 2.0;
    for (int k = 0; clip.w > 0.0 && k < 7 && seen < 1.0; ++k) {
        float share = 0.5 * (seen + unseen);
        vec2 there = gl_FragCoord.xy + share * offset;
        bool good = all(greaterThan(there, vec2(0.5))) &&
                    all(lessThan(there, frame.size.xy - 0.5)) &&
                    opaqueDistance(there) > skin.distance;
        if (good)
            seen = share;
        else
            unseen = share;
    }
    vec2 place = gl_FragCoord.xy + seen * offset;
    vec3 behind = texelFetch(lights, ivec2(place), 0).rgb;
    // A slab lets light go on as it came. A drop turns it: one sees its surroundings upside down.
    float down = max(-dot(n, bent), 0.1);
    float round_ = clamp(0.5 * curvature * here.w / down, 0.0, 1.0); // way through it, of a ball's
    if (round_ > 0.1) {
        vec3 far = n + 2.0 * down * bent; // the ball's normal where the ray leaves it
        vec3 leaving = refract(bent, -normalize(mix(-n, far, round_)), kRefraction);
        if (dot(leaving, leaving) > 0.0)
            behind = mix(behind, surroundings(leaving), smoothstep(0.1, 0.6, round_));
    }
    vec4 through = matterAt(place);
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

    float share = sunShare(position, n, lift, gl_FragCoord.xy);
    float facing = dot(n, frame.sunDirection.xyz);
    vec3 sun = frame.sunColour.rgb * share;
    vec3 inside = tint * (sun * (0.25 + 0.75 * max(facing, 0.0)) + skyLight(n));
    vec3 light = behind * kept + inside * scattered * (1.0 - kept);

    vec3 f = fresnel(vec3(0.04), nv);
    vec3 mirror = surroundings(reflect(-v, n));
    light = light * (1.0 - f) + mirror * f;
    light += sun * specularLobe(n, v, frame.sunDirection.xyz, 0.22, vec3(0.03)) *
             step(0.0, facing) * smoothstep(0.05, 0.3, dot(n, v));
    return light;
}
